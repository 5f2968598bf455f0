"""Models: a tokenizer, vectors, weights and a measure that work together."""

from fuzzbow.model.loading import default_model, load, similarity
from fuzzbow.model.model import Model

__all__ = ["Model", "default_model", "load", "similarity"]
