"""Outliers and representatives of a collection of texts."""

from fuzzbow.defaults import COVERING
from fuzzbow.selection.outliers import Outlier, Outliers, find_outliers
from fuzzbow.selection.representatives import (
    Representative,
    Representatives,
    find_representatives,
)
from fuzzbow.selection.selected import Selected

__all__ = [
    "COVERING",
    "Outlier",
    "Outliers",
    "Representative",
    "Representatives",
    "Selected",
    "find_outliers",
    "find_representatives",
]
