"""Pearson and Spearman correlations, times 100 as in the literature, with their bootstrap.

Columns are standardised first. A correlation is then a mean of products, and a resample is
a row of counts: the correlations of all systems in all resamples are a few matrix products.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Floats

SCALE = 100.0  # correlations are given as 58.2, not 0.582
RESAMPLES = 10_000
COUNTS_HELD = 4_000_000  # numbers of the count matrix held at once: 32 MB
CONSTANT = 1e-12  # spread, against the size of the values, below which a column is constant


@dataclass(frozen=True)
class Bootstrap:
    """Correlations of s systems with one gold column, as observed, resampled and jackknifed.

    `observed` (s,), `resampled` (r, s), `jackknife` (n, s); NaN where a column is constant.
    """

    observed: Floats
    resampled: Floats
    jackknife: Floats


def pearson(scores: Floats, gold: Floats) -> float | None:
    """Pearson correlation times 100, (n,), (n,) -> float; None where one side is constant."""
    a, h = standardised(scores), standardised(gold)
    if a is None or h is None:
        return None
    return float(np.clip(np.mean(a * h), -1.0, 1.0)) * SCALE


def spearman(scores: Floats, gold: Floats) -> float | None:
    """Spearman correlation times 100: Pearson of the ranks, ties sharing theirs."""
    return pearson(ranks(scores), ranks(gold))


def ranks(values: Floats) -> Floats:
    """Ranks from 1, equal values share the mean of theirs: (n,) -> (n,)."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2.0)[place])


def standardised(values: Floats) -> Floats | None:
    """Mean 0 and variance 1, (n,) -> (n,); None for a constant column."""
    centred = values - values.mean()
    spread = float(np.sqrt(np.mean(centred**2)))
    if not spread > CONSTANT * max(float(np.abs(values).max()), np.finfo(np.float64).tiny):
        return None
    return np.asarray(centred / spread)


def bootstrap_correlations(
    gold: Floats, scores: Floats, *, resamples: int = RESAMPLES, seed: int | list[int] = 0
) -> Bootstrap:
    """Bootstrap of Pearson × 100 for many systems on the same pairs: (n,), (n, s).

    All systems see the same resamples, so their differences are paired.
    """
    columns = [standardised(column) for column in scores.T]
    missing = np.full(len(gold), np.nan)
    a = np.column_stack([missing if column is None else column for column in columns])
    h = standardised(gold)
    h = missing if h is None else h
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = np.mean(h[:, None] * a, axis=0)
        drawn = [_resampled(counts, h, a) for counts in resample_counts(len(gold), resamples, seed)]
        return Bootstrap(SCALE * observed, SCALE * np.concatenate(drawn), SCALE * _jackknife(h, a))


def resample_counts(size: int, resamples: int, seed: int | list[int]) -> Iterator[Floats]:
    """Draw resamples of `size` pairs as counts of each pair, in blocks: (block, size)."""
    random = np.random.default_rng(seed)
    block = max(COUNTS_HELD // size, 1)
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        drawn: NDArray[np.int64] = random.integers(0, size, size=(rows, size))
        drawn += np.arange(rows)[:, None] * size
        flat = np.bincount(drawn.ravel(), minlength=rows * size)
        yield flat.reshape(rows, size).astype(np.float64)


def _resampled(counts: Floats, h: Floats, a: Floats) -> Floats:
    """Correlations in each resample: (r, n), (n,), (n, s) -> (r, s)."""
    size = len(h)
    mean_h, square_h = (counts @ np.column_stack([h, h * h]) / size).T[:, :, None]
    mean_a, square_a, product = (counts @ part / size for part in (a, a * a, h[:, None] * a))
    return _correlation(mean_h, square_h, mean_a, square_a, product)


def _jackknife(h: Floats, a: Floats) -> Floats:
    """Correlations without each pair in turn: (n,), (n, s) -> (n, s)."""
    left = max(len(h) - 1, 1)
    h = h[:, None]
    parts = (h, h * h, a, a * a, h * a)
    return _correlation(*((part.sum(axis=0) - part) / left for part in parts))


def _correlation(
    mean_h: Floats, square_h: Floats, mean_a: Floats, square_a: Floats, product: Floats
) -> Floats:
    """Pearson correlation from moments; NaN where a variance vanishes."""
    variance_h, variance_a = square_h - mean_h**2, square_a - mean_a**2
    variances = np.where((variance_h > CONSTANT) & (variance_a > CONSTANT), variance_h, np.nan)
    return np.asarray((product - mean_h * mean_a) / np.sqrt(variances * variance_a))
