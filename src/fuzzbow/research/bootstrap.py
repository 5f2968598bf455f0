"""Correlations, and the paired bootstrap of differences between systems (BCa, Efron 1987).

The paper's Appendix D: Δ = r_A - r_B on the same pairs, a 95 % BCa interval from 10,000 paired
resamples; if 0 is inside the interval, the difference is not significant. A mean of such
differences over data sets is resampled in each of them independently.

A resample is a row of counts, and a correlation of standardised columns a mean of products: the
correlations of all systems in all resamples are a few matrix products. All numbers are times 100.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Floats, Integers
from fuzzbow.errors import MissingExtraError, check_count

SCALE = 100.0  # correlations are given as 58.2, not 0.582
RESAMPLES = 10_000
FEWEST_RESAMPLES = 100
LEVEL = 0.95
NOISE = 1e-9  # points by which rounding alone makes two systems differ
COUNTS_HELD = 4_000_000  # numbers of a block of the count matrix: 32 MB
CONSTANT = 1e-12  # spread, against the size of the values, below which a column is constant


def check_resamples(resamples: int) -> int:
    """Check that a number of resamples is large enough, and return it."""
    return check_count(resamples, "resamples", least=FEWEST_RESAMPLES)


def pearson(scores: Floats, gold: Floats) -> float | None:
    """Compute Pearson correlation times 100, (n,), (n,) -> float; None if one side is constant."""
    a, h = standardised(scores), standardised(gold)
    if a is None or h is None:
        return None
    return float(np.clip(np.mean(a * h), -1.0, 1.0)) * SCALE


def spearman(scores: Floats, gold: Floats) -> float | None:
    """Compute Spearman correlation times 100: Pearson of the ranks, with equal ranks for ties."""
    return pearson(ranks(scores), ranks(gold))


def ranks(values: Floats) -> Floats:
    """Rank values from 1, equal values by their mean rank: (n,) -> (n,)."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2.0)[inverse])


def standardised(values: Floats) -> Floats | None:
    """Scale to mean 0 and variance 1, (n,) -> (n,); return None for a constant column."""
    centred = values - values.mean()
    spread = float(np.sqrt(np.mean(centred**2)))
    if not spread > CONSTANT * max(float(np.abs(values).max()), np.finfo(np.float64).tiny):
        return None
    return np.asarray(centred / spread)


@dataclass(frozen=True)
class Bootstrap:
    """A metric of s systems on the same n pairs or queries, times 100; NaN where undefined."""

    observed: Floats  # (s,)
    resampled: Floats  # (r, s)
    jackknife: Floats  # (n, s)


Statistic = Callable[[Floats], Floats]  # of counts of each pair: (r, n) -> (r, s)


def _bootstrap(
    observed: Floats,
    statistic: Statistic,
    jackknife: Floats,
    resamples: int,
    seed: int | Sequence[int],
) -> Bootstrap:
    drawn = [statistic(counts) for counts in resample_counts(len(jackknife), resamples, seed)]
    return Bootstrap(observed, SCALE * np.concatenate(drawn), SCALE * jackknife)


@np.errstate(invalid="ignore", divide="ignore")
def bootstrap_correlations(
    gold: Floats, scores: Floats, *, resamples: int = RESAMPLES, seed: int | Sequence[int] = 0
) -> Bootstrap:
    """Bootstrap Pearson correlations of many systems on the same resamples: (n,), (n, s)."""
    missing = np.full(len(gold), np.nan)
    h, *columns = (
        missing if column is None else column
        for column in (standardised(values) for values in (gold, *scores.T))
    )
    a, size, left = np.column_stack(columns), len(gold), max(len(gold) - 1, 1)
    moments = (h[:, None], (h * h)[:, None], a, a * a, h[:, None] * a)
    return _bootstrap(
        SCALE * np.mean(h[:, None] * a, axis=0),
        lambda counts: _correlation(*(counts @ part / size for part in moments)),
        _correlation(*((part.sum(axis=0) - part) / left for part in moments)),
        resamples,
        seed,
    )


def _correlation(
    mean_h: Floats, square_h: Floats, mean_a: Floats, square_a: Floats, product: Floats
) -> Floats:
    """Compute Pearson correlations from moments; NaN where a variance is 0."""
    variance_h, variance_a = square_h - mean_h**2, square_a - mean_a**2
    variances = np.where((variance_h > CONSTANT) & (variance_a > CONSTANT), variance_h, np.nan)
    return np.asarray((product - mean_h * mean_a) / np.sqrt(variances * variance_a))


def resample_counts(size: int, resamples: int, seed: int | Sequence[int]) -> Iterator[Floats]:
    """Draw resamples of `size` pairs as counts of each pair, in blocks: (block, size)."""
    random = np.random.default_rng(seed)
    block = max(COUNTS_HELD // size, 1)
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        drawn: NDArray[np.int64] = random.integers(0, size, size=(rows, size))
        drawn += np.arange(rows)[:, None] * size
        flat = np.bincount(drawn.ravel(), minlength=rows * size)
        yield flat.reshape(rows, size).astype(np.float64)


@np.errstate(invalid="ignore", divide="ignore")
def bootstrap_means(values: Floats, *, resamples: int, seed: Sequence[int]) -> Bootstrap:
    """Bootstrap the mean over queries of many columns on the same resamples: (n, s)."""
    size, total = len(values), values.sum(axis=0)
    left_out = (total - values) / (size - 1) if size > 1 else np.full_like(values, np.nan)
    return _bootstrap(
        SCALE * total / size, lambda counts: counts @ values / size, left_out, resamples, seed
    )


@np.errstate(invalid="ignore", divide="ignore")
def bootstrap_precision(
    labels: Floats, orders: Sequence[Integers], *, resamples: int, seed: Sequence[int]
) -> Bootstrap:
    """Bootstrap average precision for pairs ranked by s systems: (n,), s × (n,).

    A pair that is drawn twice counts as two pairs of one rank, after which precision is taken.
    """
    return _bootstrap(
        SCALE * weighted_precision(np.ones((1, len(labels))), labels, orders)[0],
        lambda counts: weighted_precision(counts, labels, orders),
        np.column_stack([_without_each(labels, order) for order in orders]),
        resamples,
        seed,
    )


def weighted_precision(counts: Floats, labels: Floats, orders: Sequence[Integers]) -> Floats:
    """Compute average precision with `counts` of each pair: (r, n), (n,), s × (n,) -> (r, s)."""
    columns = []
    for order in orders:
        taken = counts[:, order]
        matches = taken * labels[order]
        hits = np.cumsum(matches, axis=1)
        precision = hits / np.maximum(np.cumsum(taken, axis=1), 1.0)
        columns.append((matches * precision).sum(axis=1) / hits[:, -1])
    return np.column_stack(columns)


def _without_each(labels: Floats, order: Integers) -> Floats:
    """Compute average precision without each pair in turn: (n,), (n,) -> (n,).

    Without the pair at rank r, pairs before it keep their precision; after it there is one pair
    less, and one match less if it was one.
    """
    hits = labels[order]
    rank = np.arange(1, len(order) + 1)
    found = np.cumsum(hits)
    before = np.cumsum(hits * found / rank) - hits * found / rank
    earlier = np.maximum(rank - 1, 1)
    matches, shares = (
        np.cumsum(part[::-1])[::-1] - part for part in (hits * found / earlier, hits / earlier)
    )
    values = np.empty(len(order))
    values[order] = (before + matches - hits * shares) / (found[-1] - hits)
    return values


Decision = Literal["better", "worse", "not significant", "undefined"]  # on the first system


@dataclass(frozen=True)
class Difference:
    """Δ with its interval, in points; all None where a value is undefined."""

    delta: float | None = None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    decision: Decision = "undefined"


def difference(
    samples: Sequence[Bootstrap], a: int, b: int, weights: Sequence[float] = (1.0,)
) -> Difference:
    """Bootstrap the difference of system `a` less system `b`, weighted over data sets."""
    observed = np.array([sample.observed[a] - sample.observed[b] for sample in samples])
    if not np.isfinite(observed).all():
        return Difference()
    factors = np.asarray(weights, dtype=np.float64)
    resampled, jackknives = (
        [
            factor * (values[:, a] - values[:, b])
            for factor, values in zip(factors, parts, strict=True)
        ]
        for parts in ([s.resampled for s in samples], [s.jackknife for s in samples])
    )
    total = np.append(factors @ observed, np.asarray(sum(resampled)))
    total = np.where(np.abs(total) < NOISE, 0.0, total)
    return bca(float(total[0]), total[1:], jackknives)


def bca(observed: float, resampled: Floats, jackknives: Sequence[Floats]) -> Difference:
    """Compute the BCa interval and two-sided p-value: float, (r,), one (n_k,) per sample.

    Resamples in which a correlation is undefined (tiny data) are left out.
    """
    resampled = resampled[np.isfinite(resampled)]
    # the acceleration is the skewness of the influence of single pairs, over all samples
    cubes = squares = 0.0
    for values in jackknives:
        size = len(values)
        influence = (size - 1) * (values.mean() - values)
        cubes += float((influence**3).sum()) / size**3
        squares += float((influence**2).sum()) / size**2
    acceleration = cubes / (6.0 * squares**1.5) if squares != 0.0 else 0.0
    if len(resampled) < 2 or not np.isfinite(acceleration):
        return Difference()
    if np.ptp(resampled) == 0.0 and resampled[0] == observed:  # the two systems are one
        low = high = observed
        p_value = 1.0
    else:
        try:
            from scipy.special import ndtr, ndtri
        except ImportError as error:
            raise MissingExtraError("scipy", "sts") from error
        bias = float(ndtri(_share(resampled, observed)))
        tail = (1.0 - LEVEL) / 2.0
        shifted = bias + np.array([ndtri(tail), -ndtri(tail)])
        levels = ndtr(bias + shifted / (1.0 - acceleration * shifted))
        low, high = np.quantile(resampled, levels).tolist()
        # the p-value is the level at which the interval's end would reach 0
        beyond = float(ndtri(_share(resampled, 0.0))) - bias
        reached = float(ndtr(beyond / (1.0 + acceleration * beyond) - bias))
        p_value = min(2.0 * min(reached, 1.0 - reached), 1.0)
    if low > 0.0:
        decision: Decision = "better"
    else:
        decision = "worse" if high < 0.0 else "not significant"
    return Difference(observed, low, high, p_value, decision)


def _share(resampled: Floats, value: float) -> float:
    """Compute the share of resamples below a value, with ties counted by half, never 0 or 1."""
    below = np.mean(resampled < value) + np.mean(resampled <= value)
    edge = 0.5 / (len(resampled) + 1)
    return float(np.clip(below / 2.0, edge, 1.0 - edge))


def holm(p_values: Sequence[float]) -> NDArray[np.float64]:
    """Compute Holm's adjusted p-values, which bound the family-wise error rate: (m,) -> (m,)."""
    values = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    scaled = values[order] * np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(scaled), 1.0) if len(values) else scaled
    return adjusted


def holm_decisions(found: Sequence[Difference]) -> list[Decision]:
    """Decide after Holm's correction over all comparisons that are defined."""
    adjusted = iter(holm([item.p_value for item in found if item.p_value is not None]))
    decisions: list[Decision] = []
    for item in found:
        if item.p_value is None or item.delta is None:
            decisions.append("undefined")
        elif next(adjusted) >= 1.0 - LEVEL:
            decisions.append("not significant")
        else:
            decisions.append("better" if item.delta > 0.0 else "worse")
    return decisions


def count_decisions(decisions: Iterable[Decision]) -> dict[str, int]:
    """Count decisions: better, worse, not_significant and undefined."""
    found = list(decisions)
    return {kind.replace(" ", "_"): found.count(kind) for kind in get_args(Decision)}
