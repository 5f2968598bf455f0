"""Groups of texts that belong together, as labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np

from fuzzbow.arrays import Integers, Ragged, read_only


class Linkage(str, Enum):
    """When texts are one group: each is a pair with the one that stays; a chain of pairs
    suffices; or every two must be a pair."""

    LEADER = "leader"
    SINGLE = "single"
    COMPLETE = "complete"


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
    """The smallest node of each node's component: (n,), parts of edges -> (n,).

    `start`, (n,), holds for each node itself or a smaller one that belongs with it.

    >>> connected(np.arange(5), [(np.array([3, 1]), np.array([4, 3]))]).tolist()
    [0, 1, 2, 1, 1]
    """
    parent = shortened(start.copy())
    for a, b in edges:
        while True:
            a, b = parent[a], parent[b]
            apart = a != b
            if not apart.any():
                break
            a, b = a[apart], b[apart]
            # each larger root goes under the smallest that it meets; no circle can arise
            np.minimum.at(parent, np.maximum(a, b), np.minimum(a, b))
            parent = shortened(parent)
    return read_only(parent)


def shortened(parent: Integers) -> Integers:
    """Every node right under its root."""
    while True:
        above = parent[parent]
        if np.array_equal(above, parent):
            return parent
        parent = above
