"""Why two texts score what they score: the exact share of every word."""

from fuzzbow.measures.decomposition import Dimension, Status
from fuzzbow.tasks.explain.page import html_page
from fuzzbow.tasks.explain.result import Explanation, Side, StandInWord, Word
from fuzzbow.tasks.explain.words import explain

__all__ = [
    "Dimension",
    "Explanation",
    "Side",
    "StandInWord",
    "Status",
    "Word",
    "explain",
    "html_page",
]
