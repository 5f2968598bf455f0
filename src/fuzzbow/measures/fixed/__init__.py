"""Measures over a fixed universe, where each text is one membership row."""

from fuzzbow.measures.fixed.measure import FixedMeasure

__all__ = ["FixedMeasure"]
