"""Word similarity and the membership of universe elements in a text."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

import numpy as np

from fuzzbow.arrays import Floats, products
from fuzzbow.fuzzy.pooling import Pooling, pool


class WordSimilarity(str, Enum):
    """Similarity of two word vectors, which is the membership of one in the other."""

    DOT = "dot"
    COSINE = "cosine"
    CLIPPED_COSINE = "clipped-cosine"


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
