"""Texts as ids of words: of the vocabulary, or of the distinct words of a batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans, Integers, Ragged
from fuzzbow.vectors import WordVectors


@dataclass(frozen=True)
class TokenIds:
    """Texts as ids of words; words outside the vocabulary are numbered after it."""

    rows: Ragged  # row per text
    unknown: Sequence[str]  # the words outside the vocabulary, each once

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, rows: Integers) -> TokenIds:
        """Select texts by position."""
        return TokenIds(self.rows.take(rows), self.unknown)


@dataclass(frozen=True)
class BatchWords(Sequence[str]):
    """Distinct words of a batch by id, decoded when they are read; ids are those of `TokenIds`."""

    vectors: WordVectors
    ids: Integers  # (m,), in order
    unknown: Sequence[str]

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, position: int | slice) -> Any:
        if isinstance(position, slice):
            return BatchWords(self.vectors, self.ids[position], self.unknown)
        word, known = int(self.ids[position]), len(self.vectors)
        return self.vectors.words[word] if word < known else self.unknown[word - known]

    def __iter__(self) -> Iterator[str]:
        size = len(self.vectors)
        known = self.ids < size
        yield from decoded(self.vectors, self.ids[known])  # unknown words have the highest ids
        yield from (self.unknown[word - size] for word in self.ids[~known].tolist())


def decoded(vectors: WordVectors, ids: Integers) -> list[str]:
    """Return the words of vocabulary ids; many are decoded together: (n,) -> n words."""
    words = vectors.words if len(ids) * 16 < len(vectors) else list(vectors.words)
    return [words[word] for word in ids.tolist()]


@dataclass(frozen=True)
class Texts:
    """Distinct texts, as ids over the distinct words that they use."""

    words: BatchWords  # (m,)
    rows: Ragged  # row per text: ids into `words`

    @property
    def vocabulary_ids(self) -> Integers:
        """Id of each word in the vocabulary, -1 for a word outside it: (m,)."""
        ids = self.words.ids
        return np.where(ids < len(self.words.vectors), ids, -1)

    def tokens(self) -> TokenIds:
        """Return the texts as ids of the vocabulary and of unknown words."""
        return TokenIds(self.rows.map(self.words.ids), self.words.unknown)

    def take(self, rows: Integers) -> Texts:
        """Select texts by position, with the words that they use."""
        chosen = self.rows.take(rows)
        used, positions = np.unique(chosen.values, return_inverse=True)
        words = BatchWords(self.words.vectors, self.words.ids[used], self.words.unknown)
        return Texts(words, Ragged(positions, chosen.offsets))

    def known_rows(self, known: Booleans) -> Ragged:
        """Return the texts without their unknown words; `known` is (m,)."""
        return self.rows if known.all() else self.rows.keep(known[self.rows.values])
