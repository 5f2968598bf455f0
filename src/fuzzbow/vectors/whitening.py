"""Zipfian whitening: the mean and covariance of running text, not of a word list."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fuzzbow.arrays import Floats, blocks, moments

# directions with less than this share of the largest variance are noise of a flat table
RANK_TOLERANCE = 1e-10


@dataclass(frozen=True)
class Whitening:
    """z = (x - mean) @ matrix, with Σ_p^(-1/2) as the matrix."""

    mean: Floats  # (d,)
    matrix: Floats  # (d, d)
    mean_length: float  # mean of |z| over the vocabulary

    def apply(self, vectors: Floats) -> Floats:
        """Whitened vectors: (n, d) -> (n, d)."""
        return (np.asarray(vectors, dtype=np.float64) - self.mean) @ self.matrix


def fit_whitening(vectors: Floats, probabilities: Floats) -> Whitening:
    """Whitening of a vocabulary, (V, d), by the probability of its words, (V,)."""
    mean, covariance = moments(vectors, probabilities)
    variances, axes = np.linalg.eigh(covariance)
    kept = variances > RANK_TOLERANCE * max(float(variances[-1]), np.finfo(np.float64).tiny)
    matrix = (axes[:, kept] / np.sqrt(variances[kept])) @ axes[:, kept].T
    unscaled = Whitening(mean, matrix, 1.0)
    lengths = sum(
        float(np.linalg.norm(unscaled.apply(vectors[part]), axis=1).sum())
        for part in blocks(len(vectors))
    )
    # a vocabulary of one word has no spread: every length is 0, and so is the mean
    return Whitening(mean, matrix, lengths / len(vectors) or 1.0)
