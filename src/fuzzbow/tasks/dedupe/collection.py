"""The texts of one data set, or of two that are compared with each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fuzzbow.arrays import Integers, Ragged, read_only
from fuzzbow.encoding import Encoder, Texts


@dataclass(frozen=True)
class Collection:
    """Texts by place, those of the other data set after the first, and each distinct one once.

    Equal strings of one data set are one distinct text; those of two data sets are two.
    """

    texts: list[str]
    others: list[str] | None
    batch: Texts  # row per distinct text, those of the other data set behind
    distinct: Integers  # (places,) which distinct text each is
    first: Integers  # (rows,) place of the first copy of each distinct text
    strings: Integers  # (rows,) a number for each string; equal for equal ones

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

    @cached_property
    def lengths(self) -> Integers:
        """Characters of each text: (places,)."""
        everything = self.texts if self.others is None else self.texts + self.others
        return np.fromiter(map(len, everything), dtype=np.int64, count=len(everything))


def collect(encoder: Encoder, texts: list[str], others: list[str] | None) -> Collection:
    """Encode the texts; every distinct one of a data set gets one row."""
    everything = texts if others is None else texts + others
    batch, which = encoder.encode(everything)
    sides = [which] if others is None else [which[: len(texts)], which[len(texts) :]]
    strings, first, distinct = [], [], []
    rows = places = 0
    for side in sides:
        used, start, row = np.unique(side, return_index=True, return_inverse=True)
        strings.append(used)
        first.append(start + places)
        distinct.append(row + rows)
        rows, places = rows + len(used), places + len(side)
    chosen = np.concatenate(strings)
    return Collection(
        texts,
        others,
        batch if others is None else replace(batch, rows=batch.rows.take(chosen)),
        read_only(np.concatenate(distinct)),
        read_only(np.concatenate(first)),
        read_only(chosen),
    )
