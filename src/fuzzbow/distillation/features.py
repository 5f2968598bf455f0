"""Where the training starts: features of words, the map from them to vectors, and weights.

A vector is x = f·M + δ, then unit length. f holds the whitened vector of the word as it is,
and the whitened mean embedding of the texts that hold it; at the start M makes of the first
what `weighted` words would be, and nothing of the second.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Floats, blocks, runs_of
from fuzzbow.distillation.corpus import Corpus
from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.fuzzy import unit_rows
from fuzzbow.vectors import WordVectors
from fuzzbow.vectors.weights import fit_whitening, sif_weights, word_probabilities

SMALLEST_WEIGHT = 1e-4  # of a word at the start; its logarithm is trained
BLOCK = 16_384  # texts whose embeddings are added up at once


@dataclass(frozen=True, eq=False)
class Start:
    """Features of all words, and parameters that make today's table of them."""

    features: NDArray[np.float32]  # (V, f)
    map: NDArray[np.float32]  # (f, d)
    weights: NDArray[np.float32]  # (V,)

    @property
    def vectors(self) -> NDArray[np.float32]:
        """Unit vectors at the start: (V, d)."""
        return unit_rows(self.features @ self.map).astype(np.float32)

    def with_contexts(self, contexts: NDArray[np.float32]) -> Start:
        """The same with more features, (V, e), that have no effect yet."""
        features = np.concatenate([self.features, contexts], axis=1)
        unused = np.zeros((contexts.shape[1], self.map.shape[1]), dtype=np.float32)
        return Start(features, np.concatenate([self.map, unused]), self.weights)


def starting_point(vectors: WordVectors, dimension: int | None = None) -> Start:
    """The weighted words of a table: unit vectors and weights."""
    matrix = np.asarray(vectors.matrix, dtype=np.float64)
    size = matrix.shape[1] if dimension is None else dimension
    if not 1 <= size <= matrix.shape[1]:
        raise InputError(
            f"dimension must be from 1 to that of the vectors, {matrix.shape[1]}; got {dimension}"
        )
    if vectors.ready:
        return _ready_start(matrix, size)
    probabilities = word_probabilities(vectors)
    full = fit_whitening(runs_of(matrix), probabilities).apply(matrix)
    if size == matrix.shape[1]:
        whitened, first = full, np.eye(size)
    else:
        narrow = principal(matrix, size)
        whitened = fit_whitening(runs_of(narrow), probabilities).apply(narrow)
        # features are uncorrelated and of variance 1, so that this is the regression on them
        first = (full * probabilities[:, None]).T @ whitened
    lengths = np.linalg.norm(whitened, axis=1)
    weights = lengths / lengths.mean() * sif_weights(probabilities)
    return _start(full, first, weights)


def _ready_start(matrix: Floats, size: int) -> Start:
    if size != matrix.shape[1]:
        raise InputError("dimension cannot be changed where vectors carry weights of their own")
    # coordinates of the order of 1, as whitened ones are, so that the same rates suit them
    return _start(unit_rows(matrix) * size**0.5, np.eye(size), (matrix**2).sum(axis=1))


def _start(features: Floats, first: Floats, weights: Floats) -> Start:
    return Start(
        features.astype(np.float32),
        first.astype(np.float32),
        np.maximum(weights, SMALLEST_WEIGHT).astype(np.float32),
    )


def principal(matrix: Floats, dimension: int) -> Floats:
    """Centred rows on the axes of largest variance: (n, d) -> (n, dimension)."""
    centred = matrix - matrix.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    return np.asarray(centred @ axes[:, ::-1][:, :dimension])


def context_features(
    corpus: Corpus, texts: NDArray[np.int64], shrinkage: float
) -> NDArray[np.float32]:
    """Whitened mean embedding of the texts that hold a word, less the fewer they are: (V, e)."""
    try:
        from scipy.sparse import csr_matrix
    except ImportError as error:
        raise MissingExtraError("scipy", "distil") from error
    size = corpus.vocabulary
    sums = np.zeros((size, corpus.embeddings.shape[1]), dtype=np.float32)
    counts = np.zeros(size)
    for part in blocks(len(texts), BLOCK):
        rows = corpus.rows.take(texts[part])
        rows = rows.keep(rows.values < size)
        ones = np.ones(len(rows.values), dtype=np.float32)
        cells = (ones, np.array(rows.values), np.array(rows.offsets))  # which SciPy sorts in place
        holds = csr_matrix(cells, shape=(len(rows), size))
        holds.sum_duplicates()
        holds.data[:] = 1.0
        sums += holds.T @ corpus.embeddings[texts[part]].astype(np.float32)
        counts += np.asarray(holds.sum(axis=0)).ravel()
    seen = counts > 0
    if not seen.any():
        raise InputError("texts must hold words of the vocabulary; got none that has a vector")
    means = sums[seen] / counts[seen, None]
    whitening = fit_whitening(runs_of(means), counts[seen])
    found = np.zeros_like(sums)
    shrunk = counts[seen] / (counts[seen] + shrinkage)
    found[seen] = whitening.apply(means) * shrunk[:, None]
    return found
