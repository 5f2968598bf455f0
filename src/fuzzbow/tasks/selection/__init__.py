"""Texts that stand out of a collection, and texts that stand for it."""

from fuzzbow.defaults import COVERING
from fuzzbow.tasks.selection.outliers import Outlier, Outliers, find_outliers
from fuzzbow.tasks.selection.representatives import (
    Representative,
    Representatives,
    find_representatives,
)
from fuzzbow.tasks.selection.selected import Selected

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
