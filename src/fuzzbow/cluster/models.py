"""A model as tasks know it: by what it was loaded with, opened once in each worker."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from fuzzbow.errors import InputError
from fuzzbow.model import Model, ModelSpec

MOST_OPEN = 4  # models that a worker keeps


@dataclass(frozen=True)
class ModelReference:
    """Where a model comes from, and the fingerprint that its vectors must have there."""

    spec: ModelSpec
    fingerprint: str

    @classmethod
    def of(cls, model: Model) -> ModelReference:
        """That of a model; one that is made of objects without a name is refused."""
        recipe = model.spec.to_dict()
        return cls(ModelSpec.from_dict(recipe), model.vectors.fingerprint)

    def load(self) -> Model:
        """The model, from memory where this process has loaded it before."""
        return _loaded(self)


@lru_cache(maxsize=MOST_OPEN)
def _loaded(reference: ModelReference) -> Model:
    model = reference.spec.load()
    if model.vectors.fingerprint != reference.fingerprint:
        raise InputError(
            f"the vectors {reference.spec.source!r:.200} of a worker are not those of the driver:"
            " every machine needs the same file"
        )
    return model
