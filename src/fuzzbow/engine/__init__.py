"""Engines compute batches: the reference in NumPy, and compiled kernels with the same contract."""

from fuzzbow.engine.bm25 import gains, inverse_frequencies, norms
from fuzzbow.engine.letters import letters_of
from fuzzbow.engine.lexicon import Lexicon, PairLexicon, QueryLexicon, ReadTexts, Text
from fuzzbow.engine.protocol import (
    Bags,
    Bm25Corpus,
    Bm25Options,
    Bm25Statistics,
    Corpus,
    DynamicOptions,
    Engine,
    Found,
    Matches,
    WordRules,
    WordTable,
    own_counts,
)
from fuzzbow.engine.reference import ReferenceEngine
from fuzzbow.engine.selection import EngineName, choose_engine, engine_info, load_kernel
from fuzzbow.engine.share import WHOLE, Share, shared_rows
from fuzzbow.engine.threads import current_threads, limited_threads

__all__ = [
    "WHOLE",
    "Bags",
    "Bm25Corpus",
    "Bm25Options",
    "Bm25Statistics",
    "Corpus",
    "DynamicOptions",
    "Engine",
    "EngineName",
    "Found",
    "Lexicon",
    "Matches",
    "PairLexicon",
    "QueryLexicon",
    "ReadTexts",
    "ReferenceEngine",
    "Share",
    "Text",
    "WordRules",
    "WordTable",
    "choose_engine",
    "current_threads",
    "engine_info",
    "gains",
    "inverse_frequencies",
    "letters_of",
    "limited_threads",
    "load_kernel",
    "norms",
    "own_counts",
    "shared_rows",
]
