"""Formulas of the paper in plain NumPy, one pair at a time: the reference for faster code."""

from fuzzbow.fuzzy.membership import WordSimilarity, fuzzify, unit_rows, word_similarities
from fuzzbow.fuzzy.pair import set_similarity
from fuzzbow.fuzzy.pooling import Pooling, pool
from fuzzbow.fuzzy.set_similarities import (
    COSINE,
    COVERAGE,
    JACCARD,
    OVERLAP,
    SET_SIMILARITIES,
    SetSimilarity,
    Tversky,
    compare,
    parse_set_similarity,
)
from fuzzbow.fuzzy.universe import (
    PAIR_UNIVERSES,
    Universe,
    dynamic_universe,
    identity_universe,
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
    "Tversky",
    "Universe",
    "WordSimilarity",
    "compare",
    "dynamic_universe",
    "fuzzify",
    "identity_universe",
    "kmeans_centroids",
    "parse_set_similarity",
    "pool",
    "principal_axes",
    "random_universe",
    "set_similarity",
    "unit_rows",
    "word_similarities",
]
