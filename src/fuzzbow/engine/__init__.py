"""Engines compute batches; the reference engine is plain NumPy."""

from fuzzbow.engine.protocol import DynamicOptions, Engine, WordRules, WordTable
from fuzzbow.engine.reference import ReferenceEngine

__all__ = ["DynamicOptions", "Engine", "ReferenceEngine", "WordRules", "WordTable"]
