"""Equal scores are in the order of a seeded hash."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fuzzbow.evaluation.ties import best_places, occurrences, ranked, tie_keys


def test_keys_belong_to_ids_not_to_places():
    keys = dict(zip("abc", tie_keys("abc").tolist(), strict=True))
    assert dict(zip("cab", tie_keys("cab").tolist(), strict=True)) == keys


def test_another_seed_is_another_order():
    ids = [str(number) for number in range(20)]
    orders = {tuple(np.argsort(tie_keys(ids, seed=seed)).tolist()) for seed in range(5)}
    assert len(orders) == 5


def test_the_hash_does_not_change_between_versions():
    # published results depend on it
    assert tie_keys(["d0"]).tolist() == [219923687571642822]


def test_scores_that_differ_by_rounding_alone_are_equal():
    scores = np.array([0.3, 0.1 + 0.2, 0.5])
    assert ranked(scores, np.array([1, 0, 2])).tolist() == [2, 1, 0]


def test_copies_of_one_text_are_told_apart():
    assert len(set(occurrences([("a", "b"), ("a", "b"), ("b", "a")]))) == 3


def test_any_text_has_a_key():
    assert len(tie_keys(["", "\ud800", "💡"])) == 3
    assert len(tie_keys([])) == 0


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30), st.integers(1, 35))
def test_the_best_are_the_first_of_all(scores, depth):
    values = np.array(scores, dtype=np.float64)
    whole = ranked(values, np.arange(len(values)))
    assert best_places(values, depth).tolist() == whole[:depth].tolist()
