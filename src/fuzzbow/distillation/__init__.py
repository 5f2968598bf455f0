"""Distillation: word vectors that score texts as a sentence model does, made without labels."""

from fuzzbow.distillation.distil import distil
from fuzzbow.distillation.recipe import Recipe, Train
from fuzzbow.distillation.report import DistilReport

__all__ = ["DistilReport", "Recipe", "Train", "distil"]
