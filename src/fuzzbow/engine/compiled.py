"""Compiled engine: kernels for max-pooling and membership rows, NumPy for the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow import _kernel
from fuzzbow.arrays import Floats, Integers
from fuzzbow.engine.kernel import (
    KernelBm25Corpus,
    KernelCorpus,
    KernelLexicon,
    float32,
    int64,
    kernel_arrays,
    kernel_table,
    kernel_texts,
    optional32,
)
from fuzzbow.engine.protocol import (
    Bm25Corpus,
    Bm25Options,
    Bm25Weights,
    Corpus,
    DynamicOptions,
    JoinOptions,
    Matches,
    SetOptions,
    shared_rows,
)
from fuzzbow.engine.reference import Engine, float64
from fuzzbow.engine.tables import Bags, Batch, WordTable
from fuzzbow.engine.threads import current_threads
from fuzzbow.fuzzy import COSINE, Pooling, SetSimilarity, Universe, WordSimilarity

FIRST_ROWS, FEWEST_ROWS, MOST_ROWS = 256, 16, 4096  # of a join, in one part of its result
JOIN_PAIRS = 1_000_000  # about how many pairs one part should have


@lru_cache(maxsize=64)
def kernel_similarity(
    similarity: SetSimilarity, universe: Universe = Universe.DYNAMIC
) -> _kernel.SetSimilarity | None:
    """Return the kernels' set similarity of the same formula, or None if they have none."""
    try:
        return _kernel.SetSimilarity(
            similarity.family, similarity.parameters, universe=universe.value
        )
    except ValueError:
        return None


def similarity_of(options: DynamicOptions) -> Any:
    """Return the kernels' set similarity of a dynamic measure, or None if there is no kernel."""
    if options.pooling is not Pooling.MAX:
        return None
    return kernel_similarity(options.similarity, options.universe)


@dataclass(frozen=True)
class CompiledEngine(Engine):
    """Engine that uses compiled kernels where they exist."""

    name: str = "compiled"
    precision: type[np.floating[Any]] = np.float32

    def pairs(
        self, batch: Batch, left: Integers, right: Integers, options: DynamicOptions
    ) -> Floats:
        """Compare text left[i] with text right[i]: (n,), (n,) -> (n,)."""
        if similarity_of(options) is None:
            return super().pairs(batch, left, right, options)
        return _scores(_kernel.pairs, batch, left, right, options)

    def matrix(
        self, batch: Batch, rows: Integers, columns: Integers, options: DynamicOptions
    ) -> Floats:
        """Compare every row text with every column text: (n,), (m,) -> (n, m)."""
        if similarity_of(options) is None:
            return super().matrix(batch, rows, columns, options)
        return _scores(_kernel.matrix, batch, rows, columns, options)

    def lexicon(
        self, table: WordTable, options: DynamicOptions, splitting: str | None
    ) -> KernelLexicon | None:
        """Return a lexicon over a growing table of words, or None if there is no kernel."""
        similarity, words = similarity_of(options), options.word_similarity
        if similarity is None:
            return None
        arrays = partial(kernel_arrays, similarity=words)
        learns, made = words is WordSimilarity.DOT, kernel_table(table, words)
        return KernelLexicon(made, arrays, splitting, similarity=similarity, learns=learns)

    def corpus(self, documents: Batch, options: DynamicOptions) -> Corpus:
        """Make a corpus of documents to search."""
        if similarity_of(options) is None:
            return super().corpus(documents, options)
        return KernelCorpus(documents, options.word_similarity, maker_of(options))

    def bm25_corpus(self, documents: Batch, options: Bm25Options) -> Bm25Corpus:
        """Make a corpus of documents to search by fuzzy BM25."""
        return KernelBm25Corpus(documents, options)

    def bm25_pairs(
        self, batch: Batch, left: Integers, right: Integers, weights: Bm25Weights
    ) -> Floats:
        """Score query left[i] with document right[i], as a search does: (n,), (n,) -> (n,)."""
        scores = _kernel.bm25_pairs(
            kernel_table(batch.table, unit=True),
            kernel_texts(Bags(batch.texts.plain_rows)),
            int64(left),
            int64(right),
            float64(weights.words),
            weights.mean_length,
            **vars(weights.options),
            threads=current_threads(),
        )
        return scores.astype(np.float64)

    def join(self, batch: Batch, options: DynamicOptions, join: JoinOptions) -> Iterator[Matches]:
        """Yield, in parts, all pairs of texts that score at least the threshold."""
        if similarity_of(options) is None or join.threshold <= 0:
            yield from super().join(batch, options, join)
            return
        made = _kernel.Join(
            kernel_table(batch.table, options.word_similarity),
            kernel_texts(batch.texts),
            similarity_of(options),
            join.threshold,
            boundary=join.boundary,
            threads=current_threads(),
        )
        mine = shared_rows(len(made), join.share)
        start, rows = mine.start, FIRST_ROWS
        while start < mine.stop:
            stop = min(start + rows, mine.stop)
            left, right, scores = made.rows(start, stop, threads=current_threads())
            if len(left):
                yield Matches(left, right, scores.astype(np.float64))
            join.progress(stop - mine.start, mine.stop - mine.start)
            # where there are many pairs the next part has fewer rows, to limit memory
            fitting = min(rows * JOIN_PAIRS // max(len(left), 1), 2 * rows)
            start, rows = stop, min(max(fitting, FEWEST_ROWS), MOST_ROWS)

    def memberships(self, word_rows: Floats, texts: Bags, pooling: Pooling) -> Floats:
        """Pool the rows of each text's words: (m, u), texts -> (texts, u)."""
        return _kernel.memberships(
            kernel_texts(texts), float32(word_rows), pooling.value, threads=current_threads()
        )

    def products(self, rows: Floats, columns: Floats) -> Floats:
        """Multiply rows, bitwise equal in any batch: (n, d), (m, d) -> (n, m) float64."""
        return _kernel.products(float64(rows), float64(columns), threads=current_threads())

    def row_pairs(self, left: Floats, right: Floats, options: SetOptions) -> Floats:
        """Compare membership row i with row i: (n, u), (n, u) -> (n,)."""
        if options.similarity == COSINE:
            a, b = _apply_weights(left, options), _apply_weights(right, options)
            overlap = _kernel.row_products(a, b, threads=current_threads())
            return COSINE.ratio(overlap, _squares(a), _squares(b))
        if _is_dense(options):
            return _dense(_kernel.dense_pairs, left, right, options)
        return super().row_pairs(left, right, options)

    def row_matrix(self, rows: Floats, columns: Floats, options: SetOptions) -> Floats:
        """Compare every membership row with every other: (n, u), (m, u) -> (n, m)."""
        if options.similarity == COSINE:
            a, b = _apply_weights(rows, options), _apply_weights(columns, options)
            overlap = _kernel.products(a, b, threads=current_threads())
            return COSINE.ratio(overlap, _squares(a)[:, None], _squares(b)[None, :])
        if _is_dense(options):
            return _dense(_kernel.dense_matrix, rows, columns, options)
        return super().row_matrix(rows, columns, options)


def maker_of(options: DynamicOptions) -> Callable[..., _kernel.Corpus]:
    """Return a function that makes a corpus of the kernels for a dynamic measure."""
    return lambda table, texts, threads: _kernel.Corpus(
        table, texts, similarity_of(options), threads=threads
    )


def _scores(
    kernel: Any, batch: Batch, left: Integers, right: Integers, options: DynamicOptions
) -> Floats:
    """Call a kernel of pairs or of a matrix."""
    table, texts = kernel_table(batch.table, options.word_similarity), kernel_texts(batch.texts)
    sides, threads = (int64(left), int64(right)), current_threads()
    scores = kernel(table, texts, *sides, similarity_of(options), threads=threads)
    return np.asarray(scores, dtype=np.float64)


def _is_dense(options: SetOptions) -> bool:
    """Return whether there is a kernel for membership rows."""
    return not options.signed and kernel_similarity(options.similarity) is not None


def _dense(kernel: Any, left: Floats, right: Floats, options: SetOptions) -> Floats:
    """Call a kernel of membership rows."""
    similarity, weights = kernel_similarity(options.similarity), optional32(options.weights)
    sides, threads = (float32(left), float32(right)), current_threads()
    scores = kernel(*sides, similarity, weights=weights, threads=threads)
    return np.asarray(scores, dtype=np.float64)


def _apply_weights(rows: Floats, options: SetOptions) -> NDArray[np.float64]:
    """Scale rows by √weights, so that their products are weighted: (n, u), (u,) -> (n, u)."""
    return float64(rows if options.weights is None else rows * np.sqrt(options.weights))


def _squares(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Multiply each row with itself: (n, u) -> (n,)."""
    return _kernel.row_products(rows, rows, threads=current_threads())
