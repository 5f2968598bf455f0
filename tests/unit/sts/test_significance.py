"""Correlations, the paired BCa bootstrap and Holm's correction, against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from fuzzbow.sts.correlation import (
    bootstrap_correlations,
    pearson,
    ranks,
    resample_counts,
    spearman,
)
from fuzzbow.sts.significance import (
    Decision,
    Difference,
    bca,
    count_decisions,
    difference,
    holm,
    holm_decisions,
    mean_difference,
)


@pytest.fixture(scope="module")
def triples():
    random = np.random.default_rng(11)
    gold = random.exponential(size=120)
    a = gold + random.standard_normal(120)
    b = gold + 1.6 * random.standard_normal(120)
    return gold, a, b


def delta(gold, a, b, axis=-1):
    return 100 * (_r(gold, a, axis) - _r(gold, b, axis))


def _r(x, y, axis):
    x, y = x - x.mean(axis, keepdims=True), y - y.mean(axis, keepdims=True)
    return (x * y).sum(axis) / np.sqrt((x**2).sum(axis) * (y**2).sum(axis))


def test_pearson_is_scipys(triples):
    gold, a, _ = triples
    assert pearson(a, gold) == pytest.approx(100 * stats.pearsonr(a, gold)[0], abs=1e-10)


def test_spearman_with_ties_is_scipys(triples):
    gold, a, _ = triples
    gold, a = gold.round(0), a.round(0)
    np.testing.assert_array_equal(ranks(gold), stats.rankdata(gold))
    assert spearman(a, gold) == pytest.approx(100 * stats.spearmanr(a, gold)[0], abs=1e-10)


def test_constant_scores_have_no_correlation(triples):
    assert pearson(np.full(120, 0.3), triples[0]) is None
    assert spearman(triples[0], np.zeros(120)) is None


def test_resamples_draw_as_many_pairs_as_there_are():
    counts = np.concatenate(list(resample_counts(50, 300, seed=1)))
    assert counts.shape == (300, 50)
    assert set(counts.sum(axis=1).tolist()) == {50.0}


def test_jackknife_is_the_correlation_without_each_pair(triples):
    gold, a, b = triples
    sample = bootstrap_correlations(gold, np.column_stack([a, b]), resamples=100)
    expected = [
        [pearson(np.delete(x, place), np.delete(gold, place)) for x in (a, b)]
        for place in range(len(gold))
    ]
    np.testing.assert_allclose(sample.jackknife, expected, atol=1e-9)


def test_interval_is_scipys_on_the_same_resamples(triples):
    gold, a, b = triples
    found = stats.bootstrap(
        (gold, a, b), delta, paired=True, vectorized=True, method="BCa", n_resamples=3000,
        rng=np.random.default_rng(2),
    )  # fmt: skip
    sample = bootstrap_correlations(gold, np.column_stack([a, b]), resamples=100)
    ours = bca(
        float(delta(gold, a, b)),
        found.bootstrap_distribution,
        [sample.jackknife[:, 0] - sample.jackknife[:, 1]],
    )
    interval = found.confidence_interval
    assert (ours.low, ours.high) == pytest.approx((interval.low, interval.high), abs=1e-9)


def test_interval_agrees_with_scipys_on_other_resamples(triples):
    gold, a, b = triples
    found = stats.bootstrap(
        (gold, a, b), delta, paired=True, vectorized=True, method="BCa", n_resamples=20_000,
        rng=np.random.default_rng(3),
    )  # fmt: skip
    sample = bootstrap_correlations(gold, np.column_stack([a, b]), resamples=20_000, seed=4)
    ours = difference(sample, 0, 1)
    interval = found.confidence_interval
    assert ours.delta == pytest.approx(float(delta(gold, a, b)), abs=1e-9)
    assert (ours.low, ours.high) == pytest.approx((interval.low, interval.high), abs=0.5)


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
    interval = found.confidence_interval
    assert (ours.low, ours.high) == pytest.approx((interval.low, interval.high), abs=1e-9)


def test_the_seed_decides(triples):
    gold, a, b = triples
    scores = np.column_stack([a, b])
    first, again, other = (
        difference(bootstrap_correlations(gold, scores, resamples=500, seed=seed), 0, 1)
        for seed in (1, 1, 2)
    )
    assert first == again != other


def test_p_value_and_interval_decide_alike(triples):
    gold, a, b = triples
    sample = bootstrap_correlations(gold, np.column_stack([a, b, gold]), resamples=5000)
    for pair in ((0, 1), (1, 0), (2, 0), (0, 2)):
        found = difference(sample, *pair)
        assert (found.p_value < 0.05) == (found.decision is not Decision.NOT_SIGNIFICANT)
    assert difference(sample, 2, 0).decision is Decision.BETTER
    assert difference(sample, 0, 2).decision is Decision.WORSE


def test_a_system_against_itself_is_not_significant(triples):
    gold, a, _ = triples
    found = difference(bootstrap_correlations(gold, np.column_stack([a, a]), resamples=200), 0, 1)
    assert (found.delta, found.p_value) == (0.0, 1.0)
    assert found.decision is Decision.NOT_SIGNIFICANT


def test_rounding_is_no_significant_difference(triples):
    gold, a, _ = triples
    scores = np.column_stack([a, a / 3.0 + 0.1])
    found = difference(bootstrap_correlations(gold, scores, resamples=500), 0, 1)
    assert (found.delta, found.decision) == (0.0, Decision.NOT_SIGNIFICANT)


def test_a_constant_system_is_undefined_not_nan(triples):
    gold, a, _ = triples
    scores = np.column_stack([a, np.ones(120)])
    found = difference(bootstrap_correlations(gold, scores, resamples=200), 0, 1)
    assert found == Difference(None, None, None, None, Decision.UNDEFINED)


def test_tiny_data_leave_out_resamples_without_a_correlation():
    gold, a = np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 2.0])
    sample = bootstrap_correlations(gold, np.column_stack([a, gold]), resamples=400)
    found = difference(sample, 0, 1)
    assert np.isnan(sample.resampled).any()
    assert found.low is None or np.isfinite(found.low)


def test_mean_difference_of_one_dataset_is_its_difference(triples):
    gold, a, b = triples
    sample = bootstrap_correlations(gold, np.column_stack([a, b]), resamples=500)
    assert (
        mean_difference([sample, sample], 0, 1, [1.0, 0.0]).delta == difference(sample, 0, 1).delta
    )


def test_holm_is_the_textbook_step_down():
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])
    assert len(holm([])) == 0


def test_holm_decisions_keep_what_is_undefined():
    strong = Difference(2.0, 1.0, 3.0, 0.001, Decision.BETTER)
    weak = Difference(-1.0, -2.0, -0.1, 0.04, Decision.WORSE)
    none = Difference(None, None, None, None, Decision.UNDEFINED)
    decisions = holm_decisions([weak, strong, none, weak])
    assert [decision.value for decision in decisions] == [
        "not significant", "better", "undefined", "not significant",
    ]  # fmt: skip
    counts = count_decisions(decisions)
    assert (counts.better, counts.worse, counts.not_significant, counts.undefined) == (1, 0, 2, 1)
