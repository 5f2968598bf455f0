"""Makers of words: each turns the words of texts into a table that engines compare."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Floats, Ragged
from fuzzbow.encoding import Texts
from fuzzbow.engine import Engine, WordTable
from fuzzbow.measures.decomposition import Status, Treatment
from fuzzbow.measures.space import WordSpace
from fuzzbow.vectors.weights import Weights

LEFT_OUT = "no vector: left out"
FROM_LETTERS = "no vector: one was made of its letters"
FROM_PARTS = "not in the vocabulary: its vector is made of its parts"


@dataclass(frozen=True)
class Words(ABC):
    """Vectors, weights as universe elements, and rules of the words of texts."""

    name: ClassVar[str]
    scalings: ClassVar[frozenset[Weights]]  # of the model's vectors that go together with it
    uses_collection: ClassVar[bool] = False  # whether weights may come from a collection
    uses_vectors: ClassVar[bool] = True  # whether words are compared by vectors
    names_measures: ClassVar[bool] = True  # whether `name-jaccard` and so on are measures
    covers_by_query: ClassVar[bool] = False  # whether `name-coverage` is over the query
    space: WordSpace = field(repr=False)
    engine: Engine = field(repr=False)

    def __post_init__(self) -> None:
        self.space.check_scaling(f"a measure of {self.name} words", self.scalings)

    @abstractmethod
    def prepare(
        self, texts: Texts, precision: type[np.floating[Any]], trigram_ids: dict[int, int] | None
    ) -> tuple[WordTable, Ragged]:
        """The table of the batch's words, and the texts without words that are left out.

        Tables that are compared with each other must share `trigram_ids`.
        """

    @abstractmethod
    def vocabulary_matrix(self) -> Floats:
        """Vectors of the whole vocabulary as compared: (V, d)."""

    def vocabulary_weights(self) -> Floats | None:
        """Weights of the vocabulary's words as universe elements, (V,); None: all 1."""
        return None

    def vectors(self, texts: Texts) -> tuple[Floats, Ragged]:
        """Vectors in float64, and the texts without words that have none: (m, d), texts."""
        table, rows = self.prepare(texts, np.float64, None)
        if table.rules is None:
            return table.vectors, rows
        return table.vectors, rows.keep(~table.rules.unknown[rows.values])

    def treatments(self, texts: Texts) -> list[Treatment]:
        """Return the treatment of each distinct word of the batch: (m,)."""
        known = self.space.raw_vectors(texts)[1]
        by_letters = set(self.space.unknown_by_letters(texts, known)[0].tolist())
        places = texts.vocabulary_ids.tolist()
        return [
            Treatment(Status.KNOWN, "" if place >= 0 else FROM_PARTS)
            if has_vector
            else Treatment(Status.UNKNOWN, FROM_LETTERS if word in by_letters else LEFT_OUT)
            for word, (has_vector, place) in enumerate(zip(known.tolist(), places, strict=True))
        ]

    def identity(self) -> dict[str, Any]:
        """Return all about the words that decides a score, besides the vectors."""
        space, constants = self.space, self.constants()
        return {
            "weights": space.weights.value,
            "frequencies": digest(space.probabilities) if constants else None,
            "unit length": space.normalise,
            "constants": constants,
            "collection": _collection(space),
        }

    def options(self) -> dict[str, Any]:
        """Return the caller's choices."""
        return {}

    @abstractmethod
    def constants(self) -> dict[str, float]:
        """Parameters and algorithm versions behind the weights of words; none where all weigh 1."""


def _collection(space: WordSpace) -> str | None:
    """Describe the collection that decides the weights; return None if none does."""
    if not space.by_collection:
        return None
    found = space.collection
    return "at hand" if found is None else f"of {found.documents} texts, {digest(found.known)}"


def digest(array: NDArray[Any]) -> str:
    """A short name of an array's numbers."""
    values = np.ascontiguousarray(array, dtype=np.float32)
    return blake2b(values.view(np.uint8).data, digest_size=16).hexdigest()
