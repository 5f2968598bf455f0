"""The paper's words: vectors as they are, or scaled by how rare a word is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats, Ragged
from fuzzbow.encoding import Texts, known_rows
from fuzzbow.engine import WordTable
from fuzzbow.measures.words.base import Words
from fuzzbow.vectors.weights import SIF_A, USIF_LENGTH, Weights

CONSTANTS: dict[Weights, dict[str, float]] = {
    Weights.NONE: {},
    Weights.SIF: {"sif a": SIF_A},
    Weights.USIF: {"usif length": USIF_LENGTH},
}


@dataclass(frozen=True)
class PlainWords(Words):
    """Every word with a vector is an element of weight 1; words without one are left out."""

    name = "plain"
    names_measures = False
    scalings = frozenset(CONSTANTS)

    def prepare(
        self, texts: Texts, precision: type[np.floating[Any]], trigram_ids: dict[int, int] | None
    ) -> tuple[WordTable, Ragged]:
        """Vectors as the model scales them."""
        vectors, known = self.space.word_vectors(texts, precision)
        return WordTable(vectors), known_rows(texts, known)

    def vocabulary_matrix(self) -> Floats:
        """The whole table, scaled likewise."""
        return self.space.vocabulary_matrix()

    def constants(self) -> dict[str, float]:
        """Return the constants of the scaling."""
        return CONSTANTS[self.space.weights]
