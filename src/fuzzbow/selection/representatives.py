"""Texts that cover a collection best: greedy facility location over exact neighbours.

A text is covered by the largest similarity with a chosen one, where similarities below a threshold
count 0. The next text chosen is the one that adds most to the sum of coverage; among equal ones the
first. That sum is submodular, so a greedy choice reaches at least 63 % of the best possible one,
and the gain of a text only falls: gains are kept in a heap and computed again only at its top. The
join finds the similarities; memory is linear in their number.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from heapq import heapify, heapreplace

import numpy as np

from fuzzbow.arrays import Floats, Integers, Ragged
from fuzzbow.dedupe import find_duplicates, parse_details
from fuzzbow.dedupe.pairs import PairArrays
from fuzzbow.defaults import COVERING
from fuzzbow.encoding import Encoder, TextList
from fuzzbow.errors import check_count
from fuzzbow.measures import Measure
from fuzzbow.progress import Progress, no_progress
from fuzzbow.selection.selected import Selected, filled_texts

DIGITS = 9  # gains that are equal to as many are equal


@dataclass(frozen=True)
class Representative:
    """Representative text, and the number of texts that it covers."""

    rank: int  # 1 covers most
    position: int
    size: int  # texts that it covers best, itself among them
    gain: float  # coverage that it added, in texts
    text: str


@dataclass(frozen=True, repr=False)
class Representatives(Selected[Representative]):
    """Texts that cover a collection, in the order of choice.

    `assigned`, (texts,), has the position of the one that covers each text best, of equal ones the
    first chosen; -1 for uncovered texts. `coverage` is the mean over all texts that are not
    blank.
    """

    assigned: Integers
    coverage: float
    item_type = Representative


def find_representatives(
    measure: Measure,
    encoder: Encoder,
    texts: TextList,
    k: int,
    *,
    threshold: float = COVERING,
    threads: int | None = None,
    progress: Progress = no_progress,
) -> Representatives:
    """Choose k texts, or all distinct ones if there are fewer."""
    check_count(k, "k")
    _, first, copies, which = filled_texts(texts)
    found = find_duplicates(
        measure,
        encoder,
        texts,
        threshold=threshold,
        details=parse_details(()),
        threads=threads,
        progress=progress,
    )
    neighbours, similar = _graph(found.pairs.parts(), which, len(first))
    weights = copies.astype(np.float64)
    chosen, gains, covers, coverage = _greedy(neighbours, similar, weights, k)
    filled = which >= 0
    assigned = np.full(len(texts), -1, dtype=np.int64)
    best = covers[which[filled]]
    assigned[filled] = np.where(best >= 0, first[best], -1)
    positions = [int(first[text]) for text in chosen]
    items = tuple(
        Representative(rank, row, int((assigned == row).sum()), gain, texts[row])
        for rank, (row, gain) in enumerate(zip(positions, gains, strict=True), 1)
    )
    mean = float(coverage @ weights / weights.sum()) if len(weights) else 0.0
    return Representatives(items, len(texts), np.flatnonzero(~filled), assigned, mean)


def _graph(parts: Iterable[PairArrays], which: Integers, size: int) -> tuple[Ragged, Floats]:
    """Find the neighbours of each distinct text, including itself, and their similarities."""
    itself = np.arange(size)
    found: list[tuple[Integers, Integers, Floats]] = [(itself, itself, np.ones(size))]
    for part in parts:
        near = part.where(~part.exact)
        left, right = which[near.left], which[near.right]
        found += [(left, right, near.score), (right, left, near.score)]
    lefts, rights = (np.concatenate([pairs[side] for pairs in found]) for side in (0, 1))
    order = np.lexsort((rights, lefts))
    neighbours = Ragged.from_lengths(rights[order], np.bincount(lefts, minlength=size))
    return neighbours, np.concatenate([scores for _, _, scores in found])[order]


def _greedy(
    neighbours: Ragged, similar: Floats, weights: Floats, k: int
) -> tuple[list[int], list[float], Integers, Floats]:
    """Choose texts; return their positions and gains, and the cover of each text with its score."""
    covered = np.zeros(len(neighbours))
    covers = np.full(len(neighbours), -1, dtype=np.int64)
    offsets = neighbours.offsets

    def gain(text: int) -> float:
        near = neighbours[text]
        added = similar[offsets[text] : offsets[text + 1]] - covered[near]
        return round(float(np.maximum(added, 0.0) @ weights[near]), DIGITS)

    heap = [(-gain(text), text) for text in range(len(neighbours))]
    heapify(heap)
    chosen: list[int] = []
    gains: list[float] = []
    while heap and len(chosen) < k and heap[0][0] < np.inf:
        stale, text = heap[0]
        now = gain(text)
        if -now > stale:
            heapreplace(heap, (-now, text))
            continue
        chosen.append(text)
        gains.append(now)
        near = neighbours[text]
        score = similar[offsets[text] : offsets[text + 1]]
        better = score > covered[near]
        covered[near[better]], covers[near[better]] = score[better], text
        heapreplace(heap, (np.inf, text))
    return chosen, gains, covers, covered
