"""Words of letters alone: for languages without vectors, and texts full of names.

Words are compared by their letters, whether the vocabulary has them or not. The weight of a word is
a / (a + p), with its probability p by a list of its language. Without a list, the length of the
word, or its frequency in the collection, which then counts twice, takes the place of p. A
collection multiplies the weight by its inverse document frequency. Words without a letter or a
digit have a low weight.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats, Ragged
from fuzzbow.encoding import Texts, TrigramIds
from fuzzbow.engine import WordTable
from fuzzbow.errors import FuzzbowWarning, InputError
from fuzzbow.measures.decomposition import Status, Treatment
from fuzzbow.measures.words.base import Precision, Prepared
from fuzzbow.measures.words.weighted import LETTERS_VERSION, NUMBER, WeightedWords
from fuzzbow.text import has_digit, has_letter, is_contrasted, is_number
from fuzzbow.vectors.weights import WordList, sif_weights

RARITY_A = 1e-4  # of a / (a + p); of 1e-5 to 1e-3 the best on STS-B in five languages
LONG = 8  # letters of a word that weighs 1 where its length decides
SIGN_WEIGHT = 0.1  # of a word without a letter or a digit
BY_LETTERS = "compared by its letters"
WHOLE_NAME = 4  # letters of a name that weighs 1
NAMES_VERSION = 1  # of the rules above


@dataclass(frozen=True)
class LetterWords(WeightedWords):
    """Words that are compared by their letters, without vectors."""

    name = "letters"
    uses_vectors = False

    def prepare(self, texts: Texts, precision: Precision, ids: TrigramIds | None) -> Prepared:
        """Return words with weights and rules; their vectors are a single 0."""
        known = np.zeros(len(texts.words), dtype=np.bool_)
        weights = self._weights(texts)
        vectors = np.zeros((len(known), 1), dtype=precision)
        return WordTable(vectors, weights, self._rules(texts, known, ids)), texts.rows

    def _weights(self, texts: Texts) -> Floats:
        """Return the rarity of each word, by a list, by the collection or by length: (m,)."""
        words, collection = list(texts.words), self.space.collection
        idf = np.ones(len(words)) if collection is None else collection.idf(texts)
        if self._listed is not None:
            rarity = sif_weights(self._listed.of_words(words), a=RARITY_A)
        elif collection is not None:
            rarity = idf
        else:
            lengths = (LONG if is_number(word) else min(len(word), LONG) for word in words)
            rarity = np.fromiter(lengths, dtype=np.float64, count=len(words)) / LONG
        signs = np.array([not (has_letter(word) or has_digit(word)) for word in words])
        return np.asarray(rarity * idf * np.where(signs, SIGN_WEIGHT, 1.0))

    @cached_property
    def _listed(self) -> WordList | None:
        """Word list of the language; warns if it is missing and there is no collection."""
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
        """Raise InputError: there are no vectors."""
        raise InputError("letters words have no vectors; their universe must be dynamic or query")

    def treatment(self, word: str, usual: Treatment) -> Treatment:
        """Return the treatment of words compared by letters, or that of numbers."""
        if self.numbers and (is_contrasted(word) or has_digit(word)):
            return Treatment(Status.NUMBER, NUMBER)
        return Treatment(Status.UNKNOWN, BY_LETTERS)

    def identity(self) -> dict[str, Any]:
        """Return the identity with the list of frequencies instead of the vocabulary's."""
        listed = self.space.listed
        return super().identity() | {"frequencies": None if listed is None else listed.fingerprint}

    def constants(self) -> dict[str, float]:
        """Return the version of the rules of letters, and the constants of weights."""
        return {
            "letters": LETTERS_VERSION,
            "rarity a": RARITY_A,
            "long": LONG,
            "sign weight": SIGN_WEIGHT,
        }


@dataclass(frozen=True)
class NameWords(LetterWords):
    """Words of letters with the rules of names.

    Words are compared by their letters, with the first letter doubled. So an initial is similar to
    every name that begins with it, by a trigram; edits are counted in names of 3 letters or more,
    and cost less in short ones, as in `Jon`; another first letter costs two edits: `Kim` and `Tim`.

    Words of 4 letters or more have the same weight, shorter ones less, an initial a quarter. The
    weight depends on the rarity of a name only if the model has a collection.
    """

    name = "names"
    covers_by_query = False

    def _weights(self, texts: Texts) -> Floats:
        """Weight each word of the batch by its length, and by the collection: (m,)."""
        lengths = np.array([len(word) for word in texts.words], dtype=np.float64)
        weights = np.minimum(lengths, WHOLE_NAME) / WHOLE_NAME
        collection = self.space.collection
        return weights if collection is None else weights * collection.idf(texts)

    def _spellings(self, words: Sequence[str], ids: TrigramIds) -> tuple[Ragged, Ragged]:
        return super()._spellings([word[:1] + word for word in words], ids)

    def identity(self) -> dict[str, Any]:
        """Return the identity without a list of frequencies."""
        return super().identity() | {"frequencies": None}

    def constants(self) -> dict[str, float]:
        """Return the versions of the rules of letters and names."""
        return {"letters": LETTERS_VERSION, "names": NAMES_VERSION, "whole name": WHOLE_NAME}
