"""Words and texts as engines take them: ragged ids over a table of words.

A batch has each distinct text once. Pairs and matrices are then indices of texts, so that
anything that depends on one text alone is computed once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Integers, Ragged
from fuzzbow.errors import InputError


@dataclass(frozen=True)
class WordRules:
    """Similarities that are decided by letters instead of vectors.

    Two different numbers score 0. A word without a vector is compared by `letter_similarities`.
    A word scores 1 with itself.
    """

    numbers: Booleans  # (m,)
    unknown: Booleans  # (m,)
    trigrams: Ragged  # row per word: sorted ids of its trigrams
    letters: Ragged  # row per word: its code points if it is compared by edits, else none

    def take(self, words: Integers) -> WordRules:
        """Return the rules of the words at these positions."""
        parts = self.numbers[words], self.unknown[words]
        return WordRules(*parts, self.trigrams.take(words), self.letters.take(words))

    def __add__(self, more: WordRules) -> WordRules:
        """Concatenate the rules of these words and of others."""
        return WordRules(
            np.concatenate([self.numbers, more.numbers]),
            np.concatenate([self.unknown, more.unknown]),
            joined_rows(self.trigrams, more.trigrams),
            joined_rows(self.letters, more.letters),
        )


@dataclass(frozen=True)
class WordTable:
    """Table of distinct words; with rules, vectors have unit length."""

    vectors: Floats  # (m, d)
    weights: Floats | None = None  # (m,) as universe elements; None: all 1
    rules: WordRules | None = None

    @classmethod
    def empty(cls, rules: RowRules, dimension: int) -> WordTable:
        """Return a table without words, for rows by these rules."""
        vectors, nothing = np.zeros((0, dimension)), Ragged.from_rows([])
        if rules.form != "weighted":
            return cls(vectors)
        none = np.zeros(0, dtype=np.bool_)
        return cls(vectors, np.zeros(0), WordRules(none, none, nothing, nothing))

    def __len__(self) -> int:
        return len(self.vectors)

    def take(self, words: Integers) -> WordTable:
        """Return the table of the words at these positions."""
        weights = None if self.weights is None else self.weights[words]
        rules = None if self.rules is None else self.rules.take(words)
        return WordTable(self.vectors[words], weights, rules)

    def __add__(self, more: WordTable) -> WordTable:
        """Concatenate these words and those of another table of the same kind."""
        rules = None if self.rules is None or more.rules is None else self.rules + more.rules
        weights = None
        if self.weights is not None and more.weights is not None:
            weights = np.concatenate([self.weights, more.weights])
        return WordTable(np.concatenate([self.vectors, more.vectors]), weights, rules)


@dataclass(frozen=True)
class RowRules:
    """Rules by which the kernels make rows of a table from stored vectors, word by word.

    `form` is "plain" (vectors times factors), "lengthened" (unit vectors times the root of their
    weight) or "weighted" (unit vectors, weights and the similarities of `WordRules`).
    """

    form: str
    factors: Floats | None = None  # (V,) of vectors or weights
    normalise: bool = False
    preweighted: bool = False
    mean: Floats | None = None  # (d,) of a whitening
    matrix: Floats | None = None  # (d, d) of a whitening, transposed
    mean_length: float = 1.0
    smallest_weight: float = 0.0
    numbers: bool = False  # different numbers have nothing in common
    unknown: bool = False  # words without a vector are compared by letters, else left out
    punctuation: bool = True  # whether it takes part
    codes: bool = False  # words with a digit must match exactly
    number_weight: float = 1.0
    symbol_weight: float = 1.0
    unknown_weight: float = 1.0
    code_weight: float = 1.0
    decimal_weight: float = 1.0


@dataclass(frozen=True)
class Bags:
    """Texts as ids into a table; a bag also has a count for each id."""

    rows: Ragged
    counts: Floats | None = None  # (values,)

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, texts: Integers) -> Bags:
        """Select texts by position."""
        if self.counts is None:
            return Bags(self.rows.take(texts))
        positions = Ragged(np.arange(len(self.counts)), self.rows.offsets).take(texts)
        return Bags(self.rows.take(texts), self.counts[positions.values])

    def __add__(self, more: Bags) -> Bags:
        """Concatenate these texts and others over the same table."""
        rows = joined_rows(self.rows, more.rows)
        if self.counts is None or more.counts is None:
            return Bags(rows)
        return Bags(rows, np.concatenate([self.counts, more.counts]))

    def counts_of(self, text: int) -> Floats | None:
        """Return the counts of one text's words, if it is a bag: (k,)."""
        bounds = self.rows.offsets
        return None if self.counts is None else self.counts[bounds[text] : bounds[text + 1]]

    @property
    def plain_rows(self) -> Ragged:
        """Texts for BM25, each word as often as it occurs."""
        if self.counts is not None:
            raise InputError(
                "texts of BM25 must be without bag counts, as repeats count; got counts"
            )
        return self.rows


def joined_rows(a: Ragged, b: Ragged) -> Ragged:
    """Concatenate two ragged arrays."""
    return Ragged.from_lengths(
        np.concatenate([a.values, b.values]), np.concatenate([a.lengths, b.lengths])
    )


class Batch(NamedTuple):
    """Texts over a table of words."""

    table: WordTable
    texts: Bags


@dataclass(frozen=True)
class Queries:
    """Texts to search for, over their own table of words or, without one, that of the corpus."""

    texts: Bags
    table: WordTable | None = None  # (m,)
    corpus_ids: Integers | None = None  # (m,) id of each word in the corpus's table, -1 for none

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, texts: Integers) -> Queries:
        """Select queries by position."""
        return Queries(self.texts.take(texts), self.table, self.corpus_ids)

    def over(self, words: WordTable) -> Batch:
        """Return the queries over the words of the corpus, then their own."""
        if self.table is None:
            return Batch(words, self.texts)
        own = len(words) + np.arange(len(self.table))
        if self.corpus_ids is not None:
            own = np.where(self.corpus_ids < 0, own, self.corpus_ids)
        return Batch(words + self.table, Bags(self.texts.rows.map(own), self.texts.counts))
