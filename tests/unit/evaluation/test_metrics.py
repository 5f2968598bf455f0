"""Metrics by hand on tiny cases, and against a second implementation on random ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzzbow.evaluation import metrics
from tests.unit.evaluation import naive

GRADES = st.sampled_from([-1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0])


def array(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float64)


def test_ndcg_of_graded_relevance_by_hand():
    # gains 3 at rank 1 and 1 at rank 3; ideal 3, 2, 1
    found = metrics.ndcg(array(3, 0, 1), array(1, 2, 3))
    assert found == pytest.approx((3 + 1 / 2) / (3 + 2 / math.log2(3) + 1 / 2))


def test_ndcg_looks_at_ten_and_its_ideal_too():
    grades = array(*[0] * 10, 1)
    assert metrics.ndcg(grades, array(1)) == 0.0
    assert metrics.ndcg(np.ones(12), np.ones(12)) == pytest.approx(1.0)


def test_a_negative_grade_is_no_gain():
    assert metrics.ndcg(array(-2, 1), array(1)) == pytest.approx(1 / math.log2(3))


def test_average_precision_by_hand():
    # relevant at ranks 1 and 3, a third one is not ranked at all
    assert metrics.average_precision(array(1, 0, 2), array(1, 2, 1)) == pytest.approx(
        (1 + 2 / 3) / 3
    )


def test_reciprocal_rank_by_hand():
    assert metrics.reciprocal_rank(array(0, 0, 1, 1)) == pytest.approx(1 / 3)
    assert metrics.reciprocal_rank(array(0, 0)) == 0.0


def test_recall_by_hand():
    assert metrics.recall(array(1, 0, 1, 1), np.ones(4), 3) == 0.5


def test_best_f1_by_hand():
    # at 0.8: one of one, F1 = 2/3; at 0.5: two of three, F1 = 4/5
    f1, threshold = metrics.best_f1(array(0.8, 0.6, 0.5, 0.1), array(1, 0, 1, 0))
    assert (f1, threshold) == (pytest.approx(0.8), 0.5)


def test_a_threshold_does_not_part_equal_scores():
    f1, threshold = metrics.best_f1(array(0.5, 0.5, 0.5, 0.5), array(1, 0, 0, 0))
    assert (f1, threshold) == (pytest.approx(0.4), 0.5)


@given(st.lists(GRADES, max_size=30), st.lists(st.sampled_from([1.0, 2.0]), max_size=3))
def test_rankings_agree_with_the_second_implementation(grades, unranked):
    relevant = [grade for grade in grades if grade > 0] + unranked
    if not relevant:
        return
    ranked, all_relevant = array(*grades), array(*relevant)
    assert metrics.ndcg(ranked, all_relevant) == pytest.approx(naive.ndcg(grades, relevant))
    assert metrics.average_precision(ranked, all_relevant) == pytest.approx(
        naive.average_precision(grades, relevant)
    )
    assert metrics.reciprocal_rank(ranked) == pytest.approx(naive.reciprocal_rank(grades))
    for k in (1, 5, 100):
        assert metrics.recall(ranked, all_relevant, k) == pytest.approx(
            naive.recall(grades, relevant, k)
        )


@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from([0.0, 1.0])), min_size=1, max_size=20))
def test_best_f1_agrees_with_the_second_implementation(rows):
    scores, labels = [float(score) for score, _ in rows], [label for _, label in rows]
    if any(labels):
        found, _ = metrics.best_f1(array(*scores), array(*labels))
        assert found == pytest.approx(naive.best_f1(scores, labels))
