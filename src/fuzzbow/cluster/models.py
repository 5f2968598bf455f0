"""A model as tasks know it: by what it was loaded with, opened once in each worker."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache

from fuzzbow.errors import InputError
from fuzzbow.model import Model, ModelSpec

MOST_OPEN = 4  # models that a worker keeps


@dataclass(frozen=True)
class ModelReference:
    """Where a model comes from, and the identity that it must have there."""

    spec: ModelSpec
    identity: str

    @classmethod
    def of(cls, model: Model) -> ModelReference:
        """That of a model; one that is made of objects without a name is refused."""
        recipe = model.spec.to_dict()
        return cls(ModelSpec.from_dict(recipe), _identity(model))

    def load(self) -> Model:
        """The model, from memory where this process has loaded it before."""
        return _loaded(self)


@lru_cache(maxsize=MOST_OPEN)
def _loaded(reference: ModelReference) -> Model:
    model = reference.spec.load()
    if _identity(model) != reference.identity:
        raise InputError(
            f"the model from {reference.spec.source!r:.200} of a worker is not that of the driver:"
            " every machine needs the same files, as they were when the run was started"
        )
    return model


def _identity(model: Model) -> str:
    return json.dumps(model.identity(), sort_keys=True)
