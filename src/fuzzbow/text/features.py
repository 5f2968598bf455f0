"""Features of a word that need only its letters."""

from __future__ import annotations

import re
import unicodedata

NUMBER = re.compile(r"[\d.,]*\d[\d.,]*")


def is_number(word: str) -> bool:
    """Digits with points and commas only: 7, 1,650, 3.5.

    >>> [is_number(word) for word in ("1,650", ".5", "5pm", ".")]
    [True, True, False, False]
    """
    return NUMBER.fullmatch(word) is not None


def has_digit(word: str) -> bool:
    """Whether any character of a word is a digit.

    >>> has_digit("70DG007"), has_digit("five")
    (True, False)
    """
    return any(map(str.isdigit, word))


def has_letter(word: str) -> bool:
    """Whether any character of a word is a letter."""
    return any(map(str.isalpha, word))


def is_punctuation(word: str) -> bool:
    """Whether a word is nothing but punctuation; a sign such as + or an emoji is not.

    >>> [is_punctuation(word) for word in (".", "--", "+", "p.m.")]
    [True, True, False, False]
    """
    return all(unicodedata.category(letter).startswith("P") for letter in word)


def trigrams(word: str) -> set[str]:
    """The distinct character trigrams of `<word>`.

    >>> sorted(trigrams("cat"))
    ['<ca', 'at>', 'cat']
    """
    marked = f"<{word}>"
    return {marked[start : start + 3] for start in range(len(marked) - 2)}
