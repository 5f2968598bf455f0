"""Groups of near-duplicates by their pairs, and the kept text of each.

Pairs are read in parts, repeatedly if needed, so that only a bounded number of them is in memory,
except for complete linkage.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from fuzzbow.arrays import Floats, Integers, Ragged, read_only
from fuzzbow.dedupe.pairs import HELD_PAIRS, PairArrays

NOTHING = -1
OPEN, LEADS, REMOVED = 0, 1, 2
Parts = Callable[[], Iterator[PairArrays]]  # the pairs, from the start at each call


# condition of a group: pairs with the kept text, a chain of pairs, or all texts pairs
Linkage = Literal["leader", "single", "complete"]
# kept text of a group: the first, or the longest
Keep = Literal["first", "longest"]


@dataclass(frozen=True)
class Groups:
    """Groups of two texts or more, the largest first, ties by the first text.

    `labels`, (n,), hold the position of the first text of each text's group; a text
    that is in no group has its own.

    >>> groups = Groups(np.array([0, 1, 0, 3, 1, 1]))
    >>> len(groups), groups[0].tolist(), [group.tolist() for group in groups]
    (2, [1, 4, 5], [[1, 4, 5], [0, 2]])
    """

    labels: Integers

    @cached_property
    def members(self) -> Ragged:
        """Row per group: the positions of its texts, ascending."""
        sizes = np.bincount(self.labels, minlength=len(self.labels))
        order = np.argsort(self.labels, kind="stable")  # by group, then by position
        by_label = Ragged.from_lengths(order, sizes)
        large = np.flatnonzero(sizes > 1)
        return by_label.take(large[np.argsort(-sizes[large], kind="stable")])

    @property
    def sizes(self) -> Integers:
        """Texts in each group: (groups,)."""
        return self.members.lengths

    def __len__(self) -> int:
        return len(self.members)

    def __getitem__(self, group: int) -> Integers:
        return self.members[range(len(self))[group]]

    def __iter__(self) -> Iterator[Integers]:
        return iter(self.members)


def connected(start: Integers, edges: Iterable[tuple[Integers, Integers]]) -> Integers:
    """Find the smallest node of each node's component: (n,), parts of edges -> (n,).

    `start`, (n,), holds for each node itself or a smaller one of its component.

    >>> connected(np.arange(5), [(np.array([3, 1]), np.array([4, 3]))]).tolist()
    [0, 1, 2, 1, 1]
    """
    parent = _roots(start.copy())
    for a, b in edges:
        while True:
            a, b = parent[a], parent[b]
            apart = a != b
            if not apart.any():
                break
            a, b = a[apart], b[apart]
            # each larger root is put under the smallest that it meets; no circle can arise
            np.minimum.at(parent, np.maximum(a, b), np.minimum(a, b))
            parent = _roots(parent)
    return read_only(parent)


def _roots(parent: Integers) -> Integers:
    """Replace the parent of every node by its root: (n,) -> (n,)."""
    while True:
        above = parent[parent]
        if np.array_equal(above, parent):
            return parent
        parent = above


def best_partners(size: int, parts: Iterable[PairArrays]) -> Integers:
    """Find the right text with the best score of each left text, the first of equals: (size,).

    -1 where a left text is in no pair.
    """
    partner, best = np.full(size, NOTHING, dtype=np.int64), np.zeros(size)
    for part in parts:
        order = np.lexsort((part.right, -part.score, part.left))
        heads = order[np.flatnonzero(np.diff(part.left[order], prepend=-1))]
        left, right, score = part.left[heads], part.right[heads], part.score[heads]
        better = (partner[left] == NOTHING) | (score > best[left])
        better |= (score == best[left]) & (right < partner[left])
        partner[left[better]], best[left[better]] = right[better], score[better]
    return partner


def leaders(ranks: Integers, parts: Parts) -> Integers:
    """Find the leader of each text, itself if it leads: (n,), pairs -> (n,).

    In the order of `ranks`, which are all different, a text leads unless it is a pair with one
    that leads already. So no two leaders are a pair, and every other text is a pair with at least
    one of them: its leader is the one with the best score, the first of equals. Each round decides
    texts that no undecided text precedes and those that are a pair with one of them, until the
    undecided pairs fit in memory and are decided in order.
    """
    state = np.full(len(ranks), OPEN, dtype=np.int8)

    def edges() -> Iterator[tuple[Integers, Integers]]:
        for part in parts():
            ahead = ranks[part.left] < ranks[part.right]
            first = np.where(ahead, part.left, part.right)
            yield first, np.where(ahead, part.right, part.left)

    while True:
        preceded = np.zeros(len(ranks), dtype=np.bool_)
        held = [(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))]
        count = 0
        for first, second in edges():
            undecided = (state[first] == OPEN) & (state[second] == OPEN)
            first, second = first[undecided], second[undecided]
            preceded[second] = True
            count += len(first)
            if count <= HELD_PAIRS:
                held.append((first, second))
        state[(state == OPEN) & ~preceded] = LEADS
        if count <= HELD_PAIRS:
            break
        for first, second in edges():
            state[second[state[first] == LEADS]] = REMOVED
    firsts, seconds = (np.concatenate(side) for side in zip(*held, strict=True))
    order = np.argsort(ranks[firsts], kind="stable")
    _, heads, sizes = np.unique(ranks[firsts], return_index=True, return_counts=True)
    rows = Ragged.from_lengths(seconds[order], sizes)
    for text, row in zip(firsts[heads].tolist(), rows, strict=True):
        if state[text] != REMOVED:
            state[row] = REMOVED
    state[state == OPEN] = LEADS

    def with_leaders() -> Iterator[PairArrays]:
        """Yield pairs as (removed text, its leader)."""
        for part in parts():
            for left, right in ((part.left, part.right), (part.right, part.left)):
                chosen = (state[left] == REMOVED) & (state[right] == LEADS)
                yield PairArrays(left, right, part.score, part.exact).where(chosen)

    partner = best_partners(len(ranks), with_leaders())
    return read_only(np.where(partner == NOTHING, np.arange(len(ranks)), partner))


def complete_labels(components: Integers, nodes: Integers, parts: Parts) -> Integers:
    """Find the smallest node of each node's group: (n,), (nodes in use,), pairs -> (n,).

    Standard agglomeration, cut at the threshold: the two groups with the largest similarity are
    merged repeatedly, where the similarity of two groups is the smallest of any of their texts, and
    they cannot be merged if any two of these are not a pair. Ties are decided by the smaller first
    text, then by the smaller second one. A component all of whose texts are pairs needs no
    agglomeration; only the pairs of the others are held in memory. With m pairs that takes O(m log
    m) time.
    """
    sizes = np.bincount(components[nodes], minlength=len(components))
    found = np.zeros(len(components), dtype=np.int64)
    for part in parts():
        found += np.bincount(components[part.left[~part.exact]], minlength=len(components))
    loose = found < sizes * (sizes - 1) // 2
    labels = components.copy()
    if not loose.any():
        return read_only(labels)
    labels[nodes] = np.where(loose[components[nodes]], nodes, components[nodes])
    chosen = PairArrays.join(
        part.where(loose[components[part.left]] & ~part.exact) for part in parts()
    )
    owner = components[chosen.left]
    order = np.argsort(owner, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(owner[order])) + 1):
        for kept, merged in _merges(chosen.left[rows], chosen.right[rows], chosen.score[rows]):
            labels[merged] = kept  # and so, by _roots, are all nodes under it
    return read_only(_roots(labels))


def _merges(left: Integers, right: Integers, scores: Floats) -> Iterator[tuple[int, int]]:
    """Yield the groups to merge, by their first texts, in the order of merging."""
    heap = list(zip((-scores).tolist(), left.tolist(), right.tolist(), strict=True))
    links: dict[int, dict[int, float]] = defaultdict(dict)  # by group: distance to others
    for distance, a, b in heap:
        links[a][b] = links[b][a] = distance
    heapq.heapify(heap)
    while heap:
        distance, a, b = heapq.heappop(heap)
        if a not in links or links[a].get(b) != distance:
            continue  # one of the two was merged, or has grown apart
        yield a, b
        of_a, of_b = links.pop(a), links.pop(b)
        for others, group in ((of_a, a), (of_b, b)):
            for other in others:
                if other not in (a, b):
                    del links[other][group]
        links[a] = {other: max(of_a[other], of_b[other]) for other in of_a.keys() & of_b.keys()}
        for other, distance in links[a].items():
            links[other][a] = distance
            heapq.heappush(heap, (distance, min(a, other), max(a, other)))
