"""Similarity of two sets of vectors by the formulas of the paper."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from fuzzbow.arrays import Floats, matrix_of_vectors
from fuzzbow.errors import InputError, parse_choice
from fuzzbow.fuzzy.membership import Pooling, WordSimilarity, fuzzify
from fuzzbow.fuzzy.set_similarities import SetSimilarity, compare, parse_set_similarity
from fuzzbow.fuzzy.universe import Universe, random_universe


def set_similarity(
    X: ArrayLike,
    Y: ArrayLike,
    *,
    universe: str | Universe | ArrayLike = "dynamic",
    pooling: str | Pooling = "max",
    similarity: str | SetSimilarity = "jaccard",
    word_similarity: str | WordSimilarity = "dot",
    weights: ArrayLike | None = None,
    counts_x: ArrayLike | None = None,
    counts_y: ArrayLike | None = None,
    seed: int = 0,
) -> float:
    """Compare two sets of vectors as fuzzy sets.

    Parameters
    ----------
    X, Y
        Vectors of each set, a row each: (k, d), (l, d).
    universe
        "dynamic", the vectors of both sets, "query", those of `X` alone, "identity", "random", or
        the universe itself, (u, d): a vocabulary, its principal axes or its centroids.
    pooling
        "max", "avg", "sum" or "min" over the vectors of a set.
    similarity
        "jaccard", "otsuka", "dice", "cosine", "coverage", "overlap" or "tversky(α, β)".
    word_similarity
        "dot", or another of `WordSimilarity`.
    weights
        Weights of the elements of the universe, (u,); for the dynamic one first those of `X`.
    counts_x, counts_y
        Number of occurrences of each vector, (k,) and (l,).
    seed
        Seed of a random universe.

    Returns
    -------
    float
        Similarity of the sets; 0 if one is empty.

    Raises
    ------
    InputError
        If a choice is not known, or shapes do not agree.

    Examples
    --------
    >>> set_similarity([[1, 0], [0, 1]], [[0, 1]], universe="identity")
    0.5
    """
    A, B = matrix_of_vectors(X, "X"), matrix_of_vectors(Y, "Y")
    if A.shape[1] != B.shape[1]:
        raise InputError(f"X and Y must have the same dimension; got {A.shape[1]} and {B.shape[1]}")
    pool_by = parse_choice(Pooling, pooling, "pooling")
    words_by = parse_choice(WordSimilarity, word_similarity, "word_similarity")
    sets_by = parse_set_similarity(similarity)
    U = _universe(universe, A, B, seed)
    weigh = _positive(weights, len(U), "weights")
    if len(A) == 0 or len(B) == 0:
        return 0.0
    by_x, by_y = _positive(counts_x, len(A), "counts_x"), _positive(counts_y, len(B), "counts_y")
    a = fuzzify(A, U, pooling=pool_by, word_similarity=words_by, counts=by_x)
    b = fuzzify(B, U, pooling=pool_by, word_similarity=words_by, counts=by_y)
    return float(compare(a, b, sets_by, weigh))


def _universe(choice: str | Universe | ArrayLike, A: Floats, B: Floats, seed: int) -> Floats:
    """Return the universe matrix of the caller's choice: (u, d)."""
    if not isinstance(choice, str):
        U = matrix_of_vectors(choice, "universe")
        if U.shape[1] != A.shape[1]:
            raise InputError(
                f"universe must have the dimension of X, {A.shape[1]}; got {U.shape[1]}"
            )
        return U
    kind = parse_choice(Universe, choice, "universe")
    if kind is Universe.DYNAMIC:  # the words of both sets, repeats kept
        return np.concatenate([A, B])
    if kind is Universe.QUERY:
        return A
    if kind is Universe.IDENTITY:  # the axes: membership is the max-pooled word vector
        return np.eye(A.shape[1])
    if kind is Universe.RANDOM:
        return random_universe(A.shape[1], seed=seed)
    raise InputError(
        f"universe {kind.value!r} depends on a vocabulary; pass its rows as an array, for"
        " instance fuzzbow.fuzzy.principal_axes(W)"
    )


def _positive(values: ArrayLike | None, size: int, name: str) -> Floats | None:
    """Convert weights or counts to float64, and check them: (size,)."""
    if values is None:
        return None
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (size,):
        raise InputError(f"{name} must have shape ({size},); got {array.shape}")
    if not (np.isfinite(array) & (array >= 0)).all():
        raise InputError(f"{name} must be finite and not negative")
    return array
