"""Makers of words: each turns the words of texts into a table that engines compare."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Floats, Ragged
from fuzzbow.encoding import Texts, TrigramIds
from fuzzbow.engine import Engine, RowRules, WordTable
from fuzzbow.measures.decomposition import Status, Treatment
from fuzzbow.measures.space import WordSpace
from fuzzbow.vectors.weights import Weights

Precision = type[np.floating[Any]]
Prepared = tuple[WordTable, Ragged]

PREPARING = ("prepare", "unit_and_weights", "_rules", "_spellings")  # methods that make rows
LEFT_OUT = "no vector: left out"
FROM_LETTERS = "no vector: one was made of its letters"
FROM_PARTS = "not in the vocabulary: its vector is made of its parts"


@dataclass(frozen=True)
class Words(ABC):
    """Vectors, weights as universe elements, and rules of the words of texts."""

    name: ClassVar[str]
    scalings: ClassVar[frozenset[Weights]]  # that the model's vectors may have
    uses_collection: ClassVar[bool] = False  # whether weights may come from a collection
    uses_vectors: ClassVar[bool] = True  # whether words are compared by vectors
    names_measures: ClassVar[bool] = True  # whether `name-jaccard` and so on are measures
    covers_by_query: ClassVar[bool] = False  # whether `name-coverage` is over the query
    space: WordSpace = field(repr=False)
    engine: Engine = field(repr=False)

    def __init_subclass__(cls) -> None:
        """Disable kernel rows in a subclass that makes its own rows and defines no rules."""
        own = cls.__dict__
        if "row_rules" not in own and not own.keys().isdisjoint(PREPARING):
            cls.row_rules = Words.row_rules  # type: ignore[method-assign]

    def __post_init__(self) -> None:
        self.space.check_scaling(f"a measure of {self.name} words", self.scalings)

    @abstractmethod
    def prepare(self, texts: Texts, precision: Precision, ids: TrigramIds | None) -> Prepared:
        """Return the table of the batch's words, and the texts without words that are dropped.

        Tables that are compared with each other must share `ids` of trigrams.
        """

    @abstractmethod
    def vocabulary_matrix(self) -> Floats:
        """Return vectors of the whole vocabulary as compared: (V, d)."""

    def vocabulary_weights(self) -> Floats | None:
        """Return weights of the vocabulary's words as universe elements, (V,); None: all 1."""
        return None

    def row_rules(self) -> RowRules | None:
        """Return the rules by which the kernels make the rows of `prepare`; None if they cannot."""
        return None

    def vectors(self, texts: Texts) -> tuple[Floats, Ragged]:
        """Return word vectors in float64, and the texts without unknown words: (m, d), texts."""
        table, rows = self.prepare(texts, np.float64, None)
        if table.rules is None:
            return table.vectors, rows
        return table.vectors, rows.keep(~table.rules.unknown[rows.values])

    def treatments(self, texts: Texts) -> list[Treatment]:
        """Return the treatment of each distinct word of the batch: (m,)."""
        known = self.space.raw_vectors(texts)[1]
        by_letters = set(self.space.unknown_by_letters(texts, known)[0].tolist())
        places = texts.vocabulary_ids.tolist()
        usual = (
            Treatment(Status.KNOWN, "" if place >= 0 else FROM_PARTS)
            if has_vector
            else Treatment(Status.UNKNOWN, FROM_LETTERS if number in by_letters else LEFT_OUT)
            for number, (has_vector, place) in enumerate(zip(known.tolist(), places, strict=True))
        )
        return [self.treatment(word, one) for word, one in zip(texts.words, usual, strict=True)]

    def treatment(self, word: str, usual: Treatment) -> Treatment:
        """Return the treatment of a word, which is the usual one unless these words have rules."""
        return usual

    def identity(self) -> dict[str, Any]:
        """Return everything about the words that decides a score, besides the vectors."""
        space, constants = self.space, self.constants()
        collection = None  # that decides the weights
        if space.by_collection:
            found = space.collection
            given = found and f"of {found.documents} texts, {digest(found.known)}"
            collection = given or "at hand"
        return {
            "weights": space.weights.value,
            "frequencies": digest(space.probabilities) if constants else None,
            "unit length": space.normalise,
            "constants": constants,
            "collection": collection,
        }

    def measure_identity(
        self, name: str, parts: dict[str, Any], universe: Any = None
    ) -> dict[str, Any]:
        """Return everything that decides a score of a measure with these words."""
        measure = {"name": name, "words": self.name, **parts, **self.options()}
        return {"measure": measure, "universe": universe, **self.identity()}

    def options(self) -> dict[str, Any]:
        """Return the options that the caller set."""
        return {}

    @abstractmethod
    def constants(self) -> dict[str, float]:
        """Return parameters and versions of the weights of words; empty if all are 1."""


def digest(array: NDArray[Any]) -> str:
    """Return a short hash of an array."""
    values = np.ascontiguousarray(array, dtype=np.float32)
    return blake2b(values.view(np.uint8).data, digest_size=16).hexdigest()
