"""Weighted words, the recommended ones: whitened vectors, weighted elements, letters.

Three changes to the paper's words:

* vectors are whitened by word probability, then made unit length; ready ones are made unit
  length only;
* a universe element u weighs w(u), as in `whitened.py`, or what its table says; a word without
  a vector weighs 1;
* different numbers have similarity 0, and words without a vector are compared by their letters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Ragged
from fuzzbow.encoding import Texts, known_rows
from fuzzbow.engine import WordRules, WordTable, letters_of
from fuzzbow.measures.decomposition import Status, Treatment
from fuzzbow.measures.words.whitened import WhitenedWords
from fuzzbow.text import is_number, is_punctuation
from fuzzbow.vectors.weights import Weights

LETTERS_VERSION = 2  # of the rules for numbers and for words without a vector
BY_LETTERS = "no vector: compared by its letters"
LEFT_OUT = "punctuation: left out"
NUMBER = "a number: has nothing in common with other numbers"


@dataclass(frozen=True)
class WeightedWords(WhitenedWords):
    """Unit vectors with weights as elements, and rules for what letters decide."""

    name = "weighted"
    scalings = frozenset({Weights.NONE})
    takes_collection = True

    numbers: bool = True  # different numbers have nothing in common
    unknown: bool = True  # words without a vector are compared by letters, else left out
    punctuation: bool = True  # whether it takes part

    def prepare(
        self, texts: Texts, precision: type[np.floating[Any]], trigram_ids: dict[int, int] | None
    ) -> tuple[WordTable, Ragged]:
        """Words with vectors, weights and rules."""
        vectors, known = self.space.raw_vectors(texts)
        rarity = self.space.of_words(self.space.rarity, texts)
        unit, weights = self.unit_and_weights(vectors, rarity, precision)
        rules = self._rules(texts, known, trigram_ids)
        weights = np.where(known, weights, 1.0)
        if self.space.collection is not None:
            weights = weights * self.space.collection.idf(texts)
        table = WordTable(unit, weights, rules)
        kept = known | self.unknown
        if not self.punctuation:
            kept = kept & ~np.array([is_punctuation(word) for word in texts.words], dtype=np.bool_)
        return table, known_rows(texts, kept)

    def vocabulary_matrix(self) -> Floats:
        """Unit vectors of the whole table."""
        return self._vocabulary()[0]

    def vocabulary_weights(self) -> Floats:
        """The weight of each word of the table."""
        weights = self._vocabulary()[1]
        collection = self.space.collection
        return weights if collection is None else weights * collection.vocabulary_idf()

    def _vocabulary(self) -> tuple[Floats, Floats]:
        space = self.space
        return self.unit_and_weights(space.vectors.matrix, space.rarity, np.float64)

    def _rules(
        self, texts: Texts, known: Booleans, trigram_ids: dict[int, int] | None
    ) -> WordRules:
        """What letters decide for the words of the batch."""
        words = list(texts.words)  # decoded once
        numbers = np.zeros(len(known), dtype=np.bool_)
        if self.numbers:
            numbers[:] = [is_number(word) for word in words]
        if trigram_ids is not None or (self.unknown and not known.all()):
            spellings = self._spellings(words, {} if trigram_ids is None else trigram_ids)
            return WordRules(numbers, ~known, *spellings)
        none = Ragged.from_rows([[]] * len(known))
        return WordRules(numbers, ~known, none, none)

    def _spellings(self, words: Sequence[str], ids: dict[int, int]) -> tuple[Ragged, Ragged]:
        """Return ids of the trigrams of words, and letters for edits."""
        return _trigrams(words, ids), letters_of(words)

    def treatments(self, texts: Texts) -> list[Treatment]:
        """As for other words, but for what letters decide."""
        usual = super().treatments(texts)
        return [
            self._by_letters(word, treatment)
            for word, treatment in zip(texts.words, usual, strict=True)
        ]

    def _by_letters(self, word: str, usual: Treatment) -> Treatment:
        has_vector = usual.status is Status.KNOWN
        if not self.punctuation and is_punctuation(word):
            return Treatment(Status.PUNCTUATION, LEFT_OUT)
        if not has_vector and not self.unknown:
            return usual
        if self.numbers and is_number(word):
            return Treatment(Status.NUMBER, NUMBER if has_vector else f"{NUMBER}; {BY_LETTERS}")
        return usual if has_vector else Treatment(Status.UNKNOWN, BY_LETTERS)

    def options(self) -> dict[str, Any]:
        """Which rules are in force."""
        usual = {"numbers": self.numbers, "unknown": self.unknown}
        return usual if self.punctuation else usual | {"punctuation": False}

    def constants(self) -> dict[str, float]:
        """Also the version of the rules."""
        return super().constants() | {"letters": LETTERS_VERSION}


def _trigrams(words: Sequence[str], ids: dict[int, int]) -> Ragged:
    """Return sorted ids of the distinct trigrams of each word, as `text.trigrams` makes them.

    All words are cut at once. A trigram is known by its three code points in one number; new
    ones are numbered on.
    """
    marked = "".join([f"<{word}>" for word in words])
    codes = np.frombuffer(marked.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    lengths = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
    owners = np.repeat(np.arange(len(words)), lengths)
    first = np.arange(len(owners)) + 2 * owners  # two marks around each word before
    wide = codes.astype(np.uint64)
    keys = wide[first] << 42 | wide[first + 1] << 21 | wide[first + 2]
    distinct, place = np.unique(keys, return_inverse=True)
    numbers = np.array([ids.setdefault(key, len(ids)) for key in distinct.tolist()], dtype=np.int64)
    cells = np.sort(owners << 32 | numbers[place])
    each_once = cells[np.diff(cells, prepend=-1) > 0]
    counts = np.bincount(each_once >> 32, minlength=len(words))
    return Ragged.from_lengths((each_once & 0xFFFFFFFF).astype(np.uint32), counts)
