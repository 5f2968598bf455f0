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
    rows = fuzzbow.load(pets, measure=measure, engine="reference").memberships(TEXTS)
    universe = random_universe(pets.dimension, size=6, seed=3)
    for row, text in zip(rows, TEXTS, strict=True):
        known = pets.ids(text.split())
        words = pets.rows(known[known >= 0]).astype(np.float64)
        wanted = fuzzify(words, universe, pooling=measure.options.pooling)
        assert row == pytest.approx(wanted, abs=1e-5)


def test_no_texts_have_no_rows():
    model = fuzzbow.load(measure="max-jaccard")
    assert model.memberships([]).shape == (0, model.vectors.dimension)
    assert model.pairs([], []).shape == (0,)


def test_a_measure_over_the_words_of_both_texts_has_no_rows(pets):
    with pytest.raises(fuzzbow.InputError, match=r"weighted-jaccard cannot .* these can: .*max-\*"):
        fuzzbow.load(pets).memberships(TEXTS)


def test_elements_of_a_given_universe_are_numbered(pets):
    model = fuzzbow.load(pets, measure=compose(universe=np.eye(4)[:2]))
    assert model.measure.element_names() == ["element 0", "element 1"]


@pytest.mark.parametrize("universe", ["k-means", "principal-axes", "random", np.eye(4)[:3]])
def test_a_composed_model_can_be_pickled(pets, universe):
    model = fuzzbow.load(pets, measure=compose(universe=universe, size=3))
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert again.memberships(TEXTS).tolist() == model.memberships(TEXTS).tolist()


def test_a_copy_of_a_model_is_the_model_also_when_it_is_fitted():
    model = fuzzbow.load("default", counts="collection").fit(["a cat", "a dog"])
    assert copy.deepcopy([model])[0] is model
