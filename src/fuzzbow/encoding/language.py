"""Texts that the vectors hardly know, most likely of another language: a warning, once a call."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable

import numpy as np

from fuzzbow.encoding.encoder import Encoder
from fuzzbow.encoding.texts import Texts
from fuzzbow.errors import LanguageWarning
from fuzzbow.text import has_digit, has_letter
from fuzzbow.vectors import WordVectors

MOST_REMEMBERED = 100_000  # words that calls without a batch keep
SAMPLE = 1000  # distinct texts that are looked at, the first
FEW_KNOWN = 1 / 3  # the least share of their words that has a vector


def warn_of_language(encoder: Encoder, texts: Texts) -> None:
    """Warn where fewer than a third of the words of the texts, of the first of many, are known.

    Functions that take many texts call it; the time that it takes is lost in theirs.
    """
    if not encoder.uses_vectors:
        return
    vectors = encoder.vectors
    known = texts.vocabulary_ids >= 0
    words = texts.rows.values[: texts.rows.offsets[min(SAMPLE, len(texts.rows))]]
    if len(words) == 0 or known[words].mean() >= FEW_KNOWN:
        return
    used, counts = np.unique(words, return_counts=True)
    of_letters = np.array([_is_of_letters(texts.words[word]) for word in used.tolist()])
    words = np.repeat(used[of_letters], counts[of_letters])
    if len(words) == 0:
        return
    if vectors.inference is not None:  # which makes vectors of parts of words
        missing = np.unique(words[~known[words]])
        _, made = vectors.infer([texts.words[word] for word in missing.tolist()])
        known[missing[made]] = True
    _warn_if_few(float(known[words].mean()), vectors)


class KnownWords:
    """Cache of words with a vector, for the warning of calls without a batch."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._known: dict[str, bool] = {}

    def look_at(self, texts: Iterable[str]) -> None:
        """Warn where fewer than a third of the words of these texts are known."""
        if not self._encoder.uses_vectors:
            return
        words = [
            word
            for text in dict.fromkeys(texts)
            for word in self._encoder.words(text)
            if _is_of_letters(word)
        ]
        known = self._known  # threads share it; one that begins anew leaves this as it is
        new = [word for word in dict.fromkeys(words) if word not in known]
        if new:
            known.update(zip(new, self._have_vectors(new), strict=True))
        if words:
            _warn_if_few(sum(known[word] for word in words) / len(words), self._encoder.vectors)
        if len(known) > MOST_REMEMBERED:
            self._known = {}

    def _have_vectors(self, words: list[str]) -> list[bool]:
        vectors = self._encoder.vectors
        ids, unknown = self._encoder.find(words)
        made = vectors.infer(unknown)[1]
        inside = ids < len(vectors)
        inside[~inside] = made[ids[~inside] - len(vectors)]
        return [bool(item) for item in inside]


def _is_of_letters(word: str) -> bool:
    """Return whether a word has a language: it has letters, and no digit."""
    return has_letter(word) and not has_digit(word)


def _warn_if_few(share: float, vectors: WordVectors) -> None:
    if share < FEW_KNOWN:
        warnings.warn(
            f"only {share:.0%} of the words have a vector in {vectors.name}; if the texts are in"
            " another language, name it or give vectors of it",
            LanguageWarning,
            stacklevel=_level_outside(),
        )


def _level_outside() -> int:
    """Return the stack level of the first call from outside this package."""
    frame, count = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals["__name__"].startswith("fuzzbow."):
        frame, count = frame.f_back, count + 1
    return count
