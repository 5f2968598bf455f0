"""What every engine does: batches of texts, as ragged ids over a table of words.

A batch names each distinct text once. Pairs and matrices are then indices of texts, so
that whatever depends on one text alone is computed once for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Booleans, Floats, Integers, Ragged
from fuzzbow.fuzzy import Pooling, SetSimilarity, WordSimilarity


@dataclass(frozen=True)
class WordRules:
    """Similarities that letters decide, not vectors.

    Two different numbers have nothing in common. A word without a vector is compared by
    the Dice coefficient of the distinct character trigrams. A word is itself.
    """

    numbers: Booleans  # (m,)
    unknown: Booleans  # (m,)
    trigrams: Ragged  # row per word: sorted ids of its trigrams

    def take(self, words: Integers) -> WordRules:
        """The rules of some of the words."""
        return WordRules(self.numbers[words], self.unknown[words], self.trigrams.take(words))


@dataclass(frozen=True)
class WordTable:
    """Distinct words; with rules, vectors are of unit length and a word is 1 like itself."""

    vectors: Floats  # (m, d)
    weights: Floats | None = None  # (m,) as universe elements; None: all 1
    rules: WordRules | None = None

    def __len__(self) -> int:
        return len(self.vectors)

    def take(self, words: Integers) -> WordTable:
        """A table of some of the words."""
        weights = None if self.weights is None else self.weights[words]
        rules = None if self.rules is None else self.rules.take(words)
        return WordTable(self.vectors[words], weights, rules)


def joined_tables(a: WordTable, b: WordTable) -> WordTable:
    """The words of one table, then those of another of the same kind."""
    rules = None
    if a.rules is not None and b.rules is not None:
        trigrams = [a.rules.trigrams, b.rules.trigrams]
        rules = WordRules(
            np.concatenate([a.rules.numbers, b.rules.numbers]),
            np.concatenate([a.rules.unknown, b.rules.unknown]),
            Ragged.from_lengths(
                np.concatenate([part.values for part in trigrams]),
                np.concatenate([part.lengths for part in trigrams]),
            ),
        )
    weights = None
    if a.weights is not None and b.weights is not None:
        weights = np.concatenate([a.weights, b.weights])
    return WordTable(np.concatenate([a.vectors, b.vectors]), weights, rules)


@dataclass(frozen=True)
class Bags:
    """Texts as ids into a table; a bag has a count beside each id."""

    rows: Ragged
    counts: Floats | None = None  # (values,)

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, texts: Integers) -> Bags:
        """Some of the texts."""
        if self.counts is None:
            return Bags(self.rows.take(texts))
        places = Ragged(np.arange(len(self.counts)), self.rows.offsets).take(texts)
        return Bags(self.rows.take(texts), self.counts[places.values])


@dataclass(frozen=True)
class DynamicOptions:
    """A measure over the dynamic universe."""

    pooling: Pooling = Pooling.MAX
    similarity: SetSimilarity = SetSimilarity.JACCARD
    word_similarity: WordSimilarity = WordSimilarity.DOT


@dataclass(frozen=True)
class Found:
    """Best documents of each query, best first, ties by insertion; -1 where there are fewer."""

    documents: NDArray[np.int64]  # (q, k)
    scores: Floats  # (q, k)


@dataclass(frozen=True)
class Matches:
    """Pairs of texts at or above a threshold."""

    left: NDArray[np.int64]  # (n,)
    right: NDArray[np.int64]  # (n,)
    scores: Floats  # (n,)


Progress = Callable[[int, int], None]  # done, of how many


def unheard(done: int, total: int) -> None:
    """Progress that nobody asked for."""


class Corpus(Protocol):
    """Documents ready for exact top-k search under one dynamic max measure."""

    def __len__(self) -> int: ...

    def search(
        self,
        table: WordTable | None,
        queries: Bags,
        corpus_ids: Integers | None,
        *,
        k: int,
        min_score: float = 0.0,
        allowed: Booleans | None = None,
    ) -> Found:
        """The k best documents of each query.

        Queries bring their own table, (m,); `corpus_ids`, (m,), say which word of the
        corpus's table each is, -1 for none. Without a table, queries are over the
        corpus's own. `allowed`, (documents,), filters.
        """
        ...

    def append(self, table: WordTable, documents: Bags) -> None:
        """Add words at the end of the table, then documents over the whole table."""
        ...

    def delete(self, documents: Integers) -> None:
        """These documents never appear again."""
        ...

    def memory_bytes(self) -> int:
        """Memory that the documents take, the table of words aside."""
        ...


class Engine(Protocol):
    """The batch contract; every engine passes the same tests."""

    @property
    def name(self) -> str: ...

    @property
    def precision(self) -> type[np.floating[Any]]:
        """The type in which it computes, and takes vectors without a copy."""
        ...

    def pairs(
        self,
        table: WordTable,
        texts: Bags,
        left: Integers,
        right: Integers,
        options: DynamicOptions,
    ) -> Floats:
        """Text left[i] with text right[i]: (n,), (n,) -> (n,)."""
        ...

    def matrix(
        self,
        table: WordTable,
        texts: Bags,
        rows: Integers,
        columns: Integers,
        options: DynamicOptions,
    ) -> Floats:
        """Every row text with every column text: (n,), (m,) -> (n, m)."""
        ...

    def corpus(self, table: WordTable, documents: Bags, options: DynamicOptions) -> Corpus:
        """Documents ready for search."""
        ...

    def join(
        self,
        table: WordTable,
        texts: Bags,
        options: DynamicOptions,
        *,
        threshold: float,
        boundary: int | None = None,
        progress: Progress = unheard,
    ) -> Iterator[Matches]:
        """Every pair i < j with a score of at least the threshold, a part at a time.

        With a boundary, only pairs of a text before it with one from it on. `progress`
        hears how many texts, of how many, have met all their partners.
        """
        ...

    def memberships(self, word_rows: Floats, texts: Bags, pooling: Pooling) -> Floats:
        """Pooled rows of each text's words: (m, u), texts -> (texts, u)."""
        ...

    def row_pairs(
        self, left: Floats, right: Floats, similarity: SetSimilarity, weights: Floats | None = None
    ) -> Floats:
        """Membership row i with row i: (n, u), (n, u) -> (n,)."""
        ...

    def row_matrix(
        self,
        rows: Floats,
        columns: Floats,
        similarity: SetSimilarity,
        weights: Floats | None = None,
    ) -> Floats:
        """Every membership row with every other: (n, u), (m, u) -> (n, m)."""
        ...
