"""What two duplicates must agree in, however similar they are: codes, numbers, and negation.

A word with a digit is a code: `A1234`, `64GB`, `12`, `3.5`. One that differs names another
thing, though most of the text be the same; and so does "not", which is one short word of many.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from fuzzbow.arrays import Booleans, Integers, read_only
from fuzzbow.encoding import Texts
from fuzzbow.text import has_digit

NEGATED = "n't"
NEGATIONS = frozenset(
    {"not", "no", "never", "nor", "neither", "none", "nobody", "nothing", "nowhere"}
    | {"cannot", "without", NEGATED}
)
DENIES = ""  # stands for all negations, which are one to a reader


def detail_of(word: str) -> str | None:
    """What a word adds to the details of its text: its code, or that something is denied.

    >>> [detail_of(word) for word in ("A1234,", "3.5", "phone", "n't", "Not")]
    ['a1234', '3.5', None, '', '']
    """
    if has_digit(word):
        start, end = 0, len(word)
        while not word[start].isalnum():
            start += 1
        while not word[end - 1].isalnum():
            end -= 1
        return word[start:end].lower()
    plain = word.replace("’", "'").lower()
    return DENIES if plain in NEGATIONS or plain.endswith(NEGATED) else None


def detail_labels(texts: Texts) -> Integers:
    """A number for the set of details of each text, equal for equal sets: (rows,)."""
    found = [detail_of(word) for word in texts.words]
    telling = np.array([detail is not None for detail in found], dtype=np.bool_)
    labels = np.zeros(len(texts.rows), dtype=np.int64)
    rows = texts.rows.keep(telling[texts.rows.values]) if telling.any() else None
    if rows is None:
        return read_only(labels)
    numbers: dict[frozenset[str | None], int] = {frozenset(): 0}
    words = rows.values.tolist()
    ends = rows.offsets.tolist()
    for place, (start, stop) in enumerate(pairwise(ends)):
        if stop > start:
            details = frozenset(found[word] for word in words[start:stop])
            labels[place] = numbers.setdefault(details, len(numbers))
    return read_only(labels)


class Details:
    """The details of texts, and how many similar pairs they have kept apart."""

    def __init__(self, texts: Texts) -> None:
        self._labels = detail_labels(texts)
        self.apart = 0

    def agree(self, left: Integers, right: Integers) -> Booleans:
        """Whether texts left[i] and right[i] have the same details: (n,), (n,) -> (n,)."""
        same = np.asarray(self._labels[left] == self._labels[right])
        self.apart += len(same) - int(same.sum())
        return same
