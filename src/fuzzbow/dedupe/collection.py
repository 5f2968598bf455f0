"""Texts of one data set, or of two that are compared with each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np

from fuzzbow.arrays import Booleans, Integers, Ragged, read_only
from fuzzbow.dedupe.pairs import PairArrays
from fuzzbow.encoding import Encoder, TextList, Texts, blank_texts
from fuzzbow.encoding.arrow_texts import ArrowTexts

PART_PAIRS = 1_000_000


@dataclass(frozen=True)
class Collection:
    """Texts of one or two data sets by position, the second after the first, and their distinct
    texts.

    Equal strings of one data set are one distinct text; those of two data sets are two. A blank
    text, which also stands for a missing one, is a distinct text of its own and a copy of no
    other. The texts are in memory, or in files from which their `take` reads.
    """

    texts: Sequence[str]
    others: Sequence[str] | None
    distinct: Integers  # (positions,) which distinct text each is
    first: Integers  # (rows,) position of the first copy of each distinct text
    strings: Integers  # (rows,) a number for each string; equal for equal ones that are not blank
    blank: Booleans  # (positions,)
    encoder: Encoder
    batch: Texts | None = None  # row per distinct text, where the texts are in memory

    @classmethod
    def of(
        cls,
        texts: Sequence[str],
        others: Sequence[str] | None,
        heads: Integers,
        strings: Integers,
        blank: Booleans,
        encoder: Encoder,
    ) -> Collection:
        """Make a collection from the first position of each text's string in its data set.

        `heads` and `strings`, (positions,), are ignored where a text is blank.
        """
        heads[blank] = np.flatnonzero(blank)
        first, distinct = np.unique(heads, return_inverse=True)
        strings = strings[first]
        empty = blank[first]
        strings[empty] = strings.max(initial=-1) + 1 + np.arange(np.count_nonzero(empty))
        distinct, first, strings = read_only(distinct), read_only(first), read_only(strings)
        return cls(texts, others, distinct, first, strings, read_only(blank), encoder)

    @property
    def size(self) -> int:
        """Number of texts of both data sets."""
        return len(self.distinct)

    @property
    def boundary(self) -> int | None:
        """Number of distinct texts of the first data set; None if there is only one data set."""
        return None if self.others is None else int(np.searchsorted(self.first, len(self.texts)))

    @property
    def shift(self) -> int:
        """Position of the first text of the second data set."""
        return 0 if self.others is None else len(self.texts)

    @cached_property
    def copies(self) -> Ragged:
        """Row per distinct text: the positions of its copies."""
        order = np.argsort(self.distinct, kind="stable")
        return Ragged.from_lengths(order, np.bincount(self.distinct, minlength=len(self.first)))

    @cached_property
    def lengths(self) -> Integers:
        """Number of characters of each text: (positions,)."""
        everything = chain(self.texts, self.others or [])
        return np.fromiter(map(len, everything), dtype=np.int64, count=self.size)

    def texts_at(self, positions: Integers) -> list[str]:
        """Return the texts at positions, reading each shard once: (n,) -> n texts."""
        own, found = positions < len(self.texts), np.empty(len(positions), dtype=object)
        found[own] = _taken(self.texts, positions[own])
        if self.others is not None:
            found[~own] = _taken(self.others, positions[~own] - self.shift)
        texts: list[str] = found.tolist()
        return texts

    def encoded(self, left: Integers, right: Integers) -> tuple[Texts, Integers, Integers]:
        """Encode distinct texts that are in files, and return their rows: (n,), (n,)."""
        used, row = np.unique(np.concatenate([left, right]), return_inverse=True)
        batch, which = self.encoder.encode(self.texts_at(self.first[used]))
        # a row for each text, also for equal ones of two data sets, so that their order is kept
        batch = replace(batch, rows=batch.rows.take(which))
        return batch, row[: len(left)], row[len(left) :]

    def exact_pairs(self) -> PairArrays:
        """Return pairs of equal strings: first text and copy, or first text of each data set."""
        cut = self.boundary
        if cut is None:
            firsts = self.first[self.distinct]
            right: Integers = np.flatnonzero(firsts != np.arange(len(firsts)))
            left = firsts[right]
        else:
            own, others = self.strings[:cut], self.strings[cut:]
            _, a, b = np.intersect1d(own, others, return_indices=True)
            left, right = self.first[:cut][a], self.first[cut:][b]
        return PairArrays.of(left, right - self.shift, 1.0, exact=True)

    def every_pair(self, parts: Iterator[PairArrays]) -> Iterator[PairArrays]:
        """Expand pairs of distinct texts to all their copies, in parts."""
        if self.others is None:
            several = np.flatnonzero(self.copies.lengths > 1)
            for _, a, b in self._products(several, several):
                a, b = a[a < b], b[a < b]
                yield PairArrays.of(a, b, 1.0, exact=True)
        for part in parts:
            if self.others is None:
                part = part.where(~part.exact)
            left, right = self.distinct[part.left], self.distinct[part.right + self.shift]
            for pair, a, b in self._products(left, right):
                first, second = np.minimum(a, b), np.maximum(a, b)
                yield PairArrays(first, second - self.shift, part.score[pair], part.exact[pair])

    def _products(
        self, left: Integers, right: Integers
    ) -> Iterator[tuple[Integers, Integers, Integers]]:
        """Pair each copy of left[i] with each copy of right[i]: i, left and right position."""
        copies = self.copies
        width = copies.lengths[right]
        ends = np.cumsum(copies.lengths[left] * width)
        total = int(ends[-1]) if len(ends) else 0
        for start in range(0, total, PART_PAIRS):
            number = np.arange(start, min(start + PART_PAIRS, total))
            pair = np.searchsorted(ends, number, side="right")
            row, column = np.divmod(number - np.concatenate([[0], ends])[pair], width[pair])
            a = copies.values[copies.offsets[left[pair]] + row]
            yield pair, a, copies.values[copies.offsets[right[pair]] + column]


def collect(encoder: Encoder, texts: TextList, others: TextList | None) -> tuple[Collection, Texts]:
    """Encode the texts; every distinct one of a data set gets one row."""
    everything = texts if others is None else texts + others
    batch, which = encoder.encode(everything)
    heads = np.empty(len(which), dtype=np.int64)
    for start, stop in ((0, len(texts)), (len(texts), len(which))):
        _, first, row = np.unique(which[start:stop], return_index=True, return_inverse=True)
        heads[start:stop] = first[row] + start
    found = Collection.of(texts, others, heads, which, blank_texts(everything), encoder)
    rows = which[found.first]
    if not np.array_equal(rows, np.arange(len(batch.rows))):
        batch = replace(batch, rows=batch.rows.take(rows))
    return replace(found, batch=batch), batch


def _taken(texts: Sequence[str], rows: Integers) -> list[str]:
    if isinstance(texts, ArrowTexts):
        found: list[str] = texts.__arrow_array__().take(rows).to_pylist()
        return found
    if isinstance(texts, list):
        return [texts[row] for row in rows.tolist()]
    return texts.take(rows)  # type: ignore[attr-defined,no-any-return]
