"""Words of records: product names, addresses, references, in which codes decide.

Beside the forms of words (`forms.py`):

* words joined by single hyphens or slashes are one code, written small and without these,
  if one of them mixes letters and digits or is a whole number of three or more digits:
  `KX-TGA450B`, `MB111LL/A`, `010-00715-20`; but not `18-year-old` or `F-16`, nor a date;
* a number with two or more points loses them: `010.00715.20`; but not `3.5`;
* a unit of up to three letters behind a number is a word of its own: `64GB`, `13in`.
"""

from __future__ import annotations

from dataclasses import dataclass

from fuzzbow.text.forms import Form, date_words, joined_code
from fuzzbow.text.patterns import lazy_pattern
from fuzzbow.text.words import WordTokenizer

JOINT = lazy_pattern("[-/]")
POINTED = lazy_pattern(r"\d+(?:\.\d+){2,}")
WITH_UNIT = lazy_pattern(r"(\d+(?:[.,]\d+)*)([^\W\d_]{1,3})")


@dataclass(frozen=True)
class RecordTokenizer(WordTokenizer):
    """Words, with every code as one word however it is written.

    >>> RecordTokenizer().words("Garmin 010-00715-20, 64GB")
    ['Garmin', '0100071520', ',', '64', 'GB']
    """

    name: str = "records"

    def forms(self, chunk: str) -> list[Form]:
        """Return the words of a chunk, and where each begins and ends in it."""
        end = len(chunk)
        if not any(map(str.isdigit, chunk)) or date_words(chunk):
            return super().forms(chunk)
        code = joined_code(JOINT.split(chunk))
        if code is not None:
            return [(code[0], 0, end)]
        if POINTED.fullmatch(chunk):
            return [(chunk.replace(".", ""), 0, end)]
        unit = WITH_UNIT.fullmatch(chunk)
        if unit is not None:
            return [*super().forms(unit[1]), (unit[2], unit.end(1), end)]
        return super().forms(chunk)
