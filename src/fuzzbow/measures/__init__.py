"""Named measures and baselines over an engine, and measures composed of parts."""

from fuzzbow.measures.baselines import sif_pca
from fuzzbow.measures.bm25 import fuzzy_bm25
from fuzzbow.measures.compose import compose, weighted_jaccard
from fuzzbow.measures.frequencies import Counting
from fuzzbow.measures.measure import Ability, Factory, Measure, MeasureFactory
from fuzzbow.measures.registry import (
    DEFAULT_MEASURE,
    MEANINGS,
    MEASURES,
    build_measure,
    find_factory,
    has_name,
)
from fuzzbow.measures.space import Unknown, WordSpace
from fuzzbow.measures.text_measure import CLEANING, SPLITTING, TextMeasure
from fuzzbow.measures.words import WeightedWords, Words

__all__ = [
    "CLEANING",
    "DEFAULT_MEASURE",
    "MEANINGS",
    "MEASURES",
    "SPLITTING",
    "Ability",
    "Counting",
    "Factory",
    "Measure",
    "MeasureFactory",
    "TextMeasure",
    "Unknown",
    "WeightedWords",
    "WordSpace",
    "Words",
    "build_measure",
    "compose",
    "find_factory",
    "fuzzy_bm25",
    "has_name",
    "sif_pca",
    "weighted_jaccard",
]
