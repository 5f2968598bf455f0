"""Which texts of one side match which of the other, by exact search over the right side."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats, Integers
from fuzzbow.encoding import TextList, comparable_texts
from fuzzbow.measures import TextMeasure
from fuzzbow.measures.blockwise_join import at_least
from fuzzbow.tasks.index import Index, build_index

NOTHING = -1
FIRST_CANDIDATES, GROWTH = 8, 4  # of a text in a join of one to one, and when these are taken


class How(str, Enum):
    """Which rows a join has: those that match, all of the left side, or its rows without one."""

    INNER = "inner"
    LEFT = "left"
    ANTI = "anti"


@dataclass(frozen=True)
class Matches:
    """Rows of a join by position, in the order of the left side, then best first.

    `right` is -1 and `score` NaN where a text of the left side has no match.
    """

    left: Integers  # (n,)
    right: Integers  # (n,)
    score: Floats  # (n,)

    def __len__(self) -> int:
        return len(self.left)

    @property
    def matched(self) -> int:
        """How many texts of the left side have a match."""
        return len(np.unique(self.left[self.right != NOTHING]))

    def at_least(self, threshold: float) -> Matches:
        """Those at or above a threshold."""
        good = at_least(self.score, threshold)
        first = np.diff(self.left, prepend=-1) != 0
        chosen = good | first
        right, score = np.where(good, self.right, NOTHING), np.where(good, self.score, np.nan)
        return Matches(self.left[chosen], right[chosen], score[chosen])

    def rows(self, how: How) -> Matches:
        """Those that a join of that kind has."""
        if how is How.LEFT:
            return self
        chosen = (self.right == NOTHING) == (how is How.ANTI)
        return Matches(self.left[chosen], self.right[chosen], self.score[chosen])


def index_to_match(model: TextMeasure, texts: TextList) -> Index:
    """Index the right side of a join; a blank text of it is found by nothing."""
    return build_index(model, comparable_texts(texts))


def match_batches(
    index: Index,
    batches: Iterable[TextList],
    *,
    k: int,
    threshold: float,
    threads: int | None = None,
) -> Iterator[Matches]:
    """The k best matches of each text at or above the threshold, a batch of texts at a time.

    The ids of the index must be the positions of its texts. Equal scores are in their order.
    """
    done = 0
    for texts in map(comparable_texts, batches):
        left: list[int] = []
        right: list[Any] = []
        score: list[float] = []
        for place, hits in enumerate(index.search(texts, k, threshold, None, threads), start=done):
            found = hits.ids or [NOTHING]
            left += [place] * len(found)
            right += found
            score += hits.scores.tolist() or [np.nan]
        done += len(texts)
        yield _matches(left, right, score)


def match_one_to_one(
    index: Index, texts: TextList, *, threshold: float, threads: int | None = None
) -> Matches:
    """Pairs of texts in which none of either side occurs twice, by their scores.

    Of all pairs at or above the threshold the one with the best score is taken first, then the
    best of those whose texts are both free, and so on; equal scores go by the left position,
    then by the right one. Only as many candidates are looked for as that needs.
    """
    texts = comparable_texts(texts)
    lists: dict[int, list[tuple[float, int]]] = {}
    wanted = dict.fromkeys(range(len(texts)), min(FIRST_CANDIDATES, max(len(index), 1)))

    def look(places: list[int]) -> None:
        found = index.search([texts[place] for place in places], wanted[places[0]], threshold)
        for place, hits in zip(places, found, strict=True):
            ids = [int(name) for name in hits.ids]
            lists[place] = list(zip(hits.scores.tolist(), ids, strict=True))

    if texts:
        look(list(range(len(texts))))
    heap = [(-found[0][0], place, found[0][1], 0) for place, found in lists.items() if found]
    heapq.heapify(heap)
    taken: set[int] = set()
    matched: dict[int, tuple[int, float]] = {}
    while heap:
        negative, place, right, rank = heapq.heappop(heap)
        if right not in taken:
            taken.add(right)
            matched[place] = right, -negative
            continue
        full = len(lists[place]) == wanted[place] < len(index)
        if rank + 1 == len(lists[place]) and full:
            wanted[place] = min(wanted[place] * GROWTH, len(index))
            look([place])
        if rank + 1 < len(lists[place]):
            score, right = lists[place][rank + 1]
            heapq.heappush(heap, (-score, place, right, rank + 1))
    rows = [matched.get(place, (NOTHING, np.nan)) for place in range(len(texts))]
    return _matches(list(range(len(texts))), [row[0] for row in rows], [row[1] for row in rows])


def _matches(left: list[int], right: list[int], score: list[float]) -> Matches:
    return Matches(
        np.array(left, dtype=np.int64),
        np.array(right, dtype=np.int64),
        np.array(score, dtype=np.float64),
    )
