"""Models: a tokenizer, vectors, weights and a measure that work together."""

from fuzzbow.model.contextual import ContextualModel, contextual
from fuzzbow.model.loading import default_model, load, open_index, similarity, stored_spec
from fuzzbow.model.model import Model
from fuzzbow.model.purposes import PURPOSES, fields_for
from fuzzbow.model.spec import ModelSpec

__all__ = [
    "PURPOSES",
    "ContextualModel",
    "Model",
    "ModelSpec",
    "contextual",
    "default_model",
    "fields_for",
    "load",
    "open_index",
    "similarity",
    "stored_spec",
]
