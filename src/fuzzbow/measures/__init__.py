"""Named measures and baselines over an engine, and measures made of parts."""

from fuzzbow.measures.compose import compose
from fuzzbow.measures.counting import Counting
from fuzzbow.measures.protocol import Measure, MeasureFactory
from fuzzbow.measures.registry import DEFAULT_MEASURE, MEASURES, build_measure
from fuzzbow.measures.sif import SifPca, sif_pca
from fuzzbow.measures.space import Texts, WordSpace
from fuzzbow.measures.weighted import WeightedJaccard, weighted_jaccard

__all__ = [
    "DEFAULT_MEASURE",
    "MEASURES",
    "Counting",
    "Measure",
    "MeasureFactory",
    "SifPca",
    "Texts",
    "WeightedJaccard",
    "WordSpace",
    "build_measure",
    "compose",
    "sif_pca",
    "weighted_jaccard",
]
