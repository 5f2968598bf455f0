"""Zipfian whitening: by the mean and covariance of words as frequent as in running text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fuzzbow.arrays import Floats, Runs, moments
from fuzzbow.errors import InputError

READY_VERSION = 1  # of what vectors are that need no whitening: a unit vector times √w
WHITENING_VERSION = 1  # of this algorithm: a stored whitening of another version is fitted anew
# directions with less than this share of the largest variance are rounding noise
RANK_TOLERANCE = 1e-10
LARGEST_WHITENED = 1e30  # whitened numbers are of the order of 1, whatever the vectors were

Multiply = Callable[[Floats, Floats], Floats]  # rows with rows: (n, d), (m, d) -> (n, m)


def by_blas(rows: Floats, columns: Floats) -> Floats:
    """Products of rows by BLAS: fast, but the last digit depends on the rest of the batch."""
    return np.asarray(rows @ columns.T)


@dataclass(frozen=True)
class Whitening:
    """z = (x - mean) @ matrix, with Σ_p^(-1/2) as the matrix."""

    mean: Floats  # (d,)
    matrix: Floats  # (d, d)
    mean_length: float  # mean of |z| over the vocabulary
    origin: str | None = None  # the file that it was read from, which may be damaged

    def apply(self, vectors: Floats, multiply: Multiply = by_blas) -> Floats:
        """Whitened vectors: (n, d) -> (n, d)."""
        with np.errstate(over="ignore", invalid="ignore"):
            centred = np.asarray(vectors, dtype=np.float64) - self.mean
            whitened = multiply(centred, self.matrix.T)
        if self.origin is not None and not (np.abs(whitened) <= LARGEST_WHITENED).all():
            raise InputError(f"{self.origin}: damaged; its whitening makes no usable vectors")
        return whitened


def fit_whitening(runs: Runs, probabilities: Floats) -> Whitening:
    """Whitening of a vocabulary, runs of rows (n, d), by the probability of its words, (V,)."""
    mean, covariance = moments(runs, probabilities)
    variances, axes = np.linalg.eigh(covariance)
    kept = variances > RANK_TOLERANCE * max(float(variances[-1]), np.finfo(np.float64).tiny)
    matrix = (axes[:, kept] / np.sqrt(variances[kept])) @ axes[:, kept].T
    unscaled = Whitening(mean, matrix, 1.0)
    lengths = sum(float(np.linalg.norm(unscaled.apply(rows), axis=1).sum()) for rows in runs())
    # a vocabulary of one word has no spread: every length is 0, and so is the mean
    return Whitening(mean, matrix, lengths / len(probabilities) or 1.0)
