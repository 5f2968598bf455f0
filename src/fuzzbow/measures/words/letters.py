"""Words of letters alone: for languages without vectors, and texts full of names.

Words are compared by their trigrams, whether the vocabulary has them or not. Where a collection
decides, a word weighs the square of its inverse document frequency: once for its rarity, which
weighted words have from their vectors, and once for the collection.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats, Ragged
from fuzzbow.encoding import Texts
from fuzzbow.engine import WordTable
from fuzzbow.errors import InputError
from fuzzbow.measures.decomposition import Status, Treatment
from fuzzbow.measures.words.weighted import LETTERS_VERSION, NUMBER, WeightedWords
from fuzzbow.text import is_number

IDF_POWER = 2.0
BY_LETTERS = "compared by its letters, in threes"


@dataclass(frozen=True)
class LetterWords(WeightedWords):
    """Words without vectors, whose letters decide."""

    name = "letters"
    by_vectors = False

    def prepare(
        self, texts: Texts, precision: type[np.floating[Any]], trigram_ids: dict[int, int] | None
    ) -> tuple[WordTable, Ragged]:
        """Words with weights and trigrams; their vectors are of one zero."""
        known = np.zeros(len(texts.words), dtype=np.bool_)
        weights: Floats = np.ones(len(known))
        if self.space.collection is not None:
            weights = self.space.collection.idf(texts) ** IDF_POWER
        vectors = np.zeros((len(known), 1), dtype=precision)
        return WordTable(vectors, weights, self._rules(texts, known, trigram_ids)), texts.rows

    def vocabulary_matrix(self) -> Floats:
        """Refused: there are no vectors."""
        raise InputError("letters words have no vectors; their universe must be dynamic or query")

    def vocabulary_weights(self) -> Floats:
        """Refused likewise."""
        raise InputError("letters words have no vectors; their universe must be dynamic or query")

    def treatments(self, texts: Texts) -> list[Treatment]:
        """All by their letters; a number is like no other."""
        return [
            Treatment(Status.NUMBER, NUMBER)
            if self.numbers and is_number(word)
            else Treatment(Status.UNKNOWN, BY_LETTERS)
            for word in texts.words
        ]

    def identity(self) -> dict[str, Any]:
        """That of weighted words, less the frequencies, which decide nothing."""
        return super().identity() | {"frequencies": None}

    def constants(self) -> dict[str, float]:
        """The rules of letters, and the power of rarity."""
        return {"letters": LETTERS_VERSION, "idf power": IDF_POWER}
