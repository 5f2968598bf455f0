"""Why two texts score what they score: the exact share of every word."""

from fuzzbow.tasks.explain.explaining import EXPLAINABLE, explain, explainable
from fuzzbow.tasks.explain.page import html_page
from fuzzbow.tasks.explain.result import Dimension, Explanation, Side, Status, Word

__all__ = [
    "EXPLAINABLE",
    "Dimension",
    "Explanation",
    "Side",
    "Status",
    "Word",
    "explain",
    "explainable",
    "html_page",
]
