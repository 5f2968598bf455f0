"""Matches between the texts of two sides, by exact search over the right side."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Integers, blocks
from fuzzbow.encoding import TextList, comparable_texts
from fuzzbow.index import Index, build_index
from fuzzbow.io.tables import BATCH_ROWS
from fuzzbow.measures import TextMeasure
from fuzzbow.measures.blockwise_join import at_least
from fuzzbow.progress import Progress, no_progress

NOTHING = -1
FIRST_CANDIDATES, GROWTH = 8, 4  # of a text in a join of one to one; growth when all are taken


# kind of join: rows that match, all left rows, or left rows without a match
How = Literal["inner", "left", "anti"]


@dataclass(frozen=True)
class JoinOptions:
    """Options of a fuzzy join.

    Attributes
    ----------
    k : int
        Maximum number of matches of a row.
    threshold : float, optional
        Minimum score of a match (0 < s ≤ 1); by default that of the measure.
    how : str
        "inner": rows that match; "left": all rows of the left side; "anti": those without a match.
    one_to_one : bool
        Match no row of either side twice, best scores first.
    score : str
        Name of the score's column.
    reasons : bool
        Add a column `reason`, the words that match.
    """

    k: int = 1
    threshold: float | None = None
    how: str = "inner"
    one_to_one: bool = False
    score: str = "score"
    reasons: bool = False


@dataclass(frozen=True)
class Matches:
    """Rows of a join by position, in the order of the left side, then best first.

    `right` is -1 and `score` NaN where a text of the left side has no match.
    """

    left: Integers  # (n,)
    right: Integers  # (n,)
    score: Floats  # (n,)

    @classmethod
    def of(cls, left: Sequence[int], right: Sequence[int], score: Sequence[float]) -> Matches:
        """Make matches from three lists of equal length."""
        return cls(
            np.array(left, dtype=np.int64),
            np.array(right, dtype=np.int64),
            np.array(score, dtype=np.float64),
        )

    @classmethod
    def join(cls, parts: Iterable[Matches]) -> Matches:
        """Concatenate parts."""
        every = [vars(part).values() for part in (cls.of([], [], []), *parts)]
        return cls(*map(np.concatenate, zip(*every, strict=True)))

    def __len__(self) -> int:
        return len(self.left)

    @property
    def matched(self) -> int:
        """Number of texts of the left side that have a match."""
        return len(np.unique(self.left[self.right != NOTHING]))

    def to_rows(self) -> Iterator[tuple[int, int, float]]:
        """Yield left, right and score of each match."""
        columns = (self.left.tolist(), self.right.tolist(), self.score.tolist())
        return zip(*columns, strict=True)

    def where(self, mask: Booleans | Integers) -> Matches:
        """Select the matches where the mask, (n,), is true, or those at some positions."""
        return Matches(self.left[mask], self.right[mask], self.score[mask])

    def at_least(self, threshold: float) -> Matches:
        """Select the matches at or above a threshold."""
        good = at_least(self.score, threshold)
        right, score = np.where(good, self.right, NOTHING), np.where(good, self.score, np.nan)
        first = np.diff(self.left, prepend=-1) != 0
        return Matches(self.left, right, score).where(good | first)

    def rows(self, how: str) -> Matches:
        """Select the rows of a join by its kind: "inner", "left" or "anti"."""
        if how == "left":
            return self
        return self.where((self.right == NOTHING) == (how == "anti"))


def index_to_match(model: TextMeasure, texts: TextList) -> Index:
    """Index the right side of a join; blank texts are emptied, so that they never match."""
    return build_index(model, comparable_texts(texts))


def match_texts(
    index: Index, texts: TextList, *, k: int, threshold: float, progress: Progress = no_progress
) -> Matches:
    """Find the k best matches of each text at or above the threshold, equal scores in order.

    The ids of the index must be the positions of its texts.
    """
    left: list[int] = []
    right: list[Any] = []
    score: list[float] = []
    for part in blocks(len(texts), BATCH_ROWS):
        found = index.search(comparable_texts(texts[part]), k, threshold)
        for text, hits in enumerate(found, part.start):
            ids = hits.ids or [NOTHING]
            left += [text] * len(ids)
            right += ids
            score += hits.scores.tolist() or [np.nan]
        progress(part.stop, len(texts))
    return Matches.of(left, right, score)


def match_one_to_one(index: Index, texts: TextList, *, threshold: float) -> Matches:
    """Match texts so that none of either side occurs twice, by their scores.

    Pairs at or above the threshold are taken greedily: the one with the best score first, then the
    best of those whose texts are both free; ties are decided by the left position, then by the
    right one. A text has few candidates at first, and more if all are matched to others.
    """
    texts = comparable_texts(texts)
    lists: dict[int, list[tuple[float, int]]] = {}
    wanted = dict.fromkeys(range(len(texts)), min(FIRST_CANDIDATES, max(len(index), 1)))

    def search(some: TextList, rows: Sequence[int]) -> None:
        for row, hits in zip(rows, index.search(some, wanted[rows[0]], threshold), strict=True):
            lists[row] = list(zip(hits.scores.tolist(), map(int, hits.ids), strict=True))

    if texts:
        search(texts, range(len(texts)))
    heap = [(-found[0][0], row, found[0][1], 0) for row, found in lists.items() if found]
    heapq.heapify(heap)
    taken: set[int] = set()
    matched: dict[int, tuple[int, float]] = {}
    while heap:
        negative, row, right, rank = heapq.heappop(heap)
        if right not in taken:
            taken.add(right)
            matched[row] = right, -negative
            continue
        full = len(lists[row]) == wanted[row] < len(index)
        if rank + 1 == len(lists[row]) and full:
            wanted[row] = min(wanted[row] * GROWTH, len(index))
            search([texts[row]], [row])
        if rank + 1 < len(lists[row]):
            score, right = lists[row][rank + 1]
            heapq.heappush(heap, (-score, row, right, rank + 1))
    rows = [(row, *matched.get(row, (NOTHING, np.nan))) for row in range(len(texts))]
    return Matches.of(*zip(*rows, strict=True)) if rows else Matches.join([])
