"""Weighted words, the recommended ones: whitened vectors, weighted elements, letters.

Three changes to the paper's words:

* vectors are whitened by word probability, then scaled to unit length; preweighted ones are only
  scaled;
* a universe element u has the weight w(u), as in `whitened.py`, or that of a preweighted table; a
  word without a vector has 1, a number 1.3, a symbol almost 0;
* different numbers have similarity 0, as do other contrasting words (months, currencies) and codes
  of letters and digits; words without a vector are compared by their letters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Ragged
from fuzzbow.encoding import Texts, TrigramIds
from fuzzbow.engine import RowRules, WordRules, WordTable, letters_of
from fuzzbow.measures.decomposition import Status, Treatment
from fuzzbow.measures.words.base import Precision, Prepared
from fuzzbow.measures.words.whitened import WhitenedWords
from fuzzbow.text import has_digit, has_letter, is_contrasted, is_number, is_punctuation, is_symbol
from fuzzbow.vectors.weights import Weights

LETTERS_VERSION = 3  # of the rules for numbers, symbols and words without a vector
# chosen on STS-B dev and train, as the means of words are about 1
NUMBER_WEIGHT = 1.3  # of a number, known or not
SYMBOL_WEIGHT = 0.03  # at most, of a word without a letter or digit
BY_LETTERS = "no vector: compared by its letters"
LEFT_OUT = "punctuation: left out"
NUMBER = "a number: has nothing in common with other numbers"
CONTRASTED = "as a number: has nothing in common with others of its kind"
# chosen on the sets of `shared/matching`
CODE_WEIGHT = 2.0  # a factor
DECIMAL_WEIGHT = 0.55  # a factor: prices and measures differ between descriptions of one thing
CODES_VERSION = 2  # of what a code is
CODE = "a code: has nothing in common with other words"


@dataclass(frozen=True)
class WeightedWords(WhitenedWords):
    """Unit vectors with weights as elements, and rules for similarities by letters."""

    name = "weighted"
    names_measures = True
    covers_by_query = True
    scalings = frozenset({Weights.NONE})
    uses_collection = True

    numbers: bool = True  # different numbers have nothing in common
    unknown: bool = True  # words without a vector are compared by letters, else left out
    punctuation: bool = True  # whether it takes part
    unknown_weight: ClassVar[float] = 1.0  # of a word without a vector

    def prepare(self, texts: Texts, precision: Precision, ids: TrigramIds | None) -> Prepared:
        """Return words with vectors, weights and rules."""
        vectors, known = self.space.raw_vectors(texts)
        rarity = self.space.of_words(self.space.rarity, texts)
        unit, weights = self.unit_and_weights(vectors, rarity, precision)
        rules = self._rules(texts, known, ids)
        weights = np.where(known, weights, self.unknown_weight)
        words = list(texts.words)
        if self.numbers:
            weights[np.flatnonzero([is_number(word) for word in words])] = NUMBER_WEIGHT
        if self.unknown:
            symbols = np.flatnonzero([is_symbol(word) for word in words])
            weights[symbols] = np.minimum(weights[symbols], SYMBOL_WEIGHT)
            unit[symbols] = 0  # alike only if they are equal, which the rules decide
        if self.space.collection is not None:
            weights = weights * self.space.collection.idf(texts)
        table = WordTable(unit, weights, rules)
        kept = known | self.unknown
        if not self.punctuation:
            kept = kept & ~np.array([is_punctuation(word) for word in words], dtype=np.bool_)
        return table, texts.known_rows(kept)

    def row_rules(self) -> RowRules | None:
        """Return the rules of `prepare`, unless a collection decides weights."""
        if self.space.collection is not None:
            return None
        return replace(
            self._whitening_rules("weighted"),
            numbers=self.numbers,
            unknown=self.unknown,
            punctuation=self.punctuation,
            number_weight=NUMBER_WEIGHT,
            symbol_weight=SYMBOL_WEIGHT,
            unknown_weight=self.unknown_weight,
        )

    def vocabulary_matrix(self) -> Floats:
        """Return unit vectors of the whole table."""
        return self._vocabulary()[0]

    def vocabulary_weights(self) -> Floats:
        """Return the weight of each word of the table."""
        weights = self._vocabulary()[1]
        collection = self.space.collection
        return weights if collection is None else weights * collection.vocabulary_idf()

    def _vocabulary(self) -> tuple[Floats, Floats]:
        space = self.space
        return self.unit_and_weights(space.vectors.matrix, space.rarity, np.float64)

    def _rules(self, texts: Texts, known: Booleans, ids: TrigramIds | None) -> WordRules:
        """Return the rules of letters for the words of the batch."""
        words = list(texts.words)  # decoded once
        numbers = np.zeros(len(known), dtype=np.bool_)
        if self.numbers:
            numbers[:] = list(map(_is_contrasted, words, known.tolist()))
        if ids is not None or (self.unknown and not known.all()):
            spellings = self._spellings(words, {} if ids is None else ids)
            return WordRules(numbers, ~known, *spellings)
        none = Ragged.from_rows([[]] * len(known))
        return WordRules(numbers, ~known, none, none)

    def _spellings(self, words: Sequence[str], ids: TrigramIds) -> tuple[Ragged, Ragged]:
        """Return ids of the trigrams of words, and letters for edits."""
        return _trigrams(words, ids), letters_of(words)

    def treatment(self, word: str, usual: Treatment) -> Treatment:
        """Return the usual treatment, except of words compared by letters."""
        has_vector = usual.status is Status.KNOWN
        if not self.punctuation and is_punctuation(word):
            return Treatment(Status.PUNCTUATION, LEFT_OUT)
        if not has_vector and not self.unknown:
            return usual
        if self.numbers and _is_contrasted(word, has_vector):
            note = NUMBER if is_number(word) else CONTRASTED
            return Treatment(Status.NUMBER, note if has_vector else f"{note}; {BY_LETTERS}")
        return usual if has_vector else Treatment(Status.UNKNOWN, BY_LETTERS)

    def options(self) -> dict[str, Any]:
        """Return the options of the rules."""
        usual = {"numbers": self.numbers, "unknown": self.unknown}
        return usual if self.punctuation else usual | {"punctuation": False}

    def constants(self) -> dict[str, float]:
        """Return the inherited constants, the version of the rules, and their weights."""
        return super().constants() | {
            "letters": LETTERS_VERSION,
            "number weight": NUMBER_WEIGHT,
            "symbol weight": SYMBOL_WEIGHT,
            "unknown weight": self.unknown_weight,
        }


@dataclass(frozen=True)
class RecordWords(WeightedWords):
    """Weighted words with a rule for codes.

    A word with a digit, such as `70DG007QUX` or `2021`, is a code, which must match exactly. Codes
    of letters and digits, times and days count twice as much as other words, numbers with decimals
    about half, and words without a vector a fifth more.
    """

    name = "records"
    covers_by_query = False
    unknown_weight = 1.2

    def prepare(self, texts: Texts, precision: Precision, ids: TrigramIds | None) -> Prepared:
        """Return words with vectors, weights and rules; codes have no vector and no letters."""
        table, rows = super().prepare(texts, precision, ids)
        codes = np.array([has_digit(word) for word in texts.words], dtype=np.bool_)
        if not codes.any() or table.weights is None or table.rules is None:
            return table, rows
        mixed = codes & np.array([is_compound(word) for word in texts.words])
        decimals = np.array([is_number(word) and "." in word for word in texts.words])
        vectors = np.where(codes[:, None], precision(0), table.vectors)
        weights = table.weights * np.where(mixed, CODE_WEIGHT, 1.0)
        weights *= np.where(decimals, DECIMAL_WEIGHT, 1.0)
        trigrams = table.rules.trigrams.keep(np.repeat(~codes, table.rules.trigrams.lengths))
        rules = replace(
            table.rules,  # a word with a digit has no letters that edits would change
            numbers=table.rules.numbers | codes,
            unknown=table.rules.unknown & ~codes,
            trigrams=trigrams,
        )
        return WordTable(vectors, weights, rules), rows

    def row_rules(self) -> RowRules | None:
        """Return the inherited rules with those of codes."""
        rules = super().row_rules()
        if rules is None:
            return None
        weighted = replace(rules, code_weight=CODE_WEIGHT, decimal_weight=DECIMAL_WEIGHT)
        return replace(weighted, codes=True)

    def treatment(self, word: str, usual: Treatment) -> Treatment:
        """Return the usual treatment, except of codes and words compared by letters."""
        return Treatment(Status.NUMBER, CODE) if has_digit(word) else super().treatment(word, usual)

    def constants(self) -> dict[str, float]:
        """Return the inherited constants, and the version and weights of codes."""
        return super().constants() | {
            "codes": CODES_VERSION,
            "code weight": CODE_WEIGHT,
            "decimal weight": DECIMAL_WEIGHT,
        }


def is_compound(word: str) -> bool:
    """Return whether a word with a digit has other parts: letters, or parts of a time or a day.

    >>> [is_compound(word) for word in ("70DG007", "3:55", "5/1", "129.95", "2021")]
    [True, True, True, False, False]
    """
    return has_letter(word) or ":" in word or "/" in word


def _is_contrasted(word: str, has_vector: bool) -> bool:
    """Return whether a word is similar only to itself, as numbers, codes and months are."""
    return is_contrasted(word) or (not has_vector and has_digit(word))


def _trigrams(words: Sequence[str], ids: TrigramIds) -> Ragged:
    """Return sorted ids of the distinct trigrams of each word, as `text.trigrams` makes them.

    All words are cut together. A trigram is one number made of its three code points; new ones
    get the next ids.
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
