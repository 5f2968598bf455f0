"""Named measures and baselines over an engine, and measures composed of parts."""

from fuzzbow.measures.bm25 import fuzzy_bm25
from fuzzbow.measures.compose import Composition, compose, weighted_jaccard
from fuzzbow.measures.frequencies import Counting
from fuzzbow.measures.measure import Ability, Measure, MeasureFactory
from fuzzbow.measures.registry import (
    DEFAULT_MEASURE,
    MEANINGS,
    MEASURES,
    abilities_of,
    build_measure,
    has_name,
    scalings_of,
    uses_collection,
)
from fuzzbow.measures.sif import SifPca, sif_pca
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
    "Composition",
    "Counting",
    "Measure",
    "MeasureFactory",
    "SifPca",
    "TextMeasure",
    "Unknown",
    "WeightedWords",
    "WordSpace",
    "Words",
    "abilities_of",
    "build_measure",
    "compose",
    "fuzzy_bm25",
    "has_name",
    "scalings_of",
    "sif_pca",
    "uses_collection",
    "weighted_jaccard",
]
