"""Engines that compute batches: the reference in NumPy, and equivalent compiled kernels."""

from fuzzbow.engine.letters import letters_of
from fuzzbow.engine.protocol import (
    WHOLE,
    Bm25Corpus,
    Bm25Options,
    Bm25Statistics,
    Bm25Weights,
    Corpus,
    DynamicOptions,
    Found,
    JoinOptions,
    Matches,
    SetOptions,
    Share,
    TopK,
    shared_rows,
)
from fuzzbow.engine.reference import Engine, gains, inverse_frequencies, norms
from fuzzbow.engine.selection import EngineName, choose_engine, engine_info, load_kernel
from fuzzbow.engine.tables import Bags, Batch, Queries, RowRules, WordRules, WordTable
from fuzzbow.engine.threads import current_threads, limited_threads

__all__ = [
    "WHOLE",
    "Bags",
    "Batch",
    "Bm25Corpus",
    "Bm25Options",
    "Bm25Statistics",
    "Bm25Weights",
    "Corpus",
    "DynamicOptions",
    "Engine",
    "EngineName",
    "Found",
    "JoinOptions",
    "Matches",
    "Queries",
    "RowRules",
    "SetOptions",
    "Share",
    "TopK",
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
    "shared_rows",
]
