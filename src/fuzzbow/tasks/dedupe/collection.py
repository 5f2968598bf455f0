"""The texts of one data set, or of two that are compared with each other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np

from fuzzbow.arrays import Booleans, Integers, Ragged, read_only
from fuzzbow.encoding import Encoder, TextList, Texts, blank_texts
from fuzzbow.measures import Measure
from fuzzbow.tasks.dedupe.reasons import Reasoner, reasoner


@dataclass(frozen=True)
class Collection(ABC):
    """Texts by place, those of the other data set after the first, and each distinct one once.

    Equal strings of one data set are one distinct text; those of two data sets are two. A blank
    text, which also stands for a missing one, is a distinct text of its own: it says nothing, so
    that it is a copy of no other.
    """

    texts: Sequence[str]
    others: Sequence[str] | None
    distinct: Integers  # (places,) which distinct text each is
    first: Integers  # (rows,) place of the first copy of each distinct text
    strings: Integers  # (rows,) a number for each string; equal for equal ones that are not blank
    blank: Booleans  # (places,)

    @property
    def places(self) -> int:
        """Texts of both data sets."""
        return len(self.distinct)

    @property
    def boundary(self) -> int | None:
        """Number of distinct texts of the first data set; None if there is only one data set."""
        if self.others is None:
            return None
        return int(np.searchsorted(self.first, len(self.texts)))

    @property
    def shift(self) -> int:
        """What to add to the right position of a pair to get its place."""
        return 0 if self.others is None else len(self.texts)

    @cached_property
    def copies(self) -> Ragged:
        """Row per distinct text: the places where it stands."""
        order = np.argsort(self.distinct, kind="stable")
        return Ragged.from_lengths(order, np.bincount(self.distinct, minlength=len(self.first)))

    @property
    @abstractmethod
    def lengths(self) -> Integers:
        """Characters of each text: (places,)."""

    @abstractmethod
    def texts_at(self, places: Integers) -> list[str]:
        """The texts of places: (n,) -> n texts."""

    @abstractmethod
    def reasoner(
        self, measure: Measure, left: Integers, right: Integers
    ) -> tuple[Reasoner, Integers, Integers]:
        """The reasons of pairs of distinct texts, and what it calls these texts: (n,), (n,)."""


@dataclass(frozen=True)
class HeldCollection(Collection):
    """One whose texts are in memory, ready to be compared."""

    batch: Texts  # row per distinct text, those of the other data set behind

    @cached_property
    def lengths(self) -> Integers:
        """Characters of each text: (places,)."""
        everything = chain(self.texts, self.others or [])
        return np.fromiter(map(len, everything), dtype=np.int64, count=self.places)

    def texts_at(self, places: Integers) -> list[str]:
        """The texts of places: (n,) -> n texts."""
        texts, others, cut = self.texts, self.others or [], len(self.texts)
        return [texts[n] if n < cut else others[n - cut] for n in places.tolist()]

    def reasoner(
        self, measure: Measure, left: Integers, right: Integers
    ) -> tuple[Reasoner, Integers, Integers]:
        """That of all texts, made once for a measure."""
        if not any(known is measure for known, _ in self._reasoners):
            self._reasoners.append((measure, reasoner(measure, self.batch)))
        return next(made for known, made in self._reasoners if known is measure), left, right

    @cached_property
    def _reasoners(self) -> list[tuple[Measure, Reasoner]]:
        return []


def collect(encoder: Encoder, texts: TextList, others: TextList | None) -> HeldCollection:
    """Encode the texts; every distinct one of a data set gets one row."""
    everything = texts if others is None else texts + others
    batch, which = encoder.encode(everything)
    blank = blank_texts(everything)
    sides = [slice(0, len(texts)), slice(len(texts), len(everything))]
    heads = np.concatenate([_first_places(which[side]) + side.start for side in sides])
    heads[blank] = np.flatnonzero(blank)
    first, distinct = np.unique(heads, return_inverse=True)
    rows = which[first]
    if not np.array_equal(rows, np.arange(len(batch.rows))):
        batch = replace(batch, rows=batch.rows.take(rows))
    return HeldCollection(
        texts,
        others,
        read_only(distinct),
        read_only(first),
        read_only(string_numbers(rows, blank[first])),
        read_only(blank),
        batch,
    )


def _first_places(strings: Integers) -> Integers:
    """Place of the first copy of each string: (n,) -> (n,)."""
    _, first, row = np.unique(strings, return_index=True, return_inverse=True)
    return first[row]


def string_numbers(strings: Integers, blank: Booleans) -> Integers:
    """Numbers of strings, with one of its own for each that is blank: (n,), (n,) -> (n,)."""
    numbers = strings.copy()
    numbers[blank] = strings.max(initial=-1) + 1 + np.arange(np.count_nonzero(blank))
    return numbers
