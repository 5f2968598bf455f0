"""Words of records: weighted words, in which a code is like nothing but itself.

A word with a digit, `70DG007QUX` or `2021`, is a code: one that differs in a letter names
another thing. Codes of letters and digits, times and days weigh twice as much as other words,
numbers with decimals about half, and words without a vector a fifth more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans, Ragged
from fuzzbow.encoding import Texts
from fuzzbow.engine import WordRules, WordTable
from fuzzbow.measures.decomposition import Status, Treatment
from fuzzbow.measures.words.weighted import WeightedWords
from fuzzbow.text import has_digit, has_letter, is_number

# chosen on the sets of `shared/matching`
CODE_WEIGHT = 2.0  # a factor
DECIMAL_WEIGHT = 0.55  # a factor: prices and measures differ between descriptions of one thing
CODES_VERSION = 2  # of what a code is
CODE = "a code: has nothing in common with other words"


@dataclass(frozen=True)
class RecordWords(WeightedWords):
    """Weighted words with a rule for codes."""

    name = "records"
    covers_by_query = False
    unknown_weight = 1.2

    def prepare(
        self, texts: Texts, precision: type[np.floating[Any]], trigram_ids: dict[int, int] | None
    ) -> tuple[WordTable, Ragged]:
        """Words with vectors, weights and rules; codes have no vector and no letters."""
        table, rows = super().prepare(texts, precision, trigram_ids)
        codes = np.array([has_digit(word) for word in texts.words], dtype=np.bool_)
        if not codes.any() or table.weights is None or table.rules is None:
            return table, rows
        mixed = codes & np.array([is_compound(word) for word in texts.words])
        decimals = np.array([is_number(word) and "." in word for word in texts.words])
        vectors = np.where(codes[:, None], precision(0), table.vectors)
        weights = table.weights * np.where(mixed, CODE_WEIGHT, 1.0)
        weights *= np.where(decimals, DECIMAL_WEIGHT, 1.0)
        return WordTable(vectors, weights, _with_codes(table.rules, codes)), rows

    def _by_letters(self, word: str, usual: Treatment) -> Treatment:
        if has_digit(word):
            return Treatment(Status.NUMBER, CODE)
        return super()._by_letters(word, usual)

    def constants(self) -> dict[str, float]:
        """Also what a code is and weighs."""
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


def _with_codes(rules: WordRules, codes: Booleans) -> WordRules:
    """Codes as numbers, of which different ones have nothing in common, without letters."""
    trigrams = rules.trigrams.keep(np.repeat(~codes, rules.trigrams.lengths))
    # a word with a digit has no letters that edits would change
    return WordRules(rules.numbers | codes, rules.unknown & ~codes, trigrams, rules.letters)
