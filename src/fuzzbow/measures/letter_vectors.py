"""Vectors of words made of their letters alone, for words that have no other.

Every trigram of `<word>` has a direction of its own, signs from a hash of it, and a word is the
sum of its trigrams. Equal words have equal vectors, words that share trigrams are similar, and
others are nearly orthogonal to each other and to everything in the vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from hashlib import shake_128

import numpy as np

from fuzzbow.arrays import Booleans, Floats, blocks
from fuzzbow.fuzzy import unit_rows
from fuzzbow.text import has_digit, has_letter, trigrams

LETTER_VECTORS_VERSION = 1
TRIGRAMS_AT_ONCE = 4096  # of a word of a million letters


class Unknown(str, Enum):
    """Treatment of words without a vector by the paper's words."""

    DROP = "drop"  # as in the paper
    LETTERS = "letters"  # by a vector of its letters


def has_letters(words: Sequence[str]) -> Booleans:
    """Mark words with a letter or a digit; others get no vector: (n,)."""
    return np.array([has_letter(word) or has_digit(word) for word in words], dtype=np.bool_)


def letter_vectors(words: Sequence[str], dimension: int) -> Floats:
    """Unit vectors of words: n words -> (n, d)."""
    sums = np.zeros((len(words), dimension))
    for row, word in enumerate(words):
        parts = sorted(trigrams(word))
        for some in blocks(len(parts), TRIGRAMS_AT_ONCE):
            sums[row] += _signs(parts[some], dimension).sum(axis=0)
        if not sums[row].any():  # signs that cancel each other, in few dimensions
            sums[row] = _signs([word], dimension)[0]
    return unit_rows(sums)


def _signs(parts: Iterable[str], dimension: int) -> Floats:
    """Signs by the hash of each part: n parts -> (n, d) of -1 and 1."""
    size = (dimension + 7) // 8
    hashes = [shake_128(part.encode("utf-8", "surrogatepass")).digest(size) for part in parts]
    bits = np.frombuffer(b"".join(hashes), dtype=np.uint8).reshape(-1, size)
    return np.unpackbits(bits, axis=1)[:, :dimension] * 2.0 - 1.0
