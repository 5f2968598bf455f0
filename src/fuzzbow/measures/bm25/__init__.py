"""Fuzzy BM25: how often words like those of a query occur in a document."""

from fuzzbow.measures.bm25.measure import Bm25Measure, fuzzy_bm25

__all__ = ["Bm25Measure", "fuzzy_bm25"]
