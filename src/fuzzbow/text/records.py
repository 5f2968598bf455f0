"""Words of records: product names, addresses, references, in which codes decide.

Beside the words of `WordTokenizer`:

* words joined by single hyphens or slashes are one code, written small and without these,
  if one of them mixes letters and digits or is a whole number of three or more digits:
  `KX-TGA450B`, `MB111LL/A`, `010-00715-20`; but not `18-year-old` or `F-16`;
* a number with two or more points loses them: `010.00715.20`; but not `3.5`;
* a unit of up to three letters behind a number is a word of its own: `64GB`, `13in`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar

from fuzzbow.text.languages import Language
from fuzzbow.text.segments import Dictionary, Span
from fuzzbow.text.tokenizers import name_in
from fuzzbow.text.words import WordTokenizer

JOINTS = "-/"
CODE_PIECE = re.compile(r"(?=.*\d)(?=.*[^\W\d_])\w+|\d{3,}")
POINTED = re.compile(r"\d+(?:\.\d+){2,}")
WITH_UNIT = re.compile(r"(\d+(?:[.,]\d+)*)([^\W\d_]{1,3})")
NOT_IN_CODES = re.compile(r"[\W_]")

Token = tuple[str, Span]


@dataclass(frozen=True)
class RecordTokenizer:
    """Words, with every code as one word however it is written.

    >>> RecordTokenizer().words("Garmin 010-00715-20, 64GB")
    ['Garmin', '0100071520', ',', '64', 'GB']
    """

    rules: ClassVar[int] = WordTokenizer.rules

    name: str = "records"
    plain: WordTokenizer = field(default_factory=WordTokenizer)

    def words(self, text: str) -> list[str]:
        """The words of a text."""
        return [word for word, _ in _tokens(text, self.plain)]

    def spans(self, text: str) -> list[Span]:
        """Where each word begins and ends."""
        return [span for _, span in _tokens(text, self.plain)]

    def adapted(self, language: Language, dictionary: Dictionary) -> RecordTokenizer:
        """As the plain words are."""
        plain = self.plain.adapted(language, dictionary)
        return replace(self, name=name_in(language, self.name), plain=plain)


def _tokens(text: str, plain: WordTokenizer) -> Iterator[Token]:
    found = list(zip(plain.words(text), plain.spans(text), strict=True))
    place = 0
    while place < len(found):
        chain = _chain(found, place)
        pieces = [word for word, _ in chain[::2]]
        if len(chain) > 1 and any(map(CODE_PIECE.fullmatch, pieces)):
            code = NOT_IN_CODES.sub("", "".join(pieces)).lower()
            yield code, (chain[0][1][0], chain[-1][1][1])
            place += len(chain)
        else:
            yield from _split(*found[place])
            place += 1


def _chain(tokens: list[Token], first: int) -> list[Token]:
    """The words joined to one, with the joints between them."""
    last = first
    while last + 2 < len(tokens) and _joins(*tokens[last : last + 3]):
        last += 2
    return tokens[first : last + 1]


def _joins(left: Token, joint: Token, right: Token) -> bool:
    """Whether two words are joined: nothing stands between them but the joint."""
    touching = left[1][1] == joint[1][0] and joint[1][1] == right[1][0]
    wordlike = left[0][0].isalnum() and right[0][0].isalnum()
    return touching and wordlike and joint[0] in JOINTS


def _split(word: str, span: Span) -> Iterator[Token]:
    """A word that is no part of a chain."""
    unit = WITH_UNIT.fullmatch(word)
    if unit is not None:
        middle = span[0] + unit.end(1)
        yield unit[1], (span[0], middle)
        yield unit[2], (middle, span[1])
    else:
        yield (word.replace(".", "") if POINTED.fullmatch(word) else word), span
