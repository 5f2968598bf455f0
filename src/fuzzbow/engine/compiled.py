"""The engine on compiled kernels: float32, all cores, the same contract as the reference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow import _kernel
from fuzzbow.arrays import Floats, Integers
from fuzzbow.engine.compiled_bm25 import CompiledBm25Corpus, bm25_pairs
from fuzzbow.engine.kernel_arrays import (
    float32,
    int64,
    kernel_arrays,
    kernel_table,
    kernel_texts,
    optional32,
)
from fuzzbow.engine.kernel_corpus import KernelCorpus
from fuzzbow.engine.kernel_lexicon import KernelPairLexicon
from fuzzbow.engine.protocol import (
    Bags,
    Bm25Options,
    DynamicOptions,
    Matches,
    WordTable,
)
from fuzzbow.engine.reference import ReferenceCorpus, ReferenceEngine, float64
from fuzzbow.engine.share import WHOLE, Share, shared_rows
from fuzzbow.engine.threads import current_threads
from fuzzbow.fuzzy import COSINE, Pooling, SetSimilarity, Universe
from fuzzbow.progress import Progress, no_progress

FIRST_ROWS, FEWEST_ROWS, MOST_ROWS = 256, 16, 4096  # of a join, in one part of its result
JOIN_PAIRS = 1_000_000  # about how many pairs one part should have


@lru_cache(maxsize=64)
def _kernel_similarity(
    similarity: SetSimilarity, universe: Universe = Universe.DYNAMIC
) -> _kernel.SetSimilarity:
    """The kernels' set similarity of the same formula."""
    return _kernel.SetSimilarity(similarity.family, similarity.parameters, universe=universe.value)


def _similarity_of(options: DynamicOptions) -> _kernel.SetSimilarity:
    """The set similarity of a dynamic measure."""
    return _kernel_similarity(options.similarity, options.universe)


def _compilable(options: DynamicOptions) -> bool:
    """Max-pooling has kernels; the ablations stay on the reference engine."""
    return options.pooling is Pooling.MAX and _has_kernel(options.similarity)


@lru_cache(maxsize=64)
def _has_kernel(similarity: SetSimilarity) -> bool:
    """Return whether the kernels know the formula; others run on the reference engine."""
    try:
        _kernel_similarity(similarity)
    except ValueError:
        return False
    return True


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
            kernel_table(table, options.word_similarity),
            kernel_texts(texts),
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
            kernel_table(table, options.word_similarity),
            kernel_texts(texts),
            int64(rows),
            int64(columns),
            _similarity_of(options),
            threads=current_threads(),
        )
        return scores.astype(np.float64)

    def similarities(
        self, table: WordTable, a: Integers, b: Integers, options: DynamicOptions
    ) -> Floats:
        """Similarity of each word a with each word b, in float64: (k,), (l,) -> (k, l)."""
        return self.reference.similarities(table, a, b, options)

    def lexicon(
        self, table: WordTable, options: DynamicOptions, splitting: str | None
    ) -> KernelPairLexicon | None:
        """A lexicon over a table that grows, or None where there are no kernels for the options."""
        if not _compilable(options):
            return None
        return KernelPairLexicon(
            kernel_table(table, options.word_similarity),
            lambda new: kernel_arrays(new, options.word_similarity),
            splitting,
            _similarity_of(options),
        )

    def corpus(
        self, table: WordTable, documents: Bags, options: DynamicOptions
    ) -> CompiledCorpus | ReferenceCorpus:
        """Documents ready for search."""
        if not _compilable(options):
            return self.reference.corpus(table, documents, options)
        return CompiledCorpus(table, documents, options)

    def bm25_corpus(
        self, table: WordTable, documents: Bags, options: Bm25Options
    ) -> CompiledBm25Corpus:
        """Documents ready for search under fuzzy BM25."""
        return CompiledBm25Corpus(table, documents, options)

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
        """Every pair i < j with a score of at least the threshold, a part at a time."""
        if not _compilable(options) or threshold <= 0:
            yield from self.reference.join(
                table,
                texts,
                options,
                threshold=threshold,
                boundary=boundary,
                share=share,
                progress=progress,
            )
            return
        join = _kernel.Join(
            kernel_table(table, options.word_similarity),
            kernel_texts(texts),
            _similarity_of(options),
            threshold,
            boundary=boundary,
            threads=current_threads(),
        )
        mine = shared_rows(len(join), share)
        start, rows = mine.start, FIRST_ROWS
        while start < mine.stop:
            stop = min(start + rows, mine.stop)
            left, right, scores = join.rows(start, stop, threads=current_threads())
            if len(left):
                yield Matches(left, right, scores.astype(np.float64))
            progress(stop - mine.start, mine.stop - mine.start)
            # where there are many pairs the next part has fewer rows, to stay within memory
            fitting = min(rows * JOIN_PAIRS // max(len(left), 1), 2 * rows)
            start, rows = stop, min(max(fitting, FEWEST_ROWS), MOST_ROWS)

    def memberships(self, word_rows: Floats, texts: Bags, pooling: Pooling) -> Floats:
        """Pooled rows of each text's words: (m, u), texts -> (texts, u)."""
        return _kernel.memberships(
            kernel_texts(texts), float32(word_rows), pooling.value, threads=current_threads()
        )

    def products(self, rows: Floats, columns: Floats) -> Floats:
        """Dot products, each the same number in any batch: (n, d), (m, d) -> (n, m) float64."""
        return _kernel.products(float64(rows), float64(columns), threads=current_threads())

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
        if similarity == COSINE:
            a, b = _weighed(left, weights), _weighed(right, weights)
            overlap = _kernel.row_products(a, b, threads=current_threads())
            return COSINE.ratio(overlap, _squares(a), _squares(b))
        if signed or not _has_kernel(similarity):
            return self.reference.row_pairs(left, right, similarity, weights, signed=True)
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
        *,
        signed: bool,
    ) -> Floats:
        """Every membership row with every other: (n, u), (m, u) -> (n, m)."""
        if similarity == COSINE:
            a, b = _weighed(rows, weights), _weighed(columns, weights)
            overlap = _kernel.products(a, b, threads=current_threads())
            return COSINE.ratio(overlap, _squares(a)[:, None], _squares(b)[None, :])
        if signed or not _has_kernel(similarity):
            return self.reference.row_matrix(rows, columns, similarity, weights, signed=True)
        scores = _kernel.dense_matrix(
            float32(rows),
            float32(columns),
            _kernel_similarity(similarity),
            weights=optional32(weights),
            threads=current_threads(),
        )
        return scores.astype(np.float64)


def _weighed(rows: Floats, weights: Floats | None) -> NDArray[np.float64]:
    """Rows whose products are weighted: (n, u), (u,) -> (n, u)."""
    return float64(rows if weights is None else rows * np.sqrt(weights))


def _squares(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The product of each row with itself: (n, u) -> (n,)."""
    return _kernel.row_products(rows, rows, threads=current_threads())


class CompiledCorpus(KernelCorpus):
    """Documents in the kernels' own layout."""

    def __init__(self, table: WordTable, documents: Bags, options: DynamicOptions) -> None:
        self._options = options
        self._table = kernel_table(table, options.word_similarity)
        self._corpus = _kernel.Corpus(
            self._table,
            kernel_texts(documents),
            _similarity_of(options),
            threads=current_threads(),
        )

    def _kernel_table(self, table: WordTable) -> Any:
        return kernel_table(table, self._options.word_similarity)

    def _arrays(self, table: WordTable) -> Any:
        return kernel_arrays(table, self._options.word_similarity)

    def _texts(self, texts: Bags) -> Any:
        return kernel_texts(texts)
