"""Rows of texts over a fixed universe, and copies of the models that make them."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import fuzzbow
from fuzzbow.fuzzy import fuzzify, random_universe
from fuzzbow.measures import compose

TEXTS = ["a cat", "she had a dog", "", "zzz", "a cat", "a plane flew"]


@pytest.mark.parametrize("pooling", ["max", "avg", "sum", "min"])
def test_a_row_is_the_membership_of_every_element(pets, pooling):
    measure = compose(universe="random", size=6, seed=3, pooling=pooling)
    rows = fuzzbow.load(pets, measure=measure, engine="reference").encode(TEXTS)
    universe = random_universe(pets.dimension, size=6, seed=3)
    for row, text in zip(rows, TEXTS, strict=True):
        known = pets.ids(text.split())
        words = pets.rows(known[known >= 0]).astype(np.float64)
        wanted = fuzzify(words, universe, pooling=measure.options.pooling)
        assert row == pytest.approx(wanted, abs=1e-5)


def test_no_texts_have_no_rows():
    model = fuzzbow.load(measure="max-jaccard")
    assert model.encode([]).shape == (0, model.vectors.dimension)
    assert model.pairs([], []).shape == (0,)


def test_elements_of_a_given_universe_are_numbered(pets):
    model = fuzzbow.load(pets, measure=compose(universe=np.eye(4)[:2]))
    assert model.measure.element_names() == ["element 0", "element 1"]


@pytest.mark.parametrize("universe", ["k-means", "principal-axes", "random", np.eye(4)[:3]])
def test_a_composed_model_can_be_pickled(pets, universe):
    model = fuzzbow.load(pets, measure=compose(universe=universe, size=3))
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert again.encode(TEXTS).tolist() == model.encode(TEXTS).tolist()


def test_a_copy_of_a_model_is_the_model_also_when_it_is_fitted():
    model = fuzzbow.load("default", counts="collection").fit(["a cat", "a dog"])
    assert copy.deepcopy([model])[0] is model


def test_a_model_without_rows_encodes_by_the_mean_of_its_words():
    rows = fuzzbow.load().encode(TEXTS)
    assert rows.dtype == np.float32
    np.testing.assert_array_equal(rows, fuzzbow.load(measure="avg-cosine").encode(TEXTS))
    assert not rows[2].any()


@pytest.mark.parametrize("purpose", ["sentences", "passages", "answers", "records"])
def test_every_purpose_encodes(purpose):
    model = fuzzbow.load(purpose=purpose)
    assert model.encode(["a cat", ""]).shape == (2, model.vectors.dimension)


def test_the_cosine_of_rows_is_near_to_the_score():
    lefts = ["a cat sat on a mat", "stocks fell", "the boy ran home", "a dog barked"]
    rights = ["a kitten on a rug", "shares dropped", "prices rose in May", "a dog barked"]
    model = fuzzbow.load()
    a, b = model.encode(lefts), model.encode(rights)
    cosines = (a * b).sum(axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    assert np.argsort(cosines).tolist() == np.argsort(model.pairs(lefts, rights)).tolist()


def test_a_model_is_shown_in_one_line():
    assert repr(fuzzbow.load()) == (
        "Model('weighted-jaccard', vectors='default' (96000 × 128), tokenizer='words')"
    )
