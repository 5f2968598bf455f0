"""Distillation: word vectors that score texts as a sentence model does, made without labels."""

from fuzzbow.research.distillation.distil import distil
from fuzzbow.research.distillation.recipe import DistilReport, Recipe

__all__ = ["DistilReport", "Recipe", "distil"]
