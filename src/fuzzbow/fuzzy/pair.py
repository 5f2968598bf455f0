"""The paper for any two sets of vectors: one call, one number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from fuzzbow.arrays import Floats, matrix_of_vectors
from fuzzbow.errors import InputError, parse_choice
from fuzzbow.fuzzy.membership import WordSimilarity, fuzzify
from fuzzbow.fuzzy.pooling import Pooling
from fuzzbow.fuzzy.set_similarities import SetSimilarity, compare, parse_set_similarity
from fuzzbow.fuzzy.universe import (
    Universe,
    dynamic_universe,
    identity_universe,
    random_universe,
)


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
    """Similarity of two sets of vectors as fuzzy sets: (k, d), (l, d) -> float.

    `X` and `Y` hold a vector in each row. `pooling` is "max", "avg", "sum" or "min" over the
    vectors of a set, and `word_similarity` "dot" or another of `WordSimilarity`. `universe` is
    "dynamic", "query" (X alone), "identity", "random" or the universe itself, (u, d): a
    vocabulary, its principal axes or its centroids. `weights` are those of the universe
    elements, (u,); for the dynamic universe first X's, then Y's. `similarity` is "jaccard",
    "otsuka", "dice", "cosine", "coverage", "overlap" or "tversky(α, β)". `counts_x`, (k,), and
    `counts_y`, (l,), make bags of the sets.

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
    a, b = (
        fuzzify(words, U, pooling=pool_by, word_similarity=words_by, counts=counts)
        for words, counts in (
            (A, _positive(counts_x, len(A), "counts_x")),
            (B, _positive(counts_y, len(B), "counts_y")),
        )
    )
    return float(compare(a, b, sets_by, weigh))


def _universe(choice: str | Universe | ArrayLike, A: Floats, B: Floats, seed: int) -> Floats:
    """The universe matrix that the caller's choice stands for: (u, d)."""
    if not isinstance(choice, str):
        U = matrix_of_vectors(choice, "universe")
        if U.shape[1] != A.shape[1]:
            raise InputError(
                f"universe must have the dimension of X, {A.shape[1]}; got {U.shape[1]}"
            )
        return U
    kind = parse_choice(Universe, choice, "universe")
    if kind is Universe.DYNAMIC:
        return dynamic_universe(A, B)
    if kind is Universe.QUERY:
        return A
    if kind is Universe.IDENTITY:
        return identity_universe(A.shape[1])
    if kind is Universe.RANDOM:
        return random_universe(A.shape[1], seed=seed)
    raise InputError(
        f"universe {kind.value!r} depends on a vocabulary; pass its rows as an array, for"
        " instance fuzzbow.fuzzy.principal_axes(W)"
    )


def _positive(values: ArrayLike | Sequence[float] | None, size: int, name: str) -> Floats | None:
    """Weights or counts as float64, checked: (size,)."""
    if values is None:
        return None
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (size,):
        raise InputError(f"{name} must have shape ({size},); got {array.shape}")
    if not (np.isfinite(array) & (array >= 0)).all():
        raise InputError(f"{name} must be finite and not negative")
    return array
