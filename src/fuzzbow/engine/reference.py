"""Reference engine in NumPy; every other engine must give the same results."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Floats, Integers, Ragged, blocks, products
from fuzzbow.engine.batch import DynamicBatch, aligned_similarities, similarities
from fuzzbow.engine.protocol import (
    Bm25Corpus,
    Bm25Options,
    Bm25Statistics,
    Bm25Weights,
    Corpus,
    DynamicOptions,
    Found,
    JoinOptions,
    Matches,
    SetOptions,
    TopK,
    shared_rows,
)
from fuzzbow.engine.tables import Bags, Batch, Queries, WordTable
from fuzzbow.fuzzy import Pooling, compare, pool

ROW_BLOCK = 64  # membership rows that one row is compared with together


@dataclass(frozen=True)
class Engine:
    """Operations by the formulas of `fuzzbow.fuzzy`; engines with kernels override them."""

    name: str = "reference"
    precision: type[np.floating[Any]] = np.float64  # vectors of this type are not copied

    def pairs(
        self, batch: Batch, left: Integers, right: Integers, options: DynamicOptions
    ) -> Floats:
        """Compare text left[i] with text right[i]: (n,), (n,) -> (n,)."""
        made = DynamicBatch(batch, options)
        pairs = zip(left.tolist(), right.tolist(), strict=True)
        return np.array([made.score(a, b) for a, b in pairs], dtype=np.float64)

    def matrix(
        self, batch: Batch, rows: Integers, columns: Integers, options: DynamicOptions
    ) -> Floats:
        """Compare every row text with every column text: (n,), (m,) -> (n, m)."""
        return DynamicBatch(batch, options).matrix(rows, columns)

    def similarities(
        self, table: WordTable, a: Integers, b: Integers, options: DynamicOptions
    ) -> Floats:
        """Compare each word a with each word b, in float64: (k,), (l,) -> (k, l)."""
        return similarities(table, a, b, options)

    def aligned_similarities(
        self, table: WordTable, a: Integers, b: Integers, options: DynamicOptions
    ) -> Floats:
        """Compare word a[i] with word b[i], in float64: (n,), (n,) -> (n,)."""
        return aligned_similarities(table, a, b, options)

    def lexicon(self, table: WordTable, options: DynamicOptions, splitting: str | None) -> Any:
        """Return a lexicon over a growing table of words, or None if there is no kernel.

        `splitting` names the kernels' tokenizer for texts that are strings.
        """
        return None

    def corpus(self, documents: Batch, options: DynamicOptions) -> Corpus:
        """Make a corpus of documents to search."""
        return ReferenceCorpus(documents, options)

    def bm25_corpus(self, documents: Batch, options: Bm25Options) -> Bm25Corpus:
        """Make a corpus of documents to search by fuzzy BM25."""
        return ReferenceBm25Corpus(documents, options)

    def bm25_pairs(
        self, batch: Batch, left: Integers, right: Integers, weights: Bm25Weights
    ) -> Floats:
        """Score query left[i] with document right[i], as a search does: (n,), (n,) -> (n,)."""
        rows = batch.texts.plain_rows
        scores = [
            document_scores(batch.table, rows[a], rows.take(right[[i]]), weights)[0]
            for i, a in enumerate(left.tolist())
        ]
        return np.array(scores, dtype=np.float64)

    def join(self, batch: Batch, options: DynamicOptions, join: JoinOptions) -> Iterator[Matches]:
        """Yield, in parts, all pairs of texts that score at least the threshold."""
        made = DynamicBatch(batch, options)
        everything = np.arange(len(batch.texts))
        rows = everything[: join.boundary]
        rows = rows[shared_rows(len(rows), join.share)]
        for down in made.blocks(rows):
            left = rows[down]
            others = everything[left[0] if join.boundary is None else join.boundary :]
            for across in made.blocks(others):
                matches = made.above(left, others[across], join.threshold)
                if len(matches.left):
                    yield matches
            join.progress(down.stop, len(rows))

    def memberships(self, word_rows: Floats, texts: Bags, pooling: Pooling) -> Floats:
        """Pool the rows of each text's words: (m, u), texts -> (texts, u)."""
        pooled = np.zeros((len(texts), word_rows.shape[1]))
        for text, words in enumerate(texts.rows):
            pooled[text] = pool(word_rows[words], pooling, texts.counts_of(text))
        return pooled

    def products(self, rows: Floats, columns: Floats) -> Floats:
        """Multiply rows, bitwise equal in any batch: (n, d), (m, d) -> (n, m) float64."""
        return products(float64(rows), float64(columns))

    def row_pairs(self, left: Floats, right: Floats, options: SetOptions) -> Floats:
        """Compare membership row i with row i: (n, u), (n, u) -> (n,)."""
        return compare(left, right, options.similarity, options.weights)

    def row_matrix(self, rows: Floats, columns: Floats, options: SetOptions) -> Floats:
        """Compare every membership row with every other: (n, u), (m, u) -> (n, m)."""
        scores = np.zeros((len(rows), len(columns)))
        for position, row in enumerate(rows):
            for part in blocks(len(columns), ROW_BLOCK):
                scores[position, part] = compare(
                    row, columns[part], options.similarity, options.weights
                )
        return scores


def float64(rows: Floats) -> NDArray[np.float64]:
    """Convert rows to double precision."""
    return np.ascontiguousarray(rows, dtype=np.float64)


class ReferenceCorpus:
    """Corpus whose search scores every document; faster searches must find the same."""

    def __init__(self, documents: Batch, options: Any) -> None:
        self._table, self._documents = documents.table, documents.texts
        self._alive = np.ones(len(self._documents), dtype=np.bool_)
        self._options = options  # of the measure
        self._own: dict[int, Floats] = {}  # memberships of a document's words in it

    def __len__(self) -> int:
        return len(self._documents)

    def _scores(self, queries: Batch, usable: Integers) -> Floats:
        """Score queries with documents, (q, n); the queries' table begins with this one."""
        memberships, texts = dict(self._own), len(self) + np.arange(len(queries.texts))
        both = Batch(queries.table, self._documents + queries.texts)
        scores = DynamicBatch(both, self._options, memberships).matrix(texts, usable)
        self._own = {text: own for text, own in memberships.items() if text < len(self)}
        return scores

    def search(self, queries: Queries, options: TopK) -> Found:
        """Find the k best documents of each query."""
        allowed = options.allowed
        usable = np.flatnonzero(self._alive if allowed is None else self._alive & allowed)
        scores = self._scores(queries.over(self._table), usable)
        width = min(options.k, max(len(self), 1))
        documents = np.full((len(queries), width), -1, dtype=np.int64)
        best = np.zeros((len(queries), width))
        for query, row in enumerate(scores):
            order = np.argsort(-row, kind="stable")
            order = order[row[order] >= options.min_score][:width]
            documents[query, : len(order)] = usable[order]
            best[query, : len(order)] = row[order]
        return Found(documents, best)

    def lexicon(self, table: WordTable, splitting: str | None) -> None:
        """Return None: queries come in batches only."""
        return

    def append(self, documents: Batch) -> None:
        """Add words at the end of the table, then documents over the whole table."""
        self._table = self._table + documents.table
        self._documents = self._documents + documents.texts
        self._alive = np.concatenate([self._alive, np.ones(len(documents.texts), dtype=np.bool_)])

    def delete(self, documents: Integers) -> None:
        """Exclude these documents from later searches."""
        self._alive[documents] = False

    def memory_bytes(self) -> int:
        """Return the bytes of memory used by the documents, without the table of words."""
        rows = self._documents.rows
        return rows.values.nbytes + rows.offsets.nbytes + self._alive.nbytes


class ReferenceBm25Corpus(ReferenceCorpus):
    """Documents under fuzzy BM25."""

    def __init__(self, documents: Batch, options: Bm25Options) -> None:
        super().__init__(Batch(documents.table, Bags(documents.texts.plain_rows)), options)
        self._collection: Bm25Statistics | None = None

    def statistics(self) -> Bm25Statistics:
        """Return the statistics of the documents that are not deleted."""
        live = self._documents.rows.take(np.flatnonzero(self._alive))
        owner = np.repeat(np.arange(len(live)), live.lengths)
        once = np.unique(np.stack([owner, live.values]), axis=1)[1]
        holders = np.bincount(once, minlength=len(self._table))
        return Bm25Statistics(len(live), len(live.values), holders)

    def with_frequencies(self, table: WordTable, collection: Bm25Statistics) -> None:
        """Weight words by a collection that includes the documents; the next call replaces it."""
        self._table = self._table + table
        self._collection = collection

    def weights(self, queries: Queries) -> Bm25Weights:
        """Return weight times inverse document frequency of the words of the queries' table."""
        table = queries.table
        count = len(self._table if table is None else table)
        everything = Bags(Ragged.from_lengths(np.arange(count), np.array([count])))
        batch = Queries(everything, table, queries.corpus_ids).over(self._table)
        return self._weights(batch.table, batch.texts.rows[0])

    def _scores(self, queries: Batch, usable: Integers) -> Floats:
        documents = self._documents.rows.take(usable)
        scores = np.zeros((len(queries.texts), len(usable)))
        for query, words in enumerate(queries.texts.plain_rows):
            used = np.unique(words)
            found = self._weights(queries.table, used)
            weights = np.zeros(len(queries.table))
            weights[used] = found.words
            found = replace(found, words=weights)
            scores[query] = document_scores(queries.table, words, documents, found)
        return scores

    def _weights(self, table: WordTable, words: Integers) -> Bm25Weights:
        """Return the weights of words of a table that begins with the corpus's: (k,) -> (k,)."""
        given = self._collection or self.statistics()
        held = np.flatnonzero(given.holders)
        counted = gains(table, words, held, self._options) * given.holders[held]
        # exactly rounded, so that a weight does not depend on the order in which words came
        found = np.array([math.fsum(row) for row in counted.tolist()])
        inverse = inverse_frequencies(np.minimum(given.documents, found), given.documents)
        weights = inverse if table.weights is None else table.weights[words] * inverse
        return Bm25Weights(np.asarray(weights), given.mean_length, self._options)


def gains(table: WordTable, a: Integers, b: Integers, options: Bm25Options) -> Floats:
    """Compute how much each word b counts for each word a, 0 to 1: (k,), (l,) -> (k, l)."""
    same = a[:, None] == b[None, :]
    if options.floor == 1.0:  # equality: another word of the same vector is another word
        return np.asarray(same, dtype=np.float64)
    found = np.minimum(similarities(table, a, b, DynamicOptions()), 1.0)
    found[same] = 1.0
    above = np.maximum(found - options.floor, 0.0) / (1.0 - options.floor)
    return np.asarray(above**options.power)


def inverse_frequencies(frequencies: Integers | Floats, documents: int) -> Floats:
    """Compute ln(1 + (N - df + 1/2) / (df + 1/2)), which is never negative: (m,) -> (m,).

    >>> inverse_frequencies(np.array([0, 1, 2]), 2).round(2).tolist()
    [1.79, 0.69, 0.18]
    """
    return np.asarray(np.log1p((documents - frequencies + 0.5) / (frequencies + 0.5)))


def norms(lengths: Integers, weights: Bm25Weights) -> Floats:
    """Compute K, the count at which a word counts half, by length: (n,) -> (n,).

    Where the mean length is 0, every document has the mean length.
    """
    mean, options = weights.mean_length, weights.options
    ratio = lengths / mean if mean > 0 else np.ones(len(lengths))
    return np.asarray(options.k1 * (1.0 - options.b + options.b * ratio))


def document_scores(
    table: WordTable, query: Integers, documents: Ragged, weights: Bm25Weights
) -> Floats:
    """Score one query, (k,), with documents, independently of the batch: (n,)."""
    count, needed = len(documents), norms(documents.lengths, weights)
    owner = np.repeat(np.arange(count), documents.lengths)
    words, position = np.unique(documents.values, return_inverse=True)
    asked, row = np.unique(query, return_inverse=True)
    standing = gains(table, asked, words, weights.options)
    shares = np.zeros((len(asked), count))
    for word, line in enumerate(standing):
        often = np.bincount(owner, line[position], minlength=count)
        np.divide(often, often + needed, out=shares[word], where=often > 0)
    total, scores = 0.0, np.zeros(count)
    for word, weight in zip(row.tolist(), weights.words[query].tolist(), strict=True):
        total += weight
        scores += weight * shares[word]
    return scores / total if total > 0 else np.zeros(count)
