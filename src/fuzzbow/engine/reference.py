"""The engine in plain NumPy, float64: the definition, which other engines are tested against."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Booleans, Floats, Integers, Ragged, blocks, products
from fuzzbow.engine.batch import DynamicBatch, similarities
from fuzzbow.engine.bm25 import ReferenceBm25Corpus, bm25_pairs
from fuzzbow.engine.protocol import (
    Bags,
    Bm25Options,
    DynamicOptions,
    Found,
    Matches,
    WordTable,
    joined_tables,
    own_counts,
)
from fuzzbow.engine.share import WHOLE, Share, shared_rows
from fuzzbow.fuzzy import Pooling, SetSimilarity, compare, pool
from fuzzbow.progress import Progress, no_progress

ROW_BLOCK = 64  # membership rows that one row is compared with at once


@dataclass(frozen=True)
class ReferenceEngine:
    """Blocks of texts under the formulas of `fuzzbow.fuzzy`."""

    name: str = "reference"
    precision: type[np.floating[Any]] = np.float64

    def pairs(
        self,
        table: WordTable,
        texts: Bags,
        left: Integers,
        right: Integers,
        options: DynamicOptions,
    ) -> Floats:
        """Text left[i] with text right[i]: (n,), (n,) -> (n,)."""
        batch = DynamicBatch(table, texts, options)
        pairs = zip(left.tolist(), right.tolist(), strict=True)
        return np.array([batch.score(a, b) for a, b in pairs], dtype=np.float64)

    def matrix(
        self,
        table: WordTable,
        texts: Bags,
        rows: Integers,
        columns: Integers,
        options: DynamicOptions,
    ) -> Floats:
        """Every row text with every column text: (n,), (m,) -> (n, m)."""
        return DynamicBatch(table, texts, options).matrix(rows, columns)

    def similarities(
        self, table: WordTable, a: Integers, b: Integers, options: DynamicOptions
    ) -> Floats:
        """Similarity of each word a with each word b, in float64: (k,), (l,) -> (k, l)."""
        return similarities(table, a, b, options)

    def lexicon(self, table: WordTable, options: DynamicOptions, splitting: str | None) -> None:
        """None: it compares batches only."""

    def corpus(self, table: WordTable, documents: Bags, options: DynamicOptions) -> ReferenceCorpus:
        """Documents ready for search, by scoring all of them."""
        return ReferenceCorpus(table, documents, options)

    def bm25_corpus(
        self, table: WordTable, documents: Bags, options: Bm25Options
    ) -> ReferenceBm25Corpus:
        """Documents ready for search under fuzzy BM25, by scoring all of them."""
        return ReferenceBm25Corpus(table, documents, options)

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
        """Query left[i] with document right[i]: (n,), (n,) -> (n,)."""
        return bm25_pairs(table, texts, left, right, weights, mean_length, options)

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
        """Every pair i < j with a score of at least the threshold, a block at a time."""
        batch = DynamicBatch(table, texts, options)
        everything = np.arange(len(texts))
        rows = everything[:boundary]
        rows = rows[shared_rows(len(rows), share)]
        for down in batch.blocks(rows):
            left = rows[down]
            others = everything[left[0] if boundary is None else boundary :]
            for across in batch.blocks(others):
                matches = batch.above(left, others[across], threshold)
                if len(matches.left):
                    yield matches
            progress(down.stop, len(rows))

    def memberships(self, word_rows: Floats, texts: Bags, pooling: Pooling) -> Floats:
        """Pooled rows of each text's words: (m, u), texts -> (texts, u)."""
        pooled = np.zeros((len(texts), word_rows.shape[1]))
        for text, words in enumerate(texts.rows):
            pooled[text] = pool(word_rows[words], pooling, own_counts(texts, text))
        return pooled

    def products(self, rows: Floats, columns: Floats) -> Floats:
        """Dot products, each the same number in any batch: (n, d), (m, d) -> (n, m) float64."""
        return products(float64(rows), float64(columns))

    def row_pairs(
        self,
        left: Floats,
        right: Floats,
        similarity: SetSimilarity,
        weights: Floats | None = None,
        *,
        signed: bool,
    ) -> Floats:
        """Membership row i with row i: (n, u), (n, u) -> (n,)."""
        return compare(left, right, similarity, weights)

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
        scores = np.zeros((len(rows), len(columns)))
        for place, row in enumerate(rows):
            for part in blocks(len(columns), ROW_BLOCK):
                scores[place, part] = compare(row, columns[part], similarity, weights)
        return scores


def float64(rows: Floats) -> NDArray[np.float64]:
    """Convert rows to double precision."""
    return np.ascontiguousarray(rows, dtype=np.float64)


class ReferenceCorpus:
    """Search by scoring every document; any faster search must find the same."""

    def __init__(self, table: WordTable, documents: Bags, options: DynamicOptions) -> None:
        self._table, self._documents, self._options = table, documents, options
        self._alive = np.ones(len(documents), dtype=np.bool_)
        self._own: dict[int, Floats] = {}  # memberships of a document's words in it

    def __len__(self) -> int:
        return len(self._documents)

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
        words = self._table
        if table is not None and corpus_ids is not None:
            words = joined_tables(self._table, table)
            own = np.where(corpus_ids < 0, len(self._table) + np.arange(len(table)), corpus_ids)
            queries = Bags(queries.rows.map(own), queries.counts)
        both, memberships = joined_bags(self._documents, queries), dict(self._own)
        usable = np.flatnonzero(self._alive if allowed is None else self._alive & allowed)
        texts = len(self) + np.arange(len(queries))
        scores = DynamicBatch(words, both, self._options, memberships).matrix(texts, usable)
        self._own = {text: own for text, own in memberships.items() if text < len(self)}
        width = min(k, max(len(self), 1))
        documents = np.full((len(queries), width), -1, dtype=np.int64)
        best = np.zeros((len(queries), width))
        for query, row in enumerate(scores):
            order = np.argsort(-row, kind="stable")
            order = order[row[order] >= min_score][:width]
            documents[query, : len(order)] = usable[order]
            best[query, : len(order)] = row[order]
        return Found(documents, best)

    def lexicon(self, table: WordTable, splitting: str | None) -> None:
        """None: queries come in batches only."""

    def append(self, table: WordTable, documents: Bags) -> None:
        """Add words at the end of the table, then documents over the whole table."""
        self._table = joined_tables(self._table, table)
        self._documents = joined_bags(self._documents, documents)
        self._alive = np.concatenate([self._alive, np.ones(len(documents), dtype=np.bool_)])

    def delete(self, documents: Integers) -> None:
        """Leave these documents out of every later search."""
        self._alive[documents] = False

    def memory_bytes(self) -> int:
        """Memory that the documents take, without the table of words."""
        rows = self._documents.rows
        return rows.values.nbytes + rows.offsets.nbytes + self._alive.nbytes


def joined_bags(a: Bags, b: Bags) -> Bags:
    """The texts of one batch, then those of another over the same table."""
    rows = Ragged.from_lengths(
        np.concatenate([a.rows.values, b.rows.values]),
        np.concatenate([a.rows.lengths, b.rows.lengths]),
    )
    if a.counts is None or b.counts is None:
        return Bags(rows)
    return Bags(rows, np.concatenate([a.counts, b.counts]))
