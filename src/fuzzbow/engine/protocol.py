"""The contract of engines: they compare batches of texts, as ragged ids over a table of words.

A batch names each distinct text once. Pairs and matrices are then indices of texts, so
that whatever depends on one text alone is computed once for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Booleans, Floats, Integers, Ragged
from fuzzbow.engine.share import WHOLE, Share
from fuzzbow.errors import InputError
from fuzzbow.fuzzy import JACCARD, Pooling, SetSimilarity, Universe, WordSimilarity
from fuzzbow.progress import Progress, no_progress

if TYPE_CHECKING:
    from fuzzbow.engine.lexicon import PairLexicon, QueryLexicon


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
        """The rules of some of the words."""
        return WordRules(
            self.numbers[words],
            self.unknown[words],
            self.trigrams.take(words),
            self.letters.take(words),
        )


@dataclass(frozen=True)
class WordTable:
    """Distinct words; with rules, vectors have unit length and a word scores 1 with itself."""

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
        rules = WordRules(
            np.concatenate([a.rules.numbers, b.rules.numbers]),
            np.concatenate([a.rules.unknown, b.rules.unknown]),
            _joined_rows(a.rules.trigrams, b.rules.trigrams),
            _joined_rows(a.rules.letters, b.rules.letters),
        )
    weights = None
    if a.weights is not None and b.weights is not None:
        weights = np.concatenate([a.weights, b.weights])
    return WordTable(np.concatenate([a.vectors, b.vectors]), weights, rules)


def _joined_rows(a: Ragged, b: Ragged) -> Ragged:
    return Ragged.from_lengths(
        np.concatenate([a.values, b.values]), np.concatenate([a.lengths, b.lengths])
    )


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


def own_counts(texts: Bags, text: int) -> Floats | None:
    """The counts of one text's words, if it is a bag: (k,)."""
    if texts.counts is None:
        return None
    return texts.counts[texts.rows.offsets[text] : texts.rows.offsets[text + 1]]


def plain_rows(texts: Bags) -> Ragged:
    """The texts where repeats count, and bag counts have no meaning."""
    if texts.counts is not None:
        raise InputError("texts of BM25 must be without bag counts, as repeats count; got counts")
    return texts.rows


@dataclass(frozen=True)
class DynamicOptions:
    """Options of comparing two texts over the words of both, or of the first alone."""

    pooling: Pooling = Pooling.MAX
    similarity: SetSimilarity = JACCARD
    word_similarity: WordSimilarity = WordSimilarity.DOT
    universe: Universe = Universe.DYNAMIC  # or QUERY

    @property
    def symmetric(self) -> bool:
        """Return whether both orders of two texts score the same."""
        return self.similarity.symmetric and self.universe is Universe.DYNAMIC


@dataclass(frozen=True)
class Bm25Options:
    """Options of fuzzy BM25: floor and power of similarities, k1 and b of counts.

    A word v counts g(s) for a query word u of similarity s: 0 up to the floor, then
    ((s - floor)/(1 - floor))^power. A floor of 1 means equality: only the word itself counts.
    A sum of tf counts tf/(tf + K), K = k1·(1 - b + b·|D|/mean|D|).
    """

    k1: float = 1.5
    b: float = 0.75
    floor: float = 0.45
    power: float = 1.5

    def __post_init__(self) -> None:
        _check_within(self.k1, "k1", "finite and at least 0", 0 <= self.k1 < np.inf)
        _check_within(self.b, "b", "from 0 to 1", 0 <= self.b <= 1)
        _check_within(self.floor, "floor", "from 0 to 1", 0 <= self.floor <= 1)
        _check_within(self.power, "power", "finite and above 0", 0 < self.power < np.inf)


def _check_within(value: float, name: str, needed: str, fits: bool) -> None:
    """Refuse a parameter of BM25 that does not fit."""
    if not fits:
        raise InputError(f"{name} must be {needed}; got {value}")


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

    def lexicon(self, table: WordTable, splitting: str | None) -> QueryLexicon | None:
        """A lexicon of queries over a table that grows, or None where the engine has none."""
        ...

    def append(self, table: WordTable, documents: Bags) -> None:
        """Add words at the end of the table, then documents over the whole table."""
        ...

    def delete(self, documents: Integers) -> None:
        """Leave these documents out of every later search."""
        ...

    def memory_bytes(self) -> int:
        """Memory that the documents take, without the table of words."""
        ...


@dataclass(frozen=True)
class Bm25Statistics:
    """Statistics for the weights of words, of a corpus or of a collection."""

    documents: int
    words: int  # of all documents, repeats too
    holders: Integers = field(repr=False)  # (m,) documents that hold each word of the table


class Bm25Corpus(Corpus, Protocol):
    """Documents ready for exact top-k search under fuzzy BM25, and their statistics.

    Deleted documents leave the statistics too.
    """

    def statistics(self) -> Bm25Statistics:
        """Return the statistics of the documents here."""
        ...

    def weigh_by(self, table: WordTable, collection: Bm25Statistics) -> None:
        """Weigh words by a collection that the documents are a part of, until the next call.

        New words go to the end of the table first; the statistics are over the whole table.
        """
        ...

    @property
    def mean_length(self) -> float:
        """Mean number of words of a live document; 0 without documents."""
        ...

    def word_weights(
        self, table: WordTable | None, words: Integers, corpus_ids: Integers | None
    ) -> Floats:
        """Weight times inverse document frequency of some words of the table: (k,) -> (k,)."""
        ...


class Engine(Protocol):
    """Operations of every engine; all engines pass the same tests."""

    @property
    def name(self) -> str: ...

    @property
    def precision(self) -> type[np.floating[Any]]:
        """The type it computes in; vectors of this type are not copied."""
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

    def similarities(
        self, table: WordTable, a: Integers, b: Integers, options: DynamicOptions
    ) -> Floats:
        """Similarity of each word a with each word b, in float64: (k,), (l,) -> (k, l)."""
        ...

    def lexicon(
        self, table: WordTable, options: DynamicOptions, splitting: str | None
    ) -> PairLexicon | None:
        """A lexicon over a table that grows, or None where the engine has none for the options.

        `splitting` names the tokenizer of texts that are no lists of words.
        """
        ...

    def corpus(self, table: WordTable, documents: Bags, options: DynamicOptions) -> Corpus:
        """Documents ready for search."""
        ...

    def bm25_corpus(self, table: WordTable, documents: Bags, options: Bm25Options) -> Bm25Corpus:
        """Documents ready for search under fuzzy BM25."""
        ...

    def bm25_pairs(
        self,
        table: WordTable,
        texts: Bags,
        left: Integers,
        right: Integers,
        weights: Floats,
        mean_length: float,
        options: Bm25Options,
    ) -> Floats:
        """Query left[i] with document right[i]: (n,), (n,) -> (n,).

        `weights`, (m,), of the table's words and `mean_length` are a corpus's; a score then
        has the same bits as its search gives.
        """
        ...

    def join(
        self,
        table: WordTable,
        texts: Bags,
        options: DynamicOptions,
        *,
        threshold: float,
        boundary: int | None = None,
        share: Share = WHOLE,
        progress: Progress = no_progress,
    ) -> Iterator[Matches]:
        """Every pair i < j with a score of at least the threshold, a part at a time.

        With a boundary, only pairs of a text before it with one from it on. A `share` has the
        pairs that are found from some of the texts: all shares together have each pair once,
        where each compares the same texts. `progress`
        is told how many texts, of how many, have been compared with all others.
        """
        ...

    def memberships(self, word_rows: Floats, texts: Bags, pooling: Pooling) -> Floats:
        """Pooled rows of each text's words: (m, u), texts -> (texts, u)."""
        ...

    def products(self, rows: Floats, columns: Floats) -> Floats:
        """Dot products, each the same number in any batch: (n, d), (m, d) -> (n, m) float64."""
        ...

    def row_pairs(
        self,
        left: Floats,
        right: Floats,
        similarity: SetSimilarity,
        weights: Floats | None = None,
        *,
        signed: bool,
    ) -> Floats:
        """Membership row i with row i: (n, u), (n, u) -> (n,).

        `signed` says that rows of this kind may hold negative values, whether these do or not:
        the score of two rows must not depend on what else is in the batch.
        """
        ...

    def row_matrix(
        self,
        rows: Floats,
        columns: Floats,
        similarity: SetSimilarity,
        weights: Floats | None = None,
        *,
        signed: bool,
    ) -> Floats:
        """Every membership row with every other: (n, u), (m, u) -> (n, m)."""
        ...
