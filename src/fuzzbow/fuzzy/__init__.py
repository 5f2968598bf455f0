"""The paper in plain NumPy, one pair at a time: the oracle for everything faster."""

from fuzzbow.fuzzy.membership import WordSimilarity, fuzzify, unit_rows, word_similarities
from fuzzbow.fuzzy.pair import set_similarity
from fuzzbow.fuzzy.pooling import Pooling, pool
from fuzzbow.fuzzy.set_similarity import SetSimilarity, compare, extents, overlaps, ratio
from fuzzbow.fuzzy.universe import (
    Universe,
    dynamic_universe,
    identity_universe,
    kmeans_centroids,
    principal_axes,
    random_universe,
)

__all__ = [
    "Pooling",
    "SetSimilarity",
    "Universe",
    "WordSimilarity",
    "compare",
    "dynamic_universe",
    "extents",
    "fuzzify",
    "identity_universe",
    "kmeans_centroids",
    "overlaps",
    "pool",
    "principal_axes",
    "random_universe",
    "ratio",
    "set_similarity",
    "unit_rows",
    "word_similarities",
]
