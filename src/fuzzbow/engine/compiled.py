"""The engine on compiled kernels: float32, all cores, the same contract as the reference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow import _kernel
from fuzzbow.arrays import Booleans, Floats, Integers
from fuzzbow.engine.protocol import (
    Bags,
    DynamicOptions,
    Found,
    Matches,
    Progress,
    WordTable,
    unheard,
)
from fuzzbow.engine.reference import ReferenceCorpus, ReferenceEngine
from fuzzbow.engine.threads import current_threads
from fuzzbow.fuzzy import Pooling, SetSimilarity, WordSimilarity, unit_rows

FIRST_ROWS, FEWEST_ROWS, MOST_ROWS = 256, 16, 4096  # of a join, for a part of its result
JOIN_PAIRS = 1_000_000  # pairs in a part of it, about
UNKNOWN = 2  # bit of a word's kind; 1 is that of a number


def float32(array: Floats) -> NDArray[np.float32]:
    """The kernels' type and layout."""
    return np.ascontiguousarray(array, dtype=np.float32)


def optional32(array: Floats | None) -> NDArray[np.float32] | None:
    """The same for what may be absent."""
    return None if array is None else float32(array)


def int64(array: Integers) -> NDArray[np.int64]:
    """Ids and indices in the kernels' type and layout."""
    return np.ascontiguousarray(array, dtype=np.int64)


def _kernel_arrays(table: WordTable, options: DynamicOptions) -> tuple[Any, ...]:
    """Vectors, weights, kinds, trigram offsets and ids, as the kernels take them."""
    vectors = table.vectors
    if options.word_similarity is not WordSimilarity.DOT:
        vectors = unit_rows(vectors)  # under max with zero, a clipped cosine is a cosine
    weights = optional32(table.weights)
    if table.rules is None:
        return float32(vectors), weights, None, None, None
    rules = table.rules
    kinds = rules.numbers.astype(np.uint8) + UNKNOWN * rules.unknown.astype(np.uint8)
    letters = rules.trigrams
    ids = np.ascontiguousarray(letters.values, dtype=np.uint32)
    return float32(vectors), weights, kinds, letters.offsets, ids


def _kernel_table(table: WordTable, options: DynamicOptions) -> _kernel.Table:
    """A copy of the words in the kernels' own layout."""
    return _kernel.Table(*_kernel_arrays(table, options), unit=table.rules is not None)


def _kernel_texts(texts: Bags) -> Any:
    """Ids, offsets and counts, as the kernels take them."""
    ids = texts.rows.values
    if ids.dtype == np.int32:  # the same bits, and no copy of a whole corpus
        ids = ids.view(np.uint32)
    ids = np.ascontiguousarray(ids, dtype=np.uint32)
    return ids, np.ascontiguousarray(texts.rows.offsets), optional32(texts.counts)


@lru_cache(maxsize=64)
def _kernel_similarity(
    similarity: SetSimilarity, universe: str = "dynamic"
) -> _kernel.SetSimilarity:
    """The kernels' set similarity of the same name."""
    return _kernel.SetSimilarity(similarity.value, universe=universe)


def _similarity_of(options: DynamicOptions) -> _kernel.SetSimilarity:
    """The set similarity of a dynamic measure."""
    return _kernel_similarity(options.similarity)


def _compilable(options: DynamicOptions) -> bool:
    """Max-pooling has kernels; the ablations stay on the reference engine."""
    return options.pooling is Pooling.MAX


def _signed(rows: Floats) -> bool:
    """Averages, sums and minima may be negative; the kernels are for memberships."""
    return bool(rows.min(initial=0.0) < 0)


@dataclass(frozen=True)
class CompiledEngine:
    """Kernels for max-pooling and for membership rows; the rest is the reference's."""

    name: str = "compiled"
    precision: type[np.floating[Any]] = np.float32
    reference: ReferenceEngine = field(default_factory=ReferenceEngine, repr=False)

    def pairs(
        self,
        table: WordTable,
        texts: Bags,
        left: Integers,
        right: Integers,
        options: DynamicOptions,
    ) -> Floats:
        """Text left[i] with text right[i]: (n,), (n,) -> (n,)."""
        if not _compilable(options):
            return self.reference.pairs(table, texts, left, right, options)
        scores = _kernel.pairs(
            _kernel_table(table, options),
            _kernel_texts(texts),
            int64(left),
            int64(right),
            _similarity_of(options),
            threads=current_threads(),
        )
        return scores.astype(np.float64)

    def matrix(
        self,
        table: WordTable,
        texts: Bags,
        rows: Integers,
        columns: Integers,
        options: DynamicOptions,
    ) -> Floats:
        """Every row text with every column text: (n,), (m,) -> (n, m)."""
        if not _compilable(options):
            return self.reference.matrix(table, texts, rows, columns, options)
        scores = _kernel.matrix(
            _kernel_table(table, options),
            _kernel_texts(texts),
            int64(rows),
            int64(columns),
            _similarity_of(options),
            threads=current_threads(),
        )
        return scores.astype(np.float64)

    def corpus(
        self, table: WordTable, documents: Bags, options: DynamicOptions
    ) -> CompiledCorpus | ReferenceCorpus:
        """Documents ready for search."""
        if not _compilable(options):
            return self.reference.corpus(table, documents, options)
        return CompiledCorpus(table, documents, options)

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
        """Every pair i < j with a score of at least the threshold, a part at a time."""
        if not _compilable(options) or threshold <= 0:
            yield from self.reference.join(
                table, texts, options, threshold=threshold, boundary=boundary, progress=progress
            )
            return
        join = _kernel.Join(
            _kernel_table(table, options),
            _kernel_texts(texts),
            _similarity_of(options),
            threshold,
            boundary=boundary,
            threads=current_threads(),
        )
        start, rows = 0, FIRST_ROWS
        while start < len(join):
            stop = min(start + rows, len(join))
            left, right, scores = join.rows(start, stop, threads=current_threads())
            if len(left):
                yield Matches(left, right, scores.astype(np.float64))
            progress(stop, len(join))
            # near copies by the thousand must not fill the memory: fewer rows where pairs abound
            fitting = min(rows * JOIN_PAIRS // max(len(left), 1), 2 * rows)
            start, rows = stop, min(max(fitting, FEWEST_ROWS), MOST_ROWS)

    def memberships(self, word_rows: Floats, texts: Bags, pooling: Pooling) -> Floats:
        """Pooled rows of each text's words: (m, u), texts -> (texts, u)."""
        return _kernel.memberships(
            _kernel_texts(texts), float32(word_rows), pooling.value, threads=current_threads()
        )

    def row_pairs(
        self, left: Floats, right: Floats, similarity: SetSimilarity, weights: Floats | None = None
    ) -> Floats:
        """Membership row i with row i: (n, u), (n, u) -> (n,)."""
        if _signed(left) or _signed(right):
            return self.reference.row_pairs(left, right, similarity, weights)
        scores = _kernel.dense_pairs(
            float32(left),
            float32(right),
            _kernel_similarity(similarity),
            weights=optional32(weights),
            threads=current_threads(),
        )
        return scores.astype(np.float64)

    def row_matrix(
        self,
        rows: Floats,
        columns: Floats,
        similarity: SetSimilarity,
        weights: Floats | None = None,
    ) -> Floats:
        """Every membership row with every other: (n, u), (m, u) -> (n, m)."""
        if similarity is SetSimilarity.COSINE or _signed(rows) or _signed(columns):
            return self.reference.row_matrix(rows, columns, similarity, weights)  # cosine is BLAS
        scores = _kernel.dense_matrix(
            float32(rows),
            float32(columns),
            _kernel_similarity(similarity),
            weights=optional32(weights),
            threads=current_threads(),
        )
        return scores.astype(np.float64)


class CompiledCorpus:
    """Documents in the kernels' own layout."""

    def __init__(self, table: WordTable, documents: Bags, options: DynamicOptions) -> None:
        self._options = options
        self._table = _kernel_table(table, options)
        self._corpus = _kernel.Corpus(
            self._table,
            _kernel_texts(documents),
            _similarity_of(options),
            threads=current_threads(),
        )

    def __len__(self) -> int:
        return len(self._corpus)

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
        scores, documents, _ = self._corpus.search(
            _kernel_texts(queries),
            k,
            min_score,
            table=None if table is None else _kernel_table(table, self._options),
            corpus_ids=None if corpus_ids is None else int64(corpus_ids),
            allowed=None if allowed is None else allowed.astype(np.uint8),
            threads=current_threads(),
        )
        return Found(documents, scores.astype(np.float64))

    def append(self, table: WordTable, documents: Bags) -> None:
        """Add words at the end of the table, then documents over the whole table."""
        if len(table):
            self._table.append(*_kernel_arrays(table, self._options))
        self._corpus.append(_kernel_texts(documents), threads=current_threads())

    def delete(self, documents: Integers) -> None:
        """These documents never appear again."""
        self._corpus.delete(int64(documents))

    def memory_bytes(self) -> int:
        """Memory that the documents take, the table of words aside."""
        return self._corpus.memory_bytes()
