"""Formulas of the paper in plain NumPy, one pair at a time: the reference for faster code."""

from fuzzbow.fuzzy.membership import (
    Pooling,
    WordSimilarity,
    fuzzify,
    pool,
    unit_rows,
    word_similarities,
)
from fuzzbow.fuzzy.pair import set_similarity
from fuzzbow.fuzzy.set_similarities import (
    COSINE,
    COVERAGE,
    JACCARD,
    OVERLAP,
    SET_SIMILARITIES,
    SetSimilarity,
    compare,
    parse_set_similarity,
    tversky,
)
from fuzzbow.fuzzy.universe import (
    PAIR_UNIVERSES,
    Universe,
    kmeans_centroids,
    principal_axes,
    random_universe,
)

__all__ = [
    "COSINE",
    "COVERAGE",
    "JACCARD",
    "OVERLAP",
    "PAIR_UNIVERSES",
    "SET_SIMILARITIES",
    "Pooling",
    "SetSimilarity",
    "Universe",
    "WordSimilarity",
    "compare",
    "fuzzify",
    "kmeans_centroids",
    "parse_set_similarity",
    "pool",
    "principal_axes",
    "random_universe",
    "set_similarity",
    "tversky",
    "unit_rows",
    "word_similarities",
]
