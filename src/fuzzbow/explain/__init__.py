"""Explanations of scores: the exact share of every word."""

from fuzzbow.explain.fragment import html_page
from fuzzbow.explain.result import Explanation, Side, StandInWord, Word
from fuzzbow.explain.words import explain
from fuzzbow.measures.decomposition import Dimension, Status

__all__ = ["Dimension", "Explanation", "Side", "StandInWord", "Status", "Word"]
__all__ += ["explain", "html_page"]
