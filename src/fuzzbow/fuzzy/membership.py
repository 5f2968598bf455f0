"""Membership of universe elements in a text: word similarities, pooled over the words."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

import numpy as np

from fuzzbow.arrays import Floats, products, row_sums


class WordSimilarity(str, Enum):
    """Similarity of two word vectors, which is the membership of one in the other."""

    DOT = "dot"
    COSINE = "cosine"
    CLIPPED_COSINE = "clipped-cosine"


class Pooling(str, Enum):
    """Union of the words of a text; max, with the zero vector, is the fuzzy union."""

    MAX = "max"
    AVG = "avg"
    SUM = "sum"
    MIN = "min"


def unit_rows(vectors: Floats) -> Floats:
    """Scale each row to length 1; a row of zeros is kept: (n, d) -> (n, d)."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(np.divide(vectors, lengths, out=np.zeros(vectors.shape), where=lengths > 0))


Products = Callable[[Floats, Floats], Floats]  # (n, d), (m, d) -> (n, m)


def word_similarities(
    words: Floats, universe: Floats, kind: WordSimilarity, multiply: Products = products
) -> Floats:
    """Compare every word with every universe element: (n, d), (u, d) -> (n, u)."""
    if kind is WordSimilarity.DOT:
        return multiply(words, universe)
    cosines = multiply(unit_rows(words), unit_rows(universe))
    return cosines if kind is WordSimilarity.COSINE else np.maximum(cosines, 0.0)


def pool(similarities: Floats, pooling: Pooling, counts: Floats | None = None) -> Floats:
    """Pool words (rows) for each universe element (column): (n, u), (n,) -> (u,).

    Counts make the set a bag: each row is multiplied by its word's count. A text without words has
    memberships of 0.

    >>> import numpy as np
    >>> pool(np.array([[0.2, -1.0], [0.5, -3.0]]), Pooling.MAX).tolist()
    [0.5, 0.0]
    """
    if len(similarities) == 0:
        return np.zeros(similarities.shape[1])
    rows = similarities if counts is None else similarities * counts[:, None]
    if pooling is Pooling.MAX:
        return np.asarray(rows.max(axis=0, initial=0.0))
    if pooling is Pooling.MIN:
        return np.asarray(rows.min(axis=0))
    total = row_sums(rows.T)
    if pooling is Pooling.SUM:
        return total
    return total / (len(rows) if counts is None else counts.sum())


def fuzzify(
    words: Floats,
    universe: Floats,
    *,
    pooling: Pooling = Pooling.MAX,
    word_similarity: WordSimilarity = WordSimilarity.DOT,
    counts: Floats | None = None,
) -> Floats:
    """Compute the membership of each universe element in a text: (n, d), (u, d), (n,) -> (u,)."""
    return pool(word_similarities(words, universe, word_similarity), pooling, counts)
