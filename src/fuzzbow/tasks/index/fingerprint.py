"""What an index must know of the model that made it, to be sure that it meets it again."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.errors import InputError
from fuzzbow.measures import MEASURES, WeightedJaccard
from fuzzbow.measures.dynamic import DynamicMeasure
from fuzzbow.measures.fixed import FixedMeasure
from fuzzbow.model import Model, load
from fuzzbow.text.tokenizers import TOKENIZERS
from fuzzbow.vectors import WordVectors, named_sources
from fuzzbow.vectors.weights import Weights

PROBES = ("fuzzbow", "unheard-of", "Überwort")  # words whose made-up vectors tell a table of parts
SAMPLE_ROWS = 16
TOLERANCE = 1e-4  # axes and centroids are computed, and not to the last digit on every machine


def fingerprint(model: Model) -> dict[str, Any]:
    """The parts that decide scores, each as something that JSON can hold."""
    space = model.space
    weighs = isinstance(model.measure, WeightedJaccard) or space.weights is not Weights.NONE
    return {
        "vectors": space.vectors.fingerprint,
        "parts of words": _inference(space.vectors),
        "tokenizer": model.tokenizer.name,
        "measure": _measure(model),
        "universe": _universe(model),
        "weights": space.weights.value,
        "frequencies": _digest(space.probabilities) if weighs else None,
        "unit length": space.normalise,
    }


def check_fingerprint(stored: dict[str, Any], model: Model, place: str) -> None:
    """Refuse a model that is not the one that made the index, and say what differs."""
    for part, value in fingerprint(model).items():
        wanted = stored.get(part)
        same = _close(wanted, value) if part == "universe" else wanted == value
        if not same:
            raise InputError(
                f"{place}: the index was made with other {part}; it needs"
                f" {_shown(wanted)}, the model has {_shown(value)}"
            )


def _measure(model: Model) -> dict[str, Any]:
    """The name of a measure with all its options."""
    measure: Any = model.measure
    facts: dict[str, Any] = {"name": measure.name}
    if isinstance(measure, WeightedJaccard):
        return facts | {"numbers": measure.numbers, "unknown": measure.unknown}
    if isinstance(measure, DynamicMeasure):
        facts["universe"] = "dynamic"
    options = measure.options if isinstance(measure, DynamicMeasure) else measure
    for option in ("pooling", "similarity", "word_similarity"):
        facts[option] = getattr(options, option).value
    weights = getattr(measure, "weights", None)
    facts["element weights"] = None if weights is None else _digest(weights)
    return facts | {"counting": measure.counting.value}


def _universe(model: Model) -> dict[str, Any] | None:
    """The shape of a fixed universe and some of its numbers."""
    if not isinstance(model.measure, FixedMeasure):
        return None
    universe = model.measure.universe
    rows = np.linspace(0, len(universe) - 1, min(SAMPLE_ROWS, len(universe))).astype(int)
    sample = np.asarray(universe[rows, :SAMPLE_ROWS], dtype=np.float64)
    return {"shape": list(universe.shape), "sample": sample.round(6).tolist()}


def _close(a: Any, b: Any) -> bool:
    """Whether two universes are the same but for rounding."""
    if a is None or b is None or a["shape"] != b["shape"]:
        return a is b
    return bool(np.allclose(a["sample"], b["sample"], atol=TOLERANCE))


def _inference(vectors: WordVectors) -> str | None:
    """What words outside the vocabulary are made of, by some that it makes."""
    if vectors.inference is None:
        return None
    made, _ = vectors.infer(PROBES)
    return f"{type(vectors.inference).__name__} {_digest(made.round(5))}"


def _digest(array: NDArray[Any]) -> str:
    values = np.ascontiguousarray(array, dtype=np.float32)
    return blake2b(values.view(np.uint8).data, digest_size=16).hexdigest()


def _shown(value: Any) -> str:
    """A part of a fingerprint for a message."""
    if isinstance(value, dict) and "shape" in value:
        return f"one of shape {tuple(value['shape'])}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {item}" for key, item in value.items())
    return str(value)


def recipe(model: Model, source: str | None) -> dict[str, Any] | None:
    """How to load the model again; None where it was made of things that have no name."""
    name = source
    if name is None and model.vectors.name in {item.name for item in named_sources()}:
        name = model.vectors.name
    space, measure = model.space, model.measure.name
    nameable = measure in MEASURES and model.tokenizer.name in TOKENIZERS
    if name is None or not nameable or not (space.counts is None or isinstance(space.counts, str)):
        return None
    return {
        "source": name,
        "limit": len(model.vectors),
        "measure": measure,
        "weights": space.weights.value,
        "counts": space.counts,
        "tokenizer": model.tokenizer.name,
        "normalise": space.normalise,
    }


def load_again(stored: dict[str, Any] | None, place: str) -> Model:
    """The model that an index was made with, where it can be loaded by name."""
    if stored is None:
        raise InputError(
            f"{place}: the index was made with a model that has no name; open it with model=…"
        )
    options = dict(stored)
    return load(options.pop("source"), **options)
