"""Another language is its vectors, its frequencies and, where words need it, a tokenizer."""

from __future__ import annotations

import sys
import warnings
from types import ModuleType

import numpy as np
import pytest

import fuzzbow
from fuzzbow import WordVectors
from fuzzbow.errors import LanguageWarning
from fuzzbow.text import LANGUAGES
from tests.command import invoked

WORDS = ["le", "la", "chat", "chien", "maison", "aujourd'hui", "dort"]


@pytest.fixture
def french() -> fuzzbow.WordVectors:
    random = np.random.default_rng(1)
    vectors = random.standard_normal((len(WORDS), 3))
    vectors[3] = vectors[2] + 0.1  # chien is near chat
    return fuzzbow.WordVectors.from_words(WORDS, vectors)


def split(text: str) -> list[str]:
    """Words by spaces: an apostrophe is a letter."""
    return text.lower().split()


@pytest.mark.filterwarnings("ignore::fuzzbow.errors.FuzzbowWarning")
def test_a_language_is_vectors_counts_and_a_tokenizer(french):
    counts = {word: 100.0 / rank for rank, word in enumerate(WORDS, start=1)}
    model = fuzzbow.load(french, counts=counts, tokenizer=split)
    assert model.coverage(["Le chat dort aujourd'hui"]) == 1.0
    near, far = model.pairs(["le chat"] * 2, ["le chien", "la maison"])
    assert near > far
    assert model.index(["le chien", "la maison"]).search("le chat", k=1)[0].id == 0


@pytest.fixture
def listed(monkeypatch) -> dict[str, dict[str, float]]:
    """Frequencies of a package that lists two languages."""
    lists = {"en": {"le": 1e-9, "chat": 0.5}, "fr": {"le": 0.5, "chat": 1e-6}}
    package = ModuleType("wordfreq")
    package.available_languages = lambda wordlist: lists
    package.get_frequency_dict = lambda language, wordlist: lists[language]
    monkeypatch.setitem(sys.modules, "wordfreq", package)
    return lists


@pytest.mark.parametrize(
    ("tokenizer", "language", "text", "words"),
    [
        (None, "en", "it's l's don't", ["it", "'s", "l", "'s", "do", "n't"]),
        (None, "de", "it's don't", ["it", "s", "don", "t"]),
        (None, "fr", "L’homme qu'il n'est pas", ["L'", "homme", "qu'", "il", "n'", "est", "pas"]),
        (None, "fr", "Aujourd'hui, rock'n'roll", ["aujourd'hui", ",", "rock", "n", "roll"]),
        (None, "fr", "l'1", ["l", "1"]),
        ("moses", "en", "l'homme", ["l", "'homme"]),
        ("moses", "fr", "l'homme", ["l'", "homme"]),
    ],
)
def test_clitics_are_split_by_the_rules_of_the_language(french, tokenizer, language, text, words):
    if tokenizer == "moses":
        pytest.importorskip("sacremoses")
    model = fuzzbow.load(french, language=language, tokenizer=tokenizer)
    assert model.tokenizer.words(text) == words


def test_frequencies_are_those_given_or_stored_then_of_the_language_then_the_rank(french, listed):
    def probabilities(vectors=french, **options):
        return fuzzbow.load(vectors, **options).space.probabilities

    by_rank, own = probabilities(), probabilities(language="fr")
    assert probabilities(counts="wordfreq")[0] < 1e-6 < by_rank[0] < own[0]
    assert own[0] == pytest.approx(0.5, rel=0.01)
    for options in ({"counts": "wordfreq"}, {"counts": "collection"}):
        np.testing.assert_array_equal(probabilities(language="fr", **options), own)
    for options in ({"language": "fr", "counts": "rank"}, {"language": "th"}):
        np.testing.assert_array_equal(probabilities(**options), by_rank)
    counts = np.arange(len(WORDS), 0, -1)
    stored = fuzzbow.WordVectors.from_words(WORDS, french.matrix, counts=counts)
    np.testing.assert_allclose(probabilities(stored, language="fr"), counts / counts.sum())
    with pytest.raises(fuzzbow.InputError, match="one of en, fr; got language 'th'"):
        probabilities(language="th", counts="wordfreq")
    with pytest.raises(fuzzbow.InputError, match=r"language must be one of ar, .*zh; got 'xx'"):
        probabilities(language="xx")


def test_the_languages_with_frequencies_are_those_of_the_package():
    wordfreq = pytest.importorskip("wordfreq")
    ours = {code for code, language in LANGUAGES.items() if language.frequencies}
    assert ours == set(wordfreq.available_languages("best"))


def test_an_index_opens_in_its_language_and_refuses_another(tmp_path):
    pytest.importorskip("lance")
    texts = ["le chat n'est pas l's", "it's a dog"]
    fuzzbow.load(measure="letters-jaccard", language="fr").index(texts).save(tmp_path / "index")
    found = fuzzbow.open_index(tmp_path / "index")
    assert found.model.spec.language == "fr"
    assert found.search(texts[0], k=1)[0].score == pytest.approx(1.0)
    other = fuzzbow.load(measure="letters-jaccard", language="de")
    with pytest.raises(fuzzbow.InputError, match=r"needs words \(fr\), the model has words \(de\)"):
        fuzzbow.open_index(tmp_path / "index", other)


def test_words_of_a_script_without_spaces_are_found_in_the_vectors_and_explained():
    words = ["今天", "天气", "天气预报", "好"]
    vectors = fuzzbow.WordVectors.from_words(words, np.eye(4))
    model = fuzzbow.load(vectors, measure="dynamax-jaccard", language="zh")
    assert model.tokenizer.words("今天天气预报很好") == ["今天", "天气预报", "很", "好"]
    assert model.coverage(["今天天气预报很好"]) == pytest.approx(3 / 4)
    assert fuzzbow.load(vectors, tokenizer="unsegmented").coverage(["今天天气"]) == 0.0
    left = model.explain("今天天气!", "天气").to_dict()["left"]
    found = [(word["word"], word["start"]) for word in left["words"]]
    assert found[:2] == [("今天", 0), ("天气", 2)]


@pytest.mark.parametrize(
    ("purpose", "measure"),
    [
        ("sentences", "letters-otsuka"),
        ("answers", "letters-coverage"),
        ("passages", "fuzzy-bm25"),
        ("records", "records-otsuka"),
    ],
)
def test_another_language_without_vectors_is_compared_by_letters(purpose, measure):
    spec = fuzzbow.load(language="de", purpose=purpose).spec
    assert spec.measure == measure
    assert fuzzbow.load(language="en", purpose=purpose).spec == fuzzbow.load(purpose=purpose).spec


def test_what_is_given_beside_a_language_wins(french, listed):
    assert fuzzbow.load(french, language="fr").spec.measure == "weighted-jaccard"
    assert fuzzbow.load(language="fr", measure="dynamax-jaccard").spec.counts is None
    assert fuzzbow.load(language="fr", counts="rank").spec.counts == "rank"


def test_texts_of_another_language_weigh_words_where_there_are_several(listed):
    model, texts = fuzzbow.load(language="fr"), ["le chat dort", "un chat joue", "le lit"]
    rare, frequent = model.pairs(["le chat"] * 2, ["un chat", "le lit"])
    assert rare > 0.8 > 0.1 > frequent
    fitted = model.fit(texts)
    np.testing.assert_array_equal(model.matrix(texts), fitted.matrix(texts))
    score = model.index(texts).search("le chat", k=3)[0].score
    assert score == pytest.approx(fitted.matrix(["le chat"], texts).max(), abs=1e-6)


def test_an_index_by_another_list_of_frequencies_is_refused(tmp_path, listed):
    pytest.importorskip("lance")
    fuzzbow.load(language="fr").index(["le chat dort"]).save(tmp_path / "index")
    assert fuzzbow.open_index(tmp_path / "index").model.spec.measure == "letters-otsuka"
    listed["fr"]["lit"] = 0.1
    with pytest.raises(fuzzbow.InputError, match="frequencies"):
        fuzzbow.open_index(tmp_path / "index")


def test_counts_of_another_language_need_no_word_of_the_vocabulary():
    model = fuzzbow.load(language="ru", counts={"кот": 1.0, "и": 99.0})
    assert model.similarity("кот и", "кот") > 0.9


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
    "memberships": lambda model, texts: model.with_measure("max-jaccard").encode(texts),
}


def warnings_of(call) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LanguageWarning)
        call()
    return caught


@pytest.mark.parametrize("name", CALLS)
def test_a_batch_of_another_language_warns_once_where_it_was_called(model, name):
    (warning,) = warnings_of(lambda: CALLS[name](model, RUSSIAN))
    assert warning.category is LanguageWarning
    assert str(warning.message).startswith("only 0% of the words have a vector in default; if")
    assert warning.filename == __file__


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("texts", [ENGLISH, [], [""], ["", " "], [*RUSSIAN[:1], *ENGLISH]])
def test_a_batch_whose_words_are_known_or_that_has_none_does_not(model, name, texts):
    assert warnings_of(lambda: CALLS[name](model, texts)) == []


@pytest.mark.parametrize("name", list(CALLS)[:-1])
def test_a_measure_of_letters_needs_no_vectors(name):
    model = fuzzbow.load(measure="letters-jaccard")
    assert warnings_of(lambda: CALLS[name](model, RUSSIAN)) == []


@pytest.mark.parametrize(("known", "warned"), [(1, True), (2, True), (3, False)])
def test_a_third_of_the_words_is_enough(model, known, warned):
    words = ["cat"] * known + [f"qzx{chr(97 + n)}qzx" for n in range(8 - known)]
    text = " ".join(words)
    share = model.coverage([text])
    assert bool(warnings_of(lambda: model.pairs([text], [text]))) is (share < 1 / 3) is warned


def test_one_pair_is_too_little_to_warn_of(model):
    assert warnings_of(lambda: model.similarity(*RUSSIAN[:2])) == []
    assert warnings_of(lambda: model.explain(*RUSSIAN[:2])) == []


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
        assert len(warnings_of(lambda model=model: model.pairs(RUSSIAN, RUSSIAN))) == count


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
    monkeypatch.setattr("fuzzbow.io.text.BLOCK_BYTES", 100)
    rows = [f"{text} {number}" for number in range(3) for text in RUSSIAN]
    (tmp_path / "t.csv").write_text("text\n" + "\n".join(rows) + "\n", "utf-8")
    done = invoked(*command.split())
    assert done.stderr.count("of the words have a vector in default") == 1
    assert done.stderr.count("vectors for it: --language CODE, --vectors FILE") == 1
