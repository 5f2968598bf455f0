"""Pairs of distinct texts, written out for all their copies."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fuzzbow.arrays import Integers, Ragged
from fuzzbow.tasks.dedupe.collection import Collection
from fuzzbow.tasks.dedupe.pairs import PairArrays

PART_PAIRS = 1_000_000


def written_out(collection: Collection, parts: Iterator[PairArrays]) -> Iterator[PairArrays]:
    """Every pair of positions that pairs of distinct texts stand for, a part at a time."""
    distinct, shift = collection.distinct, collection.shift
    if collection.others is None:
        yield from _copies_of_one_text(collection.copies)
    for part in parts:
        if collection.others is None:
            part = part.where(~part.exact)
        left, right = distinct[part.left], distinct[part.right + shift]
        for pair, a, b in _products(collection.copies, left, right):
            first, second = np.minimum(a, b), np.maximum(a, b)
            yield PairArrays(first, second - shift, part.score[pair], part.exact[pair])


def _copies_of_one_text(copies: Ragged) -> Iterator[PairArrays]:
    """Every two places of one string."""
    several = np.flatnonzero(copies.lengths > 1)
    for _, a, b in _products(copies, several, several):
        ordered = a < b
        a, b = a[ordered], b[ordered]
        yield PairArrays(a, b, np.ones(len(a)), np.ones(len(a), dtype=np.bool_))


def _products(
    copies: Ragged, left: Integers, right: Integers
) -> Iterator[tuple[Integers, Integers, Integers]]:
    """Each copy of left[i] with each of right[i]: which i, place, place, a part at a time."""
    width = copies.lengths[right]
    ends = np.cumsum(copies.lengths[left] * width)
    total = int(ends[-1]) if len(ends) else 0
    for start in range(0, total, PART_PAIRS):
        number = np.arange(start, min(start + PART_PAIRS, total))
        pair = np.searchsorted(ends, number, side="right")
        inside = number - np.concatenate([[0], ends])[pair]
        row, column = np.divmod(inside, width[pair])
        a = copies.values[copies.offsets[left[pair]] + row]
        b = copies.values[copies.offsets[right[pair]] + column]
        yield pair, a, b
