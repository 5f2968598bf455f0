"""Features of a word that need only its letters."""

from __future__ import annotations

import re

NUMBER = re.compile(r"[\d.,]*\d[\d.,]*")


def is_number(word: str) -> bool:
    """Digits with points and commas only: 7, 1,650, 3.5.

    >>> [is_number(word) for word in ("1,650", ".5", "5pm", ".")]
    [True, True, False, False]
    """
    return NUMBER.fullmatch(word) is not None


def trigrams(word: str) -> set[str]:
    """The distinct character trigrams of `<word>`.

    >>> sorted(trigrams("cat"))
    ['<ca', 'at>', 'cat']
    """
    marked = f"<{word}>"
    return {marked[start : start + 3] for start in range(len(marked) - 2)}
