"""A lone surrogate is U+FFFD wherever a text comes in, so that all answers agree on it."""

from __future__ import annotations

import numpy as np
import pytest

import fuzzbow

LONE = "a lone \ud800 in a text"
WHOLE = "a lone \ufffd in a text"
OTHER = "a lonely \udfff text"


@pytest.fixture(scope="module", params=["weighted-jaccard", "dynamax-jaccard", "max-dice"])
def model(request) -> fuzzbow.Model:
    return fuzzbow.load("default", measure=request.param)


def test_search_and_matrix_agree(model):
    hits = model.index([LONE, OTHER]).search(OTHER, k=2)
    expected = model.matrix([OTHER], [LONE, OTHER])[0]
    assert hits.scores.tolist() == sorted(expected.tolist(), reverse=True)


@pytest.mark.parametrize("copies", [1, 100])  # by Python, and by the kernels
def test_every_score_is_that_of_the_whole_text(model, copies):
    expected = model.similarity(WHOLE, "in a text")
    assert model.similarity(LONE, "in a text") == expected
    assert model.pairs([LONE] * copies, ["in a text"] * copies).tolist() == [expected] * copies
    found = model.matrix([LONE], ["in a text", *(f"filler {n}" for n in range(copies))])
    assert found[0, 0] == expected
    assert model.explain(LONE, "in a text").score == pytest.approx(expected, abs=1e-6)


def test_texts_that_differ_in_a_lone_surrogate_are_equal(model):
    found = model.duplicates([LONE, "x", LONE.replace("\ud800", "\udc00"), WHOLE], threshold=0.9)
    exact = found.pairs.to_arrow().to_pylist()
    assert [(pair["left"], pair["right"], pair["exact"]) for pair in exact] == [
        (0, 2, True),
        (0, 3, True),
    ]
    assert found.texts[0] == WHOLE


def test_two_halves_of_a_character_are_that_character(model):
    assert model.similarity("\ud83d\ude00", "😀") == model.similarity("😀", "😀")
    assert model.index(["\ud83d\ude00"]).search("😀")[0].text == "😀"


def test_a_hit_and_an_explanation_show_the_whole_text(model):
    hits = model.index([LONE]).search(LONE)
    assert (hits.query, hits[0].text) == (WHOLE, WHOLE)
    assert model.explain(LONE, LONE).left.text == WHOLE


def test_strings_of_numpy_are_whole_too(model):
    assert model.matrix(np.array([LONE]), [WHOLE])[0, 0] == model.similarity(WHOLE, WHOLE)
