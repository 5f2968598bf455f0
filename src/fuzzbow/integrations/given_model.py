"""The model that a caller of an integration means."""

from __future__ import annotations

from typing import Any

from fuzzbow.errors import InputError
from fuzzbow.model import Model, default_model, load


def given_model(model: Any) -> Model:
    """A model as it is, one of vectors by their name or path, and of nothing the embedded one."""
    if model is None:
        return default_model()
    if isinstance(model, str):
        return load(model)
    if not isinstance(model, Model):
        raise InputError(
            f"model must be a fuzzbow.Model, the name of vectors, or None; got {type(model)}"
        )
    return model
