"""Bootstrap of differences between systems: resamples of queries, or of pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fuzzbow.arrays import Floats, Integers
from fuzzbow.sts.correlation import SCALE, Bootstrap, resample_counts

Seeds = list[int]


def bootstrap_means(values: Floats, *, resamples: int, seed: Seeds) -> Bootstrap:
    """Of the mean over queries, × 100, for many columns on the same resamples: (n, s)."""
    size = len(values)
    total = values.sum(axis=0)
    with np.errstate(invalid="ignore"):
        drawn = [counts @ values / size for counts in resample_counts(size, resamples, seed)]
        left_out = (total - values) / (size - 1) if size > 1 else np.full_like(values, np.nan)
    return Bootstrap(SCALE * total / size, SCALE * np.concatenate(drawn), SCALE * left_out)


def bootstrap_precision(
    labels: Floats, orders: Sequence[Integers], *, resamples: int, seed: Seeds
) -> Bootstrap:
    """Of average precision, × 100, for pairs ranked by s systems: (n,), s × (n,).

    A pair that is drawn twice counts twice at its rank, with the precision behind both.
    """
    ones = np.ones((1, len(labels)))
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = weighted_precision(ones, labels, orders)[0]
        drawn = [
            weighted_precision(counts, labels, orders)
            for counts in resample_counts(len(labels), resamples, seed)
        ]
        left_out = np.column_stack([_without_each(labels, order) for order in orders])
    return Bootstrap(SCALE * observed, SCALE * np.concatenate(drawn), SCALE * left_out)


def weighted_precision(counts: Floats, labels: Floats, orders: Sequence[Integers]) -> Floats:
    """Average precision where pairs count so often: (r, n), (n,), s × (n,) -> (r, s)."""
    columns = []
    for order in orders:
        taken = counts[:, order]
        matches = taken * labels[order]
        hits = np.cumsum(matches, axis=1)
        precision = hits / np.maximum(np.cumsum(taken, axis=1), 1.0)
        columns.append((matches * precision).sum(axis=1) / hits[:, -1])
    return np.column_stack(columns)


def _without_each(labels: Floats, order: Integers) -> Floats:
    """Average precision without each pair in turn: (n,), (n,) -> (n,).

    Without the pair at rank r, those before it keep their precision; behind it there is one
    pair less, and one match less if it was one.
    """
    hits = labels[order]
    ranks = np.arange(1, len(order) + 1)
    found = np.cumsum(hits)
    before = np.cumsum(hits * found / ranks) - hits * found / ranks
    earlier = np.maximum(ranks - 1, 1)
    matches, shares = hits * found / earlier, hits / earlier
    behind = _sum_behind(matches) - hits * _sum_behind(shares)
    values = np.empty(len(order))
    values[order] = (before + behind) / (found[-1] - hits)
    return values


def _sum_behind(values: Floats) -> Floats:
    """Sum of all later values: (n,) -> (n,)."""
    return np.asarray(np.cumsum(values[::-1])[::-1] - values)
