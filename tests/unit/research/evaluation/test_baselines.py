"""The baselines against their formulas, and on texts without any term."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from fuzzbow.errors import MissingExtraError
from fuzzbow.research.evaluation.systems import BASELINES, bm25, tfidf

TEXTS = ["cats sleep sleep", "dogs bark", "planes land near dogs", ""]


def test_bm25_is_lucenes_formula_over_stems():
    found = bm25().over(TEXTS).matrix(["sleeping cats", "a dog", "xqzzy"])
    lengths, mean = [3, 2, 4, 0], 9 / 4

    def term(frequency: int, documents: int, text: int) -> float:
        idf = math.log(1 + (4 - documents + 0.5) / (documents + 0.5))
        return idf * frequency / (frequency + 1.5 * (0.25 + 0.75 * lengths[text] / mean))

    wanted = [
        [term(2, 1, 0) + term(1, 1, 0), 0, 0, 0],
        [0, term(1, 2, 1), term(1, 2, 2), 0],
        [0, 0, 0, 0],
    ]
    assert found == pytest.approx(np.array(wanted), abs=1e-5)


@pytest.mark.parametrize("name", BASELINES)
def test_pairs_are_cells_of_the_matrix(name):
    for system in BASELINES[name]():
        collection = system.over(TEXTS)
        queries = ["dogs bark", "cats", "dogs bark", ""]
        rights = [TEXTS[2], TEXTS[0], TEXTS[1], TEXTS[3]]
        matrix = collection.matrix(queries)
        assert collection.pairs(queries, rights) == pytest.approx(
            matrix[[0, 1, 2, 3], [2, 0, 1, 3]], abs=1e-9
        )


@pytest.mark.parametrize("name", BASELINES)
@pytest.mark.parametrize("texts", [["", "?"], ["", ""]])
def test_a_collection_without_a_term_scores_0(name, texts):
    for system in BASELINES[name]():
        collection = system.over(texts)
        if name != "char-tfidf" or not any(texts):
            assert not collection.matrix(["a cat", ""]).any()
            assert not collection.pairs(["a cat"], [texts[1]]).any()
        assert np.isfinite(collection.matrix(["a cat", ""])).all()


def test_tfidf_by_hand_and_by_parts_of_words():
    assert BASELINES["char-tfidf"]()[0].over(TEXTS).matrix(["dog"])[0].argmax() == 1
    texts = ["a cat", "the cat", "the dog"]
    scores = tfidf("tfidf", "word", (1, 1)).over(texts).pairs(["the cat"], ["the dog"])
    the, cat, dog = (math.log(4 / (1 + count)) + 1 for count in (2, 2, 1))
    assert scores == pytest.approx(the**2 / math.hypot(the, cat) / math.hypot(the, dog))


@pytest.mark.parametrize(("name", "module"), [("bm25", "bm25s"), ("tfidf", "sklearn")])
def test_what_is_not_installed_is_named(name, module, monkeypatch):
    for loaded in [key for key in sys.modules if key.split(".")[0] == module]:
        monkeypatch.setitem(sys.modules, loaded, None)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=r"fuzzbow\[eval\]"):
        BASELINES[name]()[0].over(TEXTS)


def test_without_a_stemmer_bm25_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "Stemmer", None)
    assert "not stemmed" in bm25().note
    assert bm25().over(TEXTS).matrix(["sleeping"]).max() == 0.0
