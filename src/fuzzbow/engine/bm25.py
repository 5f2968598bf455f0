"""Fuzzy BM25 in NumPy, float64: the definition, which the compiled one is tested against."""

from __future__ import annotations

import math

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Integers, Ragged
from fuzzbow.engine.batch import similarities
from fuzzbow.engine.protocol import (
    Bags,
    Bm25Options,
    Bm25Statistics,
    DynamicOptions,
    Found,
    WordTable,
    joined_tables,
    plain_rows,
)


def gains(table: WordTable, a: Integers, b: Integers, options: Bm25Options) -> Floats:
    """Compute how far each word b stands for each word a, 0 to 1: (k,), (l,) -> (k, l)."""
    same = a[:, None] == b[None, :]
    if options.floor == 1.0:  # equality: another word of the same vector is another word
        return np.asarray(same, dtype=np.float64)
    found = np.minimum(similarities(table, a, b, DynamicOptions()), 1.0)
    found[same] = 1.0
    above = np.maximum(found - options.floor, 0.0) / (1.0 - options.floor)
    return np.asarray(above**options.power)


def inverse_frequencies(frequencies: Integers | Floats, documents: int) -> Floats:
    """BM25's ln(1 + (N - df + 1/2) / (df + 1/2)), never below 0: (m,) -> (m,).

    >>> inverse_frequencies(np.array([0, 1, 2]), 2).round(2).tolist()
    [1.79, 0.69, 0.18]
    """
    return np.asarray(np.log1p((documents - frequencies + 0.5) / (frequencies + 0.5)))


def norms(lengths: Integers, mean_length: float, options: Bm25Options) -> Floats:
    """Compute K, the count at which a word counts half, by length: (n,) -> (n,).

    Where the mean length is 0, every document has the mean length.
    """
    ratio = lengths / mean_length if mean_length > 0 else np.ones(len(lengths))
    return np.asarray(options.k1 * (1.0 - options.b + options.b * ratio))


def document_scores(
    table: WordTable,
    query: Integers,
    documents: Ragged,
    weights: Floats,
    mean_length: float,
    options: Bm25Options,
) -> Floats:
    """One query, (k,) with weights (k,), against documents, each the same in any batch: (n,)."""
    count, needed = len(documents), norms(documents.lengths, mean_length, options)
    owner = np.repeat(np.arange(count), documents.lengths)
    words, place = np.unique(documents.values, return_inverse=True)
    asked, row = np.unique(query, return_inverse=True)
    standing = gains(table, asked, words, options)
    shares = np.zeros((len(asked), count))
    for word, line in enumerate(standing):
        often = np.bincount(owner, line[place], minlength=count)
        np.divide(often, often + needed, out=shares[word], where=often > 0)
    total, scores = 0.0, np.zeros(count)
    for word, weight in zip(row.tolist(), weights.tolist(), strict=True):
        total += weight
        scores += weight * shares[word]
    return scores / total if total > 0 else np.zeros(count)


def bm25_pairs(
    table: WordTable,
    texts: Bags,
    left: Integers,
    right: Integers,
    weights: Floats,
    mean_length: float,
    options: Bm25Options,
) -> Floats:
    """Query left[i] with document right[i]: (n,), (n,) -> (n,)."""
    rows = plain_rows(texts)
    scores = [
        document_scores(
            table, rows[a], rows.take(right[[i]]), weights[rows[a]], mean_length, options
        )[0]
        for i, a in enumerate(left.tolist())
    ]
    return np.array(scores, dtype=np.float64)


class ReferenceBm25Corpus:
    """Search by scoring every document; any faster search must find the same."""

    def __init__(self, table: WordTable, documents: Bags, options: Bm25Options) -> None:
        self._table, self._rows, self._options = table, plain_rows(documents), options
        self._alive = np.ones(len(documents), dtype=np.bool_)
        self._collection: Bm25Statistics | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def statistics(self) -> Bm25Statistics:
        """Return the statistics of the documents here."""
        live = self._rows.take(np.flatnonzero(self._alive))
        owner = np.repeat(np.arange(len(live)), live.lengths)
        once = np.unique(np.stack([owner, live.values]), axis=1)[1]
        holders = np.bincount(once, minlength=len(self._table))
        return Bm25Statistics(len(live), len(live.values), holders)

    def weigh_by(self, table: WordTable, collection: Bm25Statistics) -> None:
        """Weigh words by a collection that the documents are a part of, until the next call."""
        self._table = joined_tables(self._table, table)
        self._collection = collection

    @property
    def mean_length(self) -> float:
        """Mean number of words of a live document, or of the collection; 0 without documents."""
        given = self._collection or self.statistics()
        return given.words / given.documents if given.documents else 0.0

    def word_weights(
        self, table: WordTable | None, words: Integers, corpus_ids: Integers | None
    ) -> Floats:
        """Weight times inverse document frequency of some words: (k,) -> (k,)."""
        joined, own = self._joined(table, corpus_ids)
        return self._weights(joined, own[words])

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
        """The k best documents of each query."""
        words, own = self._joined(table, corpus_ids)
        usable = self._alive if allowed is None else self._alive & allowed
        width = min(k, max(len(self), 1))
        documents = np.full((len(queries), width), -1, dtype=np.int64)
        best = np.zeros((len(queries), width))
        for query, row in enumerate(plain_rows(queries).map(own)):
            weights = self._weights(words, row)
            scores = document_scores(
                words, row, self._rows, weights, self.mean_length, self._options
            )
            order = np.argsort(-scores, kind="stable")
            order = order[usable[order] & (scores[order] >= min_score)][:width]
            documents[query, : len(order)] = order
            best[query, : len(order)] = scores[order]
        return Found(documents, best)

    def lexicon(self, table: WordTable, splitting: str | None) -> None:
        """None: queries come in batches only."""

    def append(self, table: WordTable, documents: Bags) -> None:
        """Add words at the end of the table, then documents over the whole table."""
        self._table = joined_tables(self._table, table)
        rows = plain_rows(documents)
        self._rows = Ragged.from_lengths(
            np.concatenate([self._rows.values, rows.values]),
            np.concatenate([self._rows.lengths, rows.lengths]),
        )
        self._alive = np.concatenate([self._alive, np.ones(len(documents), dtype=np.bool_)])

    def delete(self, documents: Integers) -> None:
        """Leave these documents out of every later search, and out of the statistics."""
        self._alive[documents] = False

    def memory_bytes(self) -> int:
        """Memory that the documents take, without the table of words."""
        return self._rows.values.nbytes + self._rows.offsets.nbytes + self._alive.nbytes

    def _joined(
        self, table: WordTable | None, corpus_ids: Integers | None
    ) -> tuple[WordTable, Integers]:
        """The corpus's words and those of queries, and where each of the latter is there."""
        if table is None:
            return self._table, np.arange(len(self._table))
        new = len(self._table) + np.arange(len(table))
        own = new if corpus_ids is None else np.where(corpus_ids < 0, new, corpus_ids)
        return joined_tables(self._table, table), own

    def _weights(self, table: WordTable, words: Integers) -> Floats:
        """The weights of words of a table that begins with the corpus's: (k,) -> (k,)."""
        given = self._collection or self.statistics()
        held = np.flatnonzero(given.holders)
        counted = gains(table, words, held, self._options) * given.holders[held]
        # exactly rounded, so that a weight does not depend on the order in which words came
        found = np.array([math.fsum(row) for row in counted.tolist()])
        frequency = np.minimum(given.documents, found)
        inverse = inverse_frequencies(frequency, given.documents)
        return np.asarray(inverse if table.weights is None else table.weights[words] * inverse)
