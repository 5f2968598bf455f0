"""Tokenizer of names of people, folded so that spellings of a name are equal."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from fuzzbow.text.characters import marks, ranges
from fuzzbow.text.folding import ACCENTS, STROKES
from fuzzbow.text.tokenizer import Span, Tokenizer

APOSTROPHES = "'’‘ʼʻ`´＇"
TITLES = frozenset(
    (
        *("mr", "mrs", "ms", "miss", "mx", "herr", "frau", "mme", "mlle"),
        *("dr", "doctor", "phd", "prof", "professor", "rev", "sir", "esq"),
        *("jr", "jnr", "sr", "snr"),
    )
)
PLAIN_LETTERS = STROKES | str.maketrans(dict.fromkeys(APOSTROPHES + ". \t\n\r"))


@dataclass(frozen=True)
class NameTokenizer(Tokenizer):
    """Words of names in lower case, without accents, apostrophes, titles and punctuation.

    Parts of a name joined by a hyphen are separate words; `O'` and `Mc` belong to the word
    after them.

    >>> NameTokenizer().words("Dr. Seán Mc Carthy-O'Neill, Jr.")
    ['sean', 'mccarthy', 'oneill']
    """

    name: str = "names"

    def words(self, text: str) -> list[str]:
        return [word for word, _ in _tokens(text)]

    def spans(self, text: str) -> list[Span]:
        return [span for _, span in _tokens(text)]


@cache
def _word_pattern() -> re.Pattern[str]:
    letter = rf"(?:[^\W_]|[{ranges(marks())}])"
    apostrophe = f"[{APOSTROPHES}]"
    return re.compile(
        rf"""
          ph\.\s?d(?!{letter})                                 # Ph.D.
        | (?: (?: mc | [od]{apostrophe} ) \s+ )?               # Mc Donald, O' Neill
          {letter} (?: {letter} | {apostrophe}(?={letter}) )*  # Donald, O'Neill
        """,
        re.VERBOSE | re.IGNORECASE,
    )


def _tokens(text: str) -> list[tuple[str, Span]]:
    """Find words and spans; titles are left out unless there is nothing else."""
    folded = ((fold(match[0]), match.span()) for match in _word_pattern().finditer(text))
    found = [(word, span) for word, span in folded if word]
    return [(word, span) for word, span in found if word not in TITLES] or found


def fold(word: str) -> str:
    """Return a word in lower case, with plain letters for those with accents or strokes.

    >>> fold("Müller"), fold("STRAẞE"), fold("Bjørn"), fold("D’Angelo")
    ('muller', 'strasse', 'bjorn', 'dangelo')
    """
    small = word.casefold()
    if not small.isascii():
        small = ACCENTS.sub("", unicodedata.normalize("NFKD", small))
        small = unicodedata.normalize("NFC", small)
    return small.translate(PLAIN_LETTERS)
