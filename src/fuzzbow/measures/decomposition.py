"""Decomposition of a score into the parts of each element and each word."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from fuzzbow.arrays import Floats, Integers
from fuzzbow.fuzzy import SetSimilarity


class Status(str, Enum):
    """Kind of word, as the measure treats it."""

    KNOWN = "known"
    UNKNOWN = "unknown"
    NUMBER = "number"
    PUNCTUATION = "punctuation"


@dataclass(frozen=True)
class Treatment:
    """Treatment of a word by a measure, with a note if its vector was not used."""

    status: Status
    note: str = ""


@dataclass(frozen=True)
class Shares:
    """Parts of each element, (u,); the totals are their sums."""

    intersection: Floats
    left_size: Floats
    right_size: Floats
    denominator: float

    @property
    def union(self) -> Floats:
        """max(l, r) = l + r - min(l, r), weighted: (u,)."""
        return self.left_size + self.right_size - self.intersection

    @property
    def score(self) -> Floats:
        """Return the share of each element in the score: (u,)."""
        return self.of_score(self.intersection)

    def of_score(self, parts: Floats) -> Floats:
        """Convert parts of the intersection to parts of the score; 0 where it is undefined."""
        return parts / self.denominator if self.denominator else np.zeros_like(parts)


# word of the other text that counts for a word, where several do: its place there, its
# similarity, and its part of that word's share
StandIn = tuple[int, float, float]


@dataclass(frozen=True)
class Parts:
    """Parts of a score by the elements of one text: arrays (k,), in their order."""

    places: Integers  # which word of the text each is
    match: Integers  # place of its best match among the words of the other text, or -1
    similarity: Floats
    intersection: Floats
    union: Floats
    share: Floats
    weight: Floats | None = None
    membership_left: Floats | None = None
    membership_right: Floats | None = None
    dimensions: Integers | None = None
    stand_ins: tuple[tuple[StandIn, ...], ...] | None = None  # of each, the strongest first


@dataclass(frozen=True)
class Dimension:
    """Element of a fixed universe, and its owner in each text: the word with the largest value."""

    index: int
    name: str
    nearest: tuple[str, ...]  # words of the vocabulary that point the same way
    weight: float
    membership_left: float
    membership_right: float
    owner_left: int | None  # a place among the words of the left text
    owner_right: int | None
    owner_left_word: str | None
    owner_right_word: str | None
    intersection: float
    union: float
    share: float  # of the score


@dataclass(frozen=True)
class Decomposition:
    """Decomposition of a score: shares of all elements, and of the words of the two texts."""

    formula: str
    shares: Shares
    treatments: list[Treatment]  # of each distinct word of the batch
    left: Parts
    right: Parts
    dimensions: tuple[Dimension, ...] = ()  # of a fixed universe, those with the largest shares
    dimension_count: int = 0


def split_score(
    in_left: Floats, in_right: Floats, weights: Floats, similarity: SetSimilarity
) -> Shares:
    """Compute shares from memberships and weights: (u,), (u,), (u,) -> shares of u elements."""
    intersection = weights * similarity.overlaps(in_left, in_right)
    left, right = weights * similarity.extents(in_left), weights * similarity.extents(in_right)
    sums = (intersection.sum(), left.sum(), right.sum())
    return Shares(intersection, left, right, float(similarity.denominator(*sums)))


def places_of(words: Integers, elements: Integers) -> Integers:
    """Find the position of each element's first occurrence in a text: (k,) -> (k,)."""
    used = np.flatnonzero(np.isin(words, elements))
    if np.array_equal(words[used], elements):
        return used
    distinct, first = np.unique(words, return_index=True)
    return np.asarray(first[np.searchsorted(distinct, elements)])
