"""Features of a word that need only its letters."""

from __future__ import annotations

import unicodedata

from fuzzbow.text.patterns import lazy_pattern

# words of which different ones mean different things, however near their vectors are; of months
# all but march and may, which have other meanings
CONTRASTED = frozenset(
    (
        *("january", "february", "april", "june", "july", "august", "september", "october"),
        *("november", "december", "monday", "tuesday", "wednesday", "thursday", "friday"),
        *("saturday", "sunday", "first", "second", "third", "am", "pm", "kb", "mb", "gb", "tb"),
        *("dollar", "dollars", "euro", "euros", "pound", "pounds", "yen", "rupees"),
    )
)
NUMBER = lazy_pattern(r"-?[\d.,:/]*\d[\d.,:/]*")


def is_number(word: str) -> bool:
    """Return whether a word is a number, of digits and signs between them: 7, -3.5, 10:30, 5/1.

    >>> [is_number(word) for word in ("1,650", ".5", "5pm", ".")]
    [True, True, False, False]
    """
    return NUMBER.fullmatch(word) is not None


def is_contrasted(word: str) -> bool:
    """Return whether a word has nothing in common with others of its kind: numbers, months, units.

    >>> [is_contrasted(word) for word in ("12", "July", "may", "dollars")]
    [True, True, False, True]
    """
    return word.lower() in CONTRASTED or is_number(word)


def has_digit(word: str) -> bool:
    """Return whether any character of a word is a digit.

    >>> has_digit("70DG007"), has_digit("five")
    (True, False)
    """
    return any(map(str.isdigit, word))


def has_letter(word: str) -> bool:
    """Return whether any character of a word is a letter."""
    return any(map(str.isalpha, word))


def is_symbol(word: str) -> bool:
    """Return whether a word has neither a letter nor a digit.

    >>> [is_symbol(word) for word in ("...", "★", "C#")]
    [True, True, False]
    """
    return not any(map(str.isalnum, word))


def is_punctuation(word: str) -> bool:
    """Return whether a word is only punctuation, which signs such as + and emoji are not.

    >>> [is_punctuation(word) for word in (".", "--", "+", "p.m.")]
    [True, True, False, False]
    """
    return all(unicodedata.category(letter).startswith("P") for letter in word)


def word_traits(word: str) -> int:
    """Return the features of a word as bits, those of `Trait` in cpp/words/word_source.hpp.

    >>> word_traits("cat"), word_traits("3.5")
    (96, 135)
    """
    features = (
        is_number(word),
        is_contrasted(word),
        has_digit(word),
        is_symbol(word),
        is_punctuation(word),
        word.isalpha(),
        has_letter(word) or ":" in word or "/" in word,
        "." in word and is_number(word),
    )
    return sum(1 << bit for bit, present in enumerate(features) if present)


def trigrams(word: str) -> set[str]:
    """Return the distinct character trigrams of `<word>`.

    >>> sorted(trigrams("cat"))
    ['<ca', 'at>', 'cat']
    """
    marked = f"<{word}>"
    return {marked[start : start + 3] for start in range(len(marked) - 2)}
