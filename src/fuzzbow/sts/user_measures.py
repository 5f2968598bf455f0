"""A measure of the user's own: `path.py:function`, their code, run because they named it.

What the function gets is told by the names of its two parameters:

* `X, Y`: the word vectors of the two texts, (k, d) and (l, d); it returns a number;
* `lefts, rights`: two lists of texts; it returns as many numbers, (n,);
* `space, engine`: a factory of a measure, as `fuzzbow.measures.compose` returns.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import Any

from fuzzbow.arrays import Floats
from fuzzbow.encoding import Texts
from fuzzbow.errors import InputError, nearest
from fuzzbow.measures import MeasureFactory, Words
from fuzzbow.measures.baselines.loops import LoopMeasure
from fuzzbow.measures.words import paper_words


class Kind(Enum):
    """Input of a user's function, by the names of its parameters."""

    VECTORS = ("X", "Y")
    TEXTS = ("lefts", "rights")
    FACTORY = ("space", "engine")


@dataclass(frozen=True)
class UserMeasure:
    """A function from a file; `digest` stands for the file's content."""

    name: str
    digest: str
    kind: Kind
    function: Callable[..., Any] = field(repr=False)

    @property
    def factory(self) -> MeasureFactory:
        """The measure for `fuzzbow.load`; not for a function of texts."""
        if self.kind is Kind.FACTORY:
            return self.function
        function, name = self.function, self.name
        return lambda space, engine: VectorFunction(paper_words(space, engine), function, name)


@dataclass(frozen=True)
class VectorFunction(LoopMeasure):
    """A function of two sets of vectors as a measure; a text without known words scores 0."""

    words: Words = field(repr=False)
    function: Callable[[Floats, Floats], float] = field(repr=False)
    name: str

    def scorer(self, texts: Texts) -> Callable[[int, int], float]:
        """The vectors of each text."""
        vectors, rows = self.words.vectors(texts)
        sets = [vectors[row] for row in rows]

        def score(a: int, b: int) -> float:
            return float(self.function(sets[a], sets[b])) if len(sets[a]) and len(sets[b]) else 0.0

        return score


def is_user_measure(text: str) -> bool:
    """Return whether a measure is named as a function in a file."""
    return ".py:" in text


@lru_cache(maxsize=32)
def load_user_measure(text: str) -> UserMeasure:
    """Run the file and take the function from it."""
    file, _, name = text.rpartition(":")
    path = Path(file)
    if not path.is_file():
        raise InputError(f"a measure path.py:function needs the file '{path}'; it is missing")
    spec = importlib.util.spec_from_file_location(f"fuzzbow_user_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise InputError(f"'{path}' must be a Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InputError(f"'{path}' cannot be run: {type(error).__name__}: {error}") from error
    function = getattr(module, name, None)
    if not callable(function):
        there = [key for key, value in vars(module).items() if inspect.isfunction(value)]
        raise InputError(f"'{path}' must define the function {name!r}{nearest(name, there)}")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return UserMeasure(f"{path.name}:{name}", digest, _kind(function, text), function)


def _kind(function: Callable[..., Any], text: str) -> Kind:
    """Return the kind of input of a function."""
    try:
        names: Sequence[str] = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        names = []
    for kind in Kind:
        if tuple(names[:2]) == kind.value:
            return kind
    wanted = "; ".join(", ".join(kind.value) for kind in Kind)
    raise InputError(
        f"{text}: the function's two parameters must be named {wanted}; got {', '.join(names)}"
    )
