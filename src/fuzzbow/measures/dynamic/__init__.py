"""Measures over the words of the two texts themselves: DynaMax, weighted-jaccard, ablations."""

from fuzzbow.measures.dynamic.measure import DynamicMeasure

__all__ = ["DynamicMeasure"]
