"""Descriptions of models: the choices of `fuzzbow.load`, which an index stores."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fuzzbow.engine import EngineName, choose_engine
from fuzzbow.errors import InputError, nearest, parse_choice
from fuzzbow.measures import (
    DEFAULT_MEASURE,
    Measure,
    MeasureFactory,
    Unknown,
    WordSpace,
    build_measure,
    has_name,
)
from fuzzbow.text import (
    ENGLISH,
    TOKENIZERS,
    Tokenizer,
    parse_clean,
    parse_language,
    parse_tokenizer,
)
from fuzzbow.vectors import VectorSource, WordVectors, open_vectors
from fuzzbow.vectors.weights import Counts, Weights

if TYPE_CHECKING:
    from fuzzbow.model.model import Model

NORMALISED = "norm"
CHOICES: dict[str, type[Enum]] = {"weights": Weights, "engine": EngineName, "unknown": Unknown}


@dataclass(frozen=True, repr=False)
class ModelSpec:
    """Description of a model: its vectors and options, the parameters of `load`.

    Examples
    --------
    >>> ModelSpec(measure="dynamax-jaccard", weights=Weights.SIF)
    ModelSpec(measure='dynamax-jaccard', weights='sif')
    >>> ModelSpec(measure="dynamax-jaccard", weights=Weights.SIF).name
    'dynamax-jaccard+sif'
    """

    source: VectorSource = "default"
    measure: str | Measure | MeasureFactory = DEFAULT_MEASURE
    weights: Weights = Weights.NONE
    counts: Counts | None = None
    tokenizer: str | Tokenizer | Callable[[str], Sequence[str]] = "words"
    normalise: bool = False
    limit: int | None = None
    skip_bad: bool = False
    engine: EngineName = EngineName.AUTO
    language: str = ENGLISH.code
    unknown: Unknown = Unknown.DROP
    clean: str | None = None

    def __post_init__(self) -> None:
        """Parse choices that are strings, as in JSON."""
        for name, kind in CHOICES.items():
            object.__setattr__(self, name, parse_choice(kind, getattr(self, name), name))
        parse_language(self.language)
        parse_clean(self.clean)

    def __repr__(self) -> str:
        """Show the options that differ from the defaults, with types instead of large objects."""
        values = ((item, getattr(self, item.name)) for item in fields(self))
        # types first: an array, say, has no one answer to whether it equals a string
        chosen = (
            f"{item.name}={_shown(value)}"
            for item, value in values
            if type(value) is not type(item.default) or value != item.default
        )
        return f"ModelSpec({', '.join(chosen)})"

    @property
    def name(self) -> str:
        """Name of the measure and of unusual choices about words, such as `dynamax-jaccard+sif`."""
        named = self.measure if isinstance(self.measure, str) else None
        parts = [named or str(getattr(self.measure, "name", type(self.measure).__name__))]
        parts += [self.weights.value] * (self.weights is not Weights.NONE)
        parts += [self.unknown.value] * (self.unknown is not Unknown.DROP)
        parts += [NORMALISED] * self.normalise
        return "+".join(parts if self.clean is None else [*parts, self.clean])

    def load(self, vectors: WordVectors | None = None) -> Model:
        """Load the model, with `vectors` if those of `source` are open already."""
        from fuzzbow.model.model import Model

        tokenizer, language = parse_tokenizer(self.tokenizer), parse_language(self.language)
        if vectors is None:
            vectors = open_vectors(self.source, limit=self.limit, skip_bad=self.skip_bad)
        tokenizer = tokenizer.adapted(language, vectors)
        space = WordSpace(
            vectors,
            self.weights,
            self.counts,
            self.normalise,
            language=language,
            unknown=self.unknown,
        )
        measure = build_measure(self.measure, space, choose_engine(self.engine))
        space.check_counts(uses_vectors=measure.uses_vectors)
        tokenizer = tokenizer if measure.symmetric else tokenizer.for_search()
        return Model(tokenizer, space, measure, self, clean=self.clean)

    def to_dict(self) -> dict[str, Any]:
        """Convert to names, as data for JSON; a file is named by its absolute path.

        Raises
        ------
        InputError
            If the model is made of an object that has no name.
        """
        plain = {item.name: getattr(self, item.name) for item in fields(self)}
        plain |= {name: plain[name].value for name in CHOICES}
        source, counts = self.source, self.counts
        if isinstance(source, str | os.PathLike):
            plain["source"] = _absolute_path(source)
        if isinstance(counts, os.PathLike) or (isinstance(counts, str) and Path(counts).exists()):
            plain["counts"] = _absolute_path(counts)
        named = {
            "source": isinstance(plain["source"], str),
            "counts": plain["counts"] is None or isinstance(plain["counts"], str),
            "measure": has_name(self.measure),
            "tokenizer": isinstance(self.tokenizer, str) and self.tokenizer in TOKENIZERS,
        }
        for part, is_named in named.items():
            if not is_named:
                raise InputError(f"the {part} of this model has no name and cannot be stored")
        return plain

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> ModelSpec:
        """Make the spec that `to_dict` converted; missing fields have the defaults of `load`."""
        known = [item.name for item in fields(cls)]
        for key in stored:
            if key not in known:
                raise InputError(
                    f"a model is described by {', '.join(known)}; got {key!r}{nearest(key, known)}"
                )
        return cls(**stored)


def _shown(value: Any) -> str:
    """Show an option in one line."""
    if isinstance(value, Enum):
        return repr(value.value)
    if isinstance(value, str | int | os.PathLike):
        return repr(os.fspath(value) if isinstance(value, os.PathLike) else value)
    return f"<{type(value).__name__}>"


def _absolute_path(name: Any) -> str:
    """Return the absolute path of a file or folder; other names are not changed."""
    path = Path(name)
    return str(path.resolve()) if path.exists() else os.fspath(name)
