"""Texts of another language are scored, and a warning says that few of their words are known."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import fuzzbow
from fuzzbow import LanguageWarning, WordVectors
from tests.command import invoked

RUSSIAN = ["Собака спит в саду", "Кошка сидит на диване", "Поезд отправляется в полдень"]
ENGLISH = ["The dog sleeps in the garden", "A cat sits on the sofa", "The train leaves at noon"]

CALLS = {
    "pairs": lambda model, texts: model.pairs(texts, texts[::-1]),
    "matrix": lambda model, texts: model.matrix(texts),
    "duplicates": lambda model, texts: model.duplicates(texts),
    "duplicates of two": lambda model, texts: model.duplicates(texts, others=texts),
    "index": lambda model, texts: model.index(texts),
    "index of an iterator": lambda model, texts: model.index(iter(texts)),
    "join": lambda model, texts: model.join(texts, texts),
}


@pytest.fixture(scope="module")
def model():
    return fuzzbow.load()


def heard(call) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LanguageWarning)
        call()
    return caught


@pytest.mark.parametrize("name", CALLS)
def test_a_batch_of_another_language_warns_once_where_it_was_called(model, name):
    (warning,) = heard(lambda: CALLS[name](model, RUSSIAN))
    assert warning.category is LanguageWarning
    assert str(warning.message).startswith("only 0% of the words have a vector in default; if")
    assert warning.filename == __file__


def test_memberships_warn_as_other_batches_do():
    model = fuzzbow.load(measure="max-jaccard")
    (warning,) = heard(lambda: model.encode(RUSSIAN))
    assert warning.filename == __file__
    assert heard(lambda: model.encode(ENGLISH)) == []


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("texts", [ENGLISH, [], [""], ["", " "], [*RUSSIAN[:1], *ENGLISH]])
def test_a_batch_whose_words_are_known_or_that_has_none_does_not(model, name, texts):
    assert heard(lambda: CALLS[name](model, texts)) == []


@pytest.mark.parametrize("name", CALLS)
def test_a_measure_of_letters_needs_no_vectors(name):
    model = fuzzbow.load(measure="letters-jaccard")
    assert heard(lambda: CALLS[name](model, RUSSIAN)) == []


@pytest.mark.parametrize(("known", "warned"), [(1, True), (2, True), (3, False)])
def test_a_third_of_the_words_is_enough(model, known, warned):
    words = ["cat"] * known + [f"qzx{chr(97 + n)}qzx" for n in range(8 - known)]
    text = " ".join(words)
    share = model.coverage([text])
    assert bool(heard(lambda: model.pairs([text], [text]))) is (share < 1 / 3) is warned


def test_one_pair_is_too_little_to_warn_of(model):
    assert heard(lambda: model.similarity(*RUSSIAN[:2])) == []
    assert heard(lambda: model.explain(*RUSSIAN[:2])) == []


def test_words_that_are_made_of_their_parts_are_known():
    class Parts:
        """Makes a vector of any word."""

        def infer(self, words):
            return np.ones((len(words), 2), dtype=np.float32), np.ones(len(words), dtype=bool)

    class NoParts(Parts):
        def infer(self, words):
            return np.ones((len(words), 2), dtype=np.float32), np.zeros(len(words), dtype=bool)

    for inference, count in ((Parts(), 0), (NoParts(), 1)):
        vectors = WordVectors.from_words(["cat", "dog"], np.eye(2), inference=inference)
        model = fuzzbow.load(vectors, measure="dynamax-jaccard")
        assert len(heard(lambda model=model: model.pairs(RUSSIAN, RUSSIAN))) == count


@pytest.mark.parametrize(
    "command",
    [
        "similarity Собака Кошка",
        "score t.csv -l text -r text",
        "dedupe t.csv --text text",
        "join t.csv t.csv --on text",
        "index t.csv -o index --no-metadata",
    ],
)
def test_every_command_says_it_once_however_long_the_file_is(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("fuzzbow.cli.tables.BATCH_ROWS", 2)
    rows = [f"{text} {number}" for number in range(3) for text in RUSSIAN]
    (tmp_path / "t.csv").write_text("text\n" + "\n".join(rows) + "\n", "utf-8")
    done = invoked(*command.split())
    assert done.stderr.count("of the words have a vector in default") == 1
    assert done.stderr.count("give vectors of it: --language CODE, --vectors FILE") == 1
