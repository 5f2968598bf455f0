"""Explanations of scores: the exact share of every word."""

from fuzzbow.explain.fragment import MOST_ON_PAGE, Titled, html_page, write_page
from fuzzbow.explain.result import Explanation, Side, StandInWord, Word
from fuzzbow.explain.words import explain
from fuzzbow.measures.decomposition import Dimension, Status

__all__ = ["MOST_ON_PAGE", "Dimension", "Explanation", "Side", "StandInWord", "Status", "Titled"]
__all__ += ["Word", "explain", "html_page", "write_page"]
