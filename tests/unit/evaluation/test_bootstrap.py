"""Resamples against plain code that draws and computes anew."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from fuzzbow.evaluation.bootstrap import bootstrap_means, bootstrap_precision, weighted_precision
from fuzzbow.sts.correlation import resample_counts
from fuzzbow.sts.significance import Decision, difference

RANDOM = np.random.default_rng(3)
LABELS = (RANDOM.random(60) < 0.3).astype(np.float64)
SCORES = [RANDOM.random(60) + weight * LABELS for weight in (0.0, 1.0)]
ORDERS = [np.argsort(-scores) for scores in SCORES]


def test_means_of_resampled_queries():
    values = RANDOM.random((15, 2))
    found = bootstrap_means(values, resamples=100, seed=[5])
    counts = next(iter(resample_counts(15, 100, [5])))
    drawn = np.repeat(np.arange(15), counts[7].astype(int))
    assert found.observed == pytest.approx(100 * values.mean(axis=0))
    assert found.resampled[7] == pytest.approx(100 * values[drawn].mean(axis=0))
    assert found.jackknife[4] == pytest.approx(100 * np.delete(values, 4, axis=0).mean(axis=0))


def test_one_query_has_no_interval():
    found = bootstrap_means(np.array([[0.5, 0.7]]), resamples=100, seed=[0])
    assert difference(found, 0, 1).decision is Decision.UNDEFINED


def test_weighted_precision_is_that_of_scikit_learn():
    counts = next(iter(resample_counts(60, 3, [1])))
    found = weighted_precision(counts, LABELS, ORDERS)
    for row, weights in enumerate(counts):
        for column, scores in enumerate(SCORES):
            wanted = average_precision_score(LABELS, scores, sample_weight=weights)
            assert found[row, column] == pytest.approx(wanted)


def test_precision_without_each_pair_is_that_of_the_others():
    found = bootstrap_precision(LABELS, ORDERS, resamples=100, seed=[0])
    for column, scores in enumerate(SCORES):
        assert found.observed[column] == pytest.approx(
            100 * average_precision_score(LABELS, scores)
        )
        for pair in range(len(LABELS)):
            rest = np.delete(LABELS, pair), np.delete(scores, pair)
            wanted = 100 * average_precision_score(*rest)
            assert found.jackknife[pair, column] == pytest.approx(wanted)


def test_a_system_that_knows_the_labels_is_better():
    found = bootstrap_precision(LABELS, ORDERS, resamples=500, seed=[0])
    assert difference(found, 1, 0).decision is Decision.BETTER


def test_the_only_match_has_no_precision_without_it():
    labels = np.array([0.0, 1.0, 0.0])
    found = bootstrap_precision(labels, [np.array([1, 0, 2])], resamples=100, seed=[0])
    assert np.isnan(found.jackknife[1, 0])
    assert np.isfinite(found.jackknife[[0, 2], 0]).all()
