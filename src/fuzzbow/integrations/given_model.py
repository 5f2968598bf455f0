"""The model that a caller of an integration means."""

from __future__ import annotations

from functools import cache
from typing import Any

from fuzzbow.errors import InputError
from fuzzbow.model import Model, default_model, load


def given_model(model: Any, purpose: str | None = None) -> Model:
    """A model as it is, one of vectors by their name or path, and of nothing the embedded one.

    The embedded one is that of the `purpose`, if one is given.
    """
    if model is None:
        return default_model() if purpose is None else _embedded(purpose)
    if isinstance(model, str):
        return load(model)
    if not isinstance(model, Model):
        raise InputError(
            f"model must be a fuzzbow.Model, the name of vectors, or None; got {type(model)}"
        )
    return model


@cache
def _embedded(purpose: str) -> Model:
    return load(purpose=purpose)
