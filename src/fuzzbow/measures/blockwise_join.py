"""Join by computing all scores block by block, for measures without an index of texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from fuzzbow.arrays import Booleans, Floats, blocks
from fuzzbow.encoding import Texts
from fuzzbow.engine import JoinOptions, Matches, shared_rows

if TYPE_CHECKING:
    from fuzzbow.measures.measure import Measure

BLOCK_TEXTS = 2048  # a block of scores holds the square of it


def at_least(scores: Floats, threshold: float) -> Booleans:
    """Mark scores that reach the threshold in single precision, as in the kernels: (n,)."""
    return np.asarray(scores.astype(np.float32) >= np.float32(threshold))


def join_by_blocks(measure: Measure, texts: Texts, options: JoinOptions) -> Iterator[Matches]:
    """Yield the pairs of a join scoring all pairs block by block."""
    total, boundary = len(texts.rows), options.boundary
    rows = total if boundary is None else boundary
    mine = shared_rows(rows, options.share)
    for part in blocks(rows, BLOCK_TEXTS):
        part = slice(max(part.start, mine.start), min(part.stop, mine.stop))
        if part.start >= part.stop:
            continue
        for start in range(part.start if boundary is None else boundary, total, BLOCK_TEXTS):
            some = slice(start, min(start + BLOCK_TEXTS, total))
            left, right = np.arange(part.start, part.stop), np.arange(some.start, some.stop)
            used, place = np.unique(np.concatenate([left, right]), return_inverse=True)
            a, b = place[: len(left)], place[len(left) :]
            scores = measure.matrix(texts.take(used), a, b)
            good = at_least(scores, options.threshold) & (left[:, None] < right[None, :])
            i, j = np.nonzero(good)
            if len(i):
                yield Matches(left[i], right[j], scores[i, j])
        options.progress(part.stop - mine.start, mine.stop - mine.start)
