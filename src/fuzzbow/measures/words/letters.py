"""Words of letters alone: for languages without vectors, and texts full of names.

Words are compared by their letters, whether the vocabulary has them or not. A word weighs as
much as it is rare, a / (a + p) by a list of its language. Where no list is at hand, its length
says how rare it is, or the collection does, which then counts twice. A collection multiplies
the weight by its inverse document frequency. Signs without a letter or a digit weigh little.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats, Ragged
from fuzzbow.encoding import Texts
from fuzzbow.engine import WordTable
from fuzzbow.errors import FuzzbowWarning, InputError
from fuzzbow.measures.decomposition import Status, Treatment
from fuzzbow.measures.words.weighted import LETTERS_VERSION, NUMBER, WeightedWords
from fuzzbow.text import has_digit, has_letter, is_contrasted, is_number
from fuzzbow.vectors.weights import WordList, sif_weights

RARITY_A = 1e-4  # of a / (a + p); of 1e-5 to 1e-3 the best on STS-B in five languages
LONG = 8  # letters of a word that weighs 1 where its length decides
SIGN_WEIGHT = 0.1  # of a word without a letter or a digit
BY_LETTERS = "compared by its letters"


@dataclass(frozen=True)
class LetterWords(WeightedWords):
    """Words without vectors, whose letters decide."""

    name = "letters"
    uses_vectors = False

    def prepare(
        self, texts: Texts, precision: type[np.floating[Any]], trigram_ids: dict[int, int] | None
    ) -> tuple[WordTable, Ragged]:
        """Words with weights and rules; their vectors are of one zero."""
        known = np.zeros(len(texts.words), dtype=np.bool_)
        weights = self._weights(texts)
        vectors = np.zeros((len(known), 1), dtype=precision)
        return WordTable(vectors, weights, self._rules(texts, known, trigram_ids)), texts.rows

    def _weights(self, texts: Texts) -> Floats:
        """Rarity of each word of the batch, by a list, by the collection or by length: (m,)."""
        words, collection = list(texts.words), self.space.collection
        idf = np.ones(len(words)) if collection is None else collection.idf(texts)
        if self._listed is not None:
            rarity = sif_weights(self._listed.of_words(words), a=RARITY_A)
        elif collection is not None:
            rarity = idf
        else:
            rarity = np.array([_share_of_long(word) for word in words], dtype=np.float64)
        signs = np.array([not (has_letter(word) or has_digit(word)) for word in words])
        return np.asarray(rarity * idf * np.where(signs, SIGN_WEIGHT, 1.0))

    @cached_property
    def _listed(self) -> WordList | None:
        """The list of the language; where it is missing and nothing else says, a warning."""
        found = self.space.listed
        if found is None and self.space.collection is None and self.space.language.frequencies:
            warnings.warn(
                "words weigh by their length; to weigh them by how rare they are:"
                ' pip install "fuzzbow[wordfreq]"',
                FuzzbowWarning,
                stacklevel=2,
            )
        return found

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
            if self.numbers and (is_contrasted(word) or has_digit(word))
            else Treatment(Status.UNKNOWN, BY_LETTERS)
            for word in texts.words
        ]

    def identity(self) -> dict[str, Any]:
        """Return the identity, with the list of frequencies in place of the vocabulary's."""
        listed = self.space.listed
        return super().identity() | {"frequencies": None if listed is None else listed.fingerprint}

    def constants(self) -> dict[str, float]:
        """The rules of letters, and what decides weights."""
        return {
            "letters": LETTERS_VERSION,
            "rarity a": RARITY_A,
            "long": LONG,
            "sign weight": SIGN_WEIGHT,
        }


def _share_of_long(word: str) -> float:
    """Weight of a word by its length; a number weighs as much as a long word."""
    return 1.0 if is_number(word) else min(len(word), LONG) / LONG
