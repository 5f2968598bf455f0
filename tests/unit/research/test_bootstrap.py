"""Correlations, paired BCa intervals and Holm's correction, against scipy and plain code."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score

from fuzzbow.research.bootstrap import (
    Difference,
    bca,
    bootstrap_correlations,
    bootstrap_means,
    bootstrap_precision,
    count_decisions,
    difference,
    holm,
    holm_decisions,
    pearson,
    ranks,
    resample_counts,
    spearman,
    weighted_precision,
)

RANDOM = np.random.default_rng(11)
GOLD = RANDOM.exponential(size=120)
A = GOLD + RANDOM.standard_normal(120)
B = GOLD + 1.6 * RANDOM.standard_normal(120)
LABELS = (RANDOM.random(60) < 0.3).astype(np.float64)
SCORES = [RANDOM.random(60) + weight * LABELS for weight in (0.0, 1.0)]
ORDERS = [np.argsort(-scores) for scores in SCORES]


def drawn(*columns, resamples=500, seed=0):
    return bootstrap_correlations(GOLD, np.column_stack(columns), resamples=resamples, seed=seed)


def delta(gold, a, b, axis=-1):
    return 100 * (_r(gold, a, axis) - _r(gold, b, axis))


def _r(x, y, axis):
    x, y = x - x.mean(axis, keepdims=True), y - y.mean(axis, keepdims=True)
    return (x * y).sum(axis) / np.sqrt((x**2).sum(axis) * (y**2).sum(axis))


def by_scipy(resamples, seed):
    return stats.bootstrap(
        (GOLD, A, B), delta, paired=True, vectorized=True, method="BCa", n_resamples=resamples,
        rng=np.random.default_rng(seed),
    )  # fmt: skip


def test_correlations_are_scipys_with_and_without_ties():
    assert pearson(A, GOLD) == pytest.approx(100 * stats.pearsonr(A, GOLD)[0], abs=1e-10)
    gold, a = GOLD.round(0), A.round(0)
    np.testing.assert_array_equal(ranks(gold), stats.rankdata(gold))
    assert spearman(a, gold) == pytest.approx(100 * stats.spearmanr(a, gold)[0], abs=1e-10)


def test_constant_scores_are_undefined_not_nan():
    assert pearson(np.full(120, 0.3), GOLD) is None
    assert spearman(GOLD, np.zeros(120)) is None
    assert difference([drawn(A, np.ones(120))], 0, 1) == Difference()


def test_resamples_draw_as_many_pairs_as_there_are():
    counts = np.concatenate(list(resample_counts(50, 300, seed=1)))
    assert counts.shape == (300, 50)
    assert set(counts.sum(axis=1).tolist()) == {50.0}


def test_jackknife_is_the_correlation_without_each_pair():
    expected = [
        [pearson(np.delete(x, pair), np.delete(GOLD, pair)) for x in (A, B)] for pair in range(120)
    ]
    np.testing.assert_allclose(drawn(A, B).jackknife, expected, atol=1e-9)


def test_interval_is_scipys_on_the_same_resamples_and_near_on_others():
    found, sample = by_scipy(3000, 2), drawn(A, B, resamples=20_000, seed=4)
    jackknife = [sample.jackknife[:, 0] - sample.jackknife[:, 1]]
    ours = bca(float(delta(GOLD, A, B)), found.bootstrap_distribution, jackknife)
    theirs = found.confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)
    own, other = difference([sample], 0, 1), by_scipy(20_000, 3).confidence_interval
    assert own.delta == pytest.approx(float(delta(GOLD, A, B)), abs=1e-9)
    assert (own.low, own.high) == pytest.approx((other.low, other.high), abs=0.5)


def test_several_samples_are_scipys_unpaired_acceleration():
    random = np.random.default_rng(0)
    x, y = random.exponential(size=40), random.exponential(size=60)

    def statistic(x, y, axis=-1):
        return 0.3 * x.mean(axis) + 0.7 * y.mean(axis)

    found = stats.bootstrap((x, y), statistic, method="BCa", n_resamples=2000, rng=random)
    jackknives = [
        weight * (values.sum() - values) / (len(values) - 1)
        for weight, values in ((0.3, x), (0.7, y))
    ]
    ours = bca(float(statistic(x, y)), found.bootstrap_distribution, jackknives)
    theirs = found.confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_the_seed_decides():
    first, again, other = (difference([drawn(A, B, seed=seed)], 0, 1) for seed in (1, 1, 2))
    assert first == again != other


def test_p_value_and_interval_decide_alike():
    sample = drawn(A, B, GOLD, resamples=5000)
    for pair in ((0, 1), (1, 0), (2, 0), (0, 2)):
        found = difference([sample], *pair)
        assert (found.p_value < 0.05) == (found.decision != "not significant")
    assert difference([sample], 2, 0).decision == "better"
    assert difference([sample], 0, 2).decision == "worse"


@pytest.mark.parametrize("other", [A, A / 3.0 + 0.1], ids=["itself", "but for rounding"])
def test_a_system_against_itself_is_not_significant(other):
    found = difference([drawn(A, other)], 0, 1)
    assert (found.delta, found.p_value) == (0.0, 1.0)
    assert found.decision == "not significant"


def test_tiny_data_leave_out_resamples_without_a_correlation():
    gold, a = np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 2.0])
    sample = bootstrap_correlations(gold, np.column_stack([a, gold]), resamples=400)
    found = difference([sample], 0, 1)
    assert np.isnan(sample.resampled).any()
    assert found.low is None or np.isfinite(found.low)


def test_mean_difference_of_one_dataset_is_its_difference():
    sample = drawn(A, B)
    mean = difference([sample, sample], 0, 1, [1.0, 0.0])
    assert mean.delta == difference([sample], 0, 1).delta


def test_holm_is_the_textbook_step_down_and_keeps_undefined_comparisons():
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])
    assert len(holm([])) == 0
    strong = Difference(2.0, 1.0, 3.0, 0.001, "better")
    weak = Difference(-1.0, -2.0, -0.1, 0.04, "worse")
    decisions = holm_decisions([weak, strong, Difference(), weak])
    assert decisions == [
        "not significant", "better", "undefined", "not significant",
    ]  # fmt: skip
    assert count_decisions(decisions) == {
        "better": 1, "worse": 0, "not_significant": 2, "undefined": 1,
    }  # fmt: skip


def test_means_of_resampled_queries():
    values = RANDOM.random((15, 2))
    found = bootstrap_means(values, resamples=100, seed=[5])
    counts = next(iter(resample_counts(15, 100, [5])))
    rows = np.repeat(np.arange(15), counts[7].astype(int))
    assert found.observed == pytest.approx(100 * values.mean(axis=0))
    assert found.resampled[7] == pytest.approx(100 * values[rows].mean(axis=0))
    assert found.jackknife[4] == pytest.approx(100 * np.delete(values, 4, axis=0).mean(axis=0))
    alone = bootstrap_means(np.array([[0.5, 0.7]]), resamples=100, seed=[0])
    assert difference([alone], 0, 1).decision == "undefined"  # one query has no interval


def test_weighted_precision_is_that_of_scikit_learn():
    counts = next(iter(resample_counts(60, 3, [1])))
    found = weighted_precision(counts, LABELS, ORDERS)
    for row, weights in enumerate(counts):
        for column, scores in enumerate(SCORES):
            wanted = average_precision_score(LABELS, scores, sample_weight=weights)
            assert found[row, column] == pytest.approx(wanted)


def test_precision_without_each_pair_is_that_of_the_others():
    found = bootstrap_precision(LABELS, ORDERS, resamples=500, seed=[0])
    for column, scores in enumerate(SCORES):
        wanted = 100 * average_precision_score(LABELS, scores)
        assert found.observed[column] == pytest.approx(wanted)
        for pair in range(len(LABELS)):
            rest = np.delete(LABELS, pair), np.delete(scores, pair)
            wanted = 100 * average_precision_score(*rest)
            assert found.jackknife[pair, column] == pytest.approx(wanted)
    assert difference([found], 1, 0).decision == "better"  # it knows the labels


def test_the_only_match_has_no_precision_without_it():
    labels = np.array([0.0, 1.0, 0.0])
    found = bootstrap_precision(labels, [np.array([1, 0, 2])], resamples=100, seed=[0])
    assert np.isnan(found.jackknife[1, 0])
    assert np.isfinite(found.jackknife[[0, 2], 0]).all()
