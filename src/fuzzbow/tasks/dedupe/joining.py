"""Every pair of distinct texts at or above a threshold, by whichever way the measure has."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fuzzbow.arrays import Booleans, Floats, blocks
from fuzzbow.engine import Matches, Progress
from fuzzbow.errors import InputError
from fuzzbow.fuzzy import Pooling
from fuzzbow.measures import Measure, SifPca, Texts, WeightedJaccard
from fuzzbow.measures.dynamic import DynamicMeasure
from fuzzbow.measures.fixed import FixedMeasure

BLOCK_TEXTS = 2048  # a block of scores holds the square of it

OFFERED = (
    "weighted-jaccard, dynamax-*, the measures over a fixed universe"
    " (max-*, avg-*, sum-*, min-*, randommax-*, pcamax-*, kmeansmax-*, vocabmax-*) and sif-pca"
)


def at_least(scores: Floats, threshold: float) -> Booleans:
    """Whether scores reach the threshold, in single precision, as the kernels compare: (n,)."""
    return np.asarray(scores.astype(np.float32) >= np.float32(threshold))


def check_measure(measure: Measure) -> None:
    """The measure must have a way to find pairs."""
    dynamic = isinstance(measure, (WeightedJaccard, DynamicMeasure))
    if dynamic and measure.options.pooling is Pooling.MAX:  # type: ignore[attr-defined]
        return
    if not isinstance(measure, (FixedMeasure, SifPca)):
        raise InputError(f"duplicates are found by {OFFERED}; the measure is {measure.name}")


def fitted(measure: Measure, texts: Texts) -> Measure:
    """The measure as it scores these texts; sif-pca depends on all of them."""
    if isinstance(measure, SifPca) and measure.component is None:
        return measure.fit(texts, np.arange(len(texts.rows)))
    return measure


def matches(
    measure: Measure,
    texts: Texts,
    *,
    threshold: float,
    boundary: int | None,
    progress: Progress,
) -> Iterator[Matches]:
    """Pairs i < j at or above the threshold; with a boundary, only those that straddle it."""
    if isinstance(measure, (WeightedJaccard, DynamicMeasure)):
        table, bags = measure.prepare(texts)
        return measure.engine.join(
            table,
            bags,
            measure.options,
            threshold=threshold,
            boundary=boundary,
            progress=progress,
        )
    return _by_blocks(measure, texts, threshold, boundary, progress)


def _by_blocks(
    measure: Measure, texts: Texts, threshold: float, boundary: int | None, progress: Progress
) -> Iterator[Matches]:
    """All scores, a block at a time: texts of a fixed universe are rows without an index."""
    total = len(texts.rows)
    rows = total if boundary is None else boundary
    for part in blocks(rows, BLOCK_TEXTS):
        for start in range(part.start if boundary is None else boundary, total, BLOCK_TEXTS):
            some = slice(start, min(start + BLOCK_TEXTS, total))
            left, right = np.arange(part.start, part.stop), np.arange(some.start, some.stop)
            used, place = np.unique(np.concatenate([left, right]), return_inverse=True)
            a, b = place[: len(left)], place[len(left) :]
            scores = measure.matrix(texts.take(used), a, b)
            good = at_least(scores, threshold) & (left[:, None] < right[None, :])
            i, j = np.nonzero(good)
            if len(i):
                yield Matches(left[i], right[j], scores[i, j])
        progress(part.stop, rows)
