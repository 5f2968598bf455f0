"""Which text of each group is kept, and which text each removed one is a duplicate of."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

import numpy as np

from fuzzbow.arrays import Floats, Integers
from fuzzbow.errors import InputError
from fuzzbow.tasks.dedupe.groups import Groups, Linkage
from fuzzbow.tasks.dedupe.pairs import PairArrays

NOTHING = -1


class Keep(str, Enum):
    """Which text of a group stays: the first, or the one with most characters."""

    FIRST = "first"
    LONGEST = "longest"


def check_across(keep: Keep, linkage: Linkage) -> None:
    """Refuse choices that only groups within one data set have."""
    if keep is not Keep.FIRST or linkage is Linkage.COMPLETE:
        raise InputError(
            f"a join of two data sets has no groups to choose from: keep must be 'first' and"
            f" linkage 'leader' or 'single'; got {keep.value!r} and {linkage.value!r}"
        )


def representatives(groups: Groups, keep: Keep, lengths: Integers) -> Integers:
    """The text that stands for each text's group, itself if alone: (n,).

    Of equally long texts the first.
    """
    labels = groups.labels
    if keep is Keep.FIRST:
        return labels
    order = np.lexsort((np.arange(len(labels)), -lengths, labels))
    heads = np.flatnonzero(np.diff(labels[order], prepend=-1))
    chosen = labels.copy()
    chosen[labels[order][heads]] = order[heads]
    return chosen[labels]


def preference(keep: Keep, lengths: Integers) -> Integers:
    """The rank of each text, 0 for the one that is kept before all others: (n,) -> (n,)."""
    places = np.arange(len(lengths))
    if keep is Keep.FIRST:
        return places
    ranks = np.empty(len(lengths), dtype=np.int64)
    ranks[np.lexsort((places, -lengths))] = places
    return ranks


def best_partners(size: int, parts: Iterable[PairArrays]) -> tuple[Integers, Floats]:
    """The right text with the best score of each left text, the first of equals: (n,), (n,).

    -1 where a left text is in no pair.
    """
    partner, best = np.full(size, NOTHING, dtype=np.int64), np.zeros(size)
    for part in parts:
        order = np.lexsort((part.right, -part.score, part.left))
        heads = order[np.flatnonzero(np.diff(part.left[order], prepend=-1))]
        left, right, score = part.left[heads], part.right[heads], part.score[heads]
        older = partner[left] == NOTHING
        better = older | (score > best[left]) | ((score == best[left]) & (right < partner[left]))
        partner[left[better]], best[left[better]] = right[better], score[better]
    return partner, best
