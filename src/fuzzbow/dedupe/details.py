"""Details that separate similar texts: numbers, codes and negation.

Numbers are words of digits (`12`, `1,650`, `3.5`) and number words (`three`, `twenty-first`). One
of two texts may lack numbers of the other, as records do. But if each has a number that the other
lacks, or they have equally many different numbers, they differ in meaning. Codes are words of
digits and letters (`A1234`, `64GB`), and must be equal in both; and both or neither must contain a
negation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from fuzzbow.arrays import Booleans, Integers
from fuzzbow.encoding import Texts
from fuzzbow.text import has_digit
from fuzzbow.text.forms import ORDINALS, POWERS, SMALL_NUMBERS, TENS

NEGATED = "n't"
NEGATIONS = frozenset(
    {"not", "no", "never", "nor", "neither", "none", "nobody", "nothing", "nowhere"}
    | {"cannot", "without", NEGATED}
)
DENIES = ""  # value of all negations, which are equivalent
TENS_VALUES = range(20, 100, 10)
NUMBER_WORDS = SMALL_NUMBERS | ORDINALS | TENS | POWERS
ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
INTEGER = re.compile(r"([+-]?)0*(\d+?)(?:\.0*)?")  # 007 and 7.00 are 7
SIGNS = str.maketrans({"−": "-", "’": "'"})


Found = tuple[str, str]  # kind of a detail, and its value
Label = TypeVar("Label", bound=Hashable)


def detail_of(word: str) -> Found | None:
    """Return the detail that a word adds to its text, if any.

    >>> [detail_of(word)[1] for word in ("12", "1,650.0", "three", "2nd", "3.10", "A1234,")]
    ['12', '1650', '3', '2', '3.10', 'a1234']
    >>> detail_of("phone"), detail_of("Not")[0]
    (None, 'negation')
    """
    plain = _plain(word)
    if has_digit(plain):
        return _digits(plain)
    if plain in NUMBER_WORDS:
        return "numbers", str(NUMBER_WORDS[plain])
    if plain in NEGATIONS or plain.endswith(NEGATED):
        return "negation", DENIES
    return None


def details_of(words: Iterable[str]) -> Iterator[Found]:
    """Yield the details of a text; consecutive number words are one number.

    The tokenizer writes most of them as digits.

    >>> [value for _, value in details_of("the twenty first of 2 hundred".split())]
    ['21', '200']
    """
    number: int | None = None  # of the number words just before
    for word in words:
        plain = _plain(word)
        value = _phrase_value(plain)
        if number is not None:
            joined = _combined_number(number, value)
            if joined is not None:
                number = joined
                continue
            yield "numbers", str(number)
        number = value
        if value is None and (detail := detail_of(word)) is not None:
            yield detail
    if number is not None:
        yield "numbers", str(number)


def _plain(word: str) -> str:
    return word.translate(SIGNS).lower()


def _phrase_value(plain: str) -> int | None:
    """Return the value of a word that may be part of a number in several words."""
    if plain.isascii() and plain.isdigit() and len(plain) <= 3 and plain[0] != "0":
        return int(plain)
    return NUMBER_WORDS.get(plain)


def _combined_number(number: int, following: int | None) -> int | None:
    """Return the number that two number words form, such as twenty one, or None."""
    if following is None:
        return None
    if following in POWERS.values() and 0 < number < 1000:
        return number * following
    is_ten = 20 <= number < 100 and number % 10 == 0
    return number + following if is_ten and 0 < following < 10 else None


def _digits(word: str) -> Found:
    """Return the number or code of a word with a digit, without punctuation around it."""
    start, end = 0, len(word)
    while not word[start].isalnum():
        start += 1
    while not word[end - 1].isalnum():
        end -= 1
    sign, core = word[max(start - 1, 0) : start], word[start:end]
    if ordinal := ORDINAL.fullmatch(core):
        core = ordinal[1]
    elif any(map(str.isalpha, core)):
        return "codes", core
    if THOUSANDS.fullmatch(core):
        core = core.replace(",", "")
    if whole := INTEGER.fullmatch(core):
        core = whole[2]
    return "numbers", f"-{core}" if sign == "-" else core


class Details:
    """Details of texts, and the number of similar pairs that they separated."""

    def __init__(
        self,
        texts: Texts,
        kinds: Collection[str],
        ignore: str | None = None,
        strings: Callable[[], Iterable[str]] = list,
        words: Callable[[str], Iterable[str]] = str.split,
    ) -> None:
        """Find details of these kinds, ignoring parts of `strings` that `ignore` matches."""
        rows = _details_by_row(texts)
        if ignore is not None:
            pattern = re.compile(ignore)
            for row, text in enumerate(strings()):
                rest, times = pattern.subn(" ", text)
                if times:
                    rows[row] = list(details_of(words(rest)))
        rows = [[item for item in row if item[0] in kinds] for row in rows]
        self._numbers, self._numbers_of = _number_distinct(
            tuple(sorted(value for kind, value in row if kind == "numbers")) for row in rows
        )
        _, self._others_of = _number_distinct(
            frozenset(item for item in row if item[0] != "numbers") for row in rows
        )
        self.apart = 0

    def agree(self, left: Integers, right: Integers) -> Booleans:
        """Mark pairs of texts left[i], right[i] whose details agree: (n,), (n,) -> (n,)."""
        good = np.asarray(self._others_of[left] == self._others_of[right])
        a, b = self._numbers_of[left], self._numbers_of[right]
        differ = np.flatnonzero(good & (a != b))
        size = len(self._numbers)
        pairs, which = np.unique(a[differ] * size + b[differ], return_inverse=True)
        numbers = (map(self._numbers.__getitem__, divmod(pair, size)) for pair in pairs.tolist())
        alike = np.array([_lacks_only(*both) for both in numbers], dtype=np.bool_)
        good[differ] = alike[which]
        self.apart += len(good) - int(good.sum())
        return good


def _lacks_only(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return whether one of two different lists of numbers contains the other."""
    few, many = sorted((set(one), set(other)), key=len)
    return len(one) != len(other) and few <= many  # in equally many, a number was changed


def _details_by_row(texts: Texts) -> list[list[Found]]:
    """Find the details of each text: (rows,)."""
    found = [detail_of(word) for word in texts.words]
    # a word that may join with number words near it
    values = [_phrase_value(_plain(word)) or 0 for word in texts.words]
    is_phrase = np.array([value in POWERS.values() or value in TENS_VALUES for value in values])
    is_detail = np.array([item is not None for item in found], dtype=np.bool_)
    every = texts.rows.values
    rows = texts.rows.keep(is_detail[every])
    items = [found[word] for word in rows.values.tolist()]
    details: Any = [items[start:stop] for start, stop in pairwise(rows.offsets.tolist())]
    for row in np.flatnonzero(texts.rows.keep(is_phrase.astype(np.bool_)[every]).lengths).tolist():
        spelled = [texts.words[word] for word in texts.rows[row].tolist()]
        details[row] = list(details_of(spelled))
    return list(details)


def _number_distinct(rows: Iterable[Label]) -> tuple[list[Label], Integers]:
    """Find the distinct values: n -> m values, and the index of each row's value, (n,)."""
    numbers: dict[Label, int] = {}
    labels = [numbers.setdefault(row, len(numbers)) for row in rows]
    return list(numbers), np.array(labels, dtype=np.int64)
