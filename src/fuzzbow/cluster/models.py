"""A model as tasks refer to it: by its description, loaded once in each process."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from weakref import WeakValueDictionary

from fuzzbow.errors import InputError
from fuzzbow.model import Model, ModelSpec

CACHED_MODELS = 4  # of a process that runs tasks for others


@dataclass(frozen=True)
class ModelReference:
    """The description of a model, and its identity, which is checked after loading."""

    spec: ModelSpec
    identity: str

    @classmethod
    def of(cls, model: Model) -> ModelReference:
        """Refer to a model; one that is made of objects without a name is refused."""
        recipe = model.spec.to_dict()
        reference = cls(ModelSpec.from_dict(recipe), _identity(model))
        _referenced[reference] = model
        return reference

    def load(self) -> Model:
        """Return the model, from memory if this process has it."""
        return _referenced.get(self) or _loaded(self)


# models of this process, which its own tasks need not load a second time
_referenced: WeakValueDictionary[ModelReference, Model] = WeakValueDictionary()


@lru_cache(maxsize=CACHED_MODELS)
def _loaded(reference: ModelReference) -> Model:
    model = reference.spec.load()
    if _identity(model) != reference.identity:
        raise InputError(
            f"the model loaded from {reference.spec.source!r:.200} is not that of the driver:"
            " every machine needs the same files, as they were when the run was started"
        )
    return model


def _identity(model: Model) -> str:
    return json.dumps(model.identity(), sort_keys=True)
