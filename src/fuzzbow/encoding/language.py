"""Warning about texts in a language that the vectors do not cover."""

from __future__ import annotations

import sys
import warnings

import numpy as np

from fuzzbow.encoding.arrow_texts import TextList
from fuzzbow.encoding.encoder import Encoder
from fuzzbow.encoding.texts import Texts
from fuzzbow.errors import LanguageWarning
from fuzzbow.text import has_digit, has_letter

SAMPLE = 1000  # distinct texts that are looked at, the first
FEW_KNOWN = 1 / 3  # the least share of their words that has a vector


def warn_of_language(encoder: Encoder, texts: Texts | TextList) -> None:
    """Warn if fewer than a third of the words of the first texts are known.

    Only functions of many texts call it, since it takes some time.
    """
    if not encoder.uses_vectors:
        return
    if not isinstance(texts, Texts):
        texts = encoder.encode(texts)[0]
    vectors = encoder.vectors
    known = texts.vocabulary_ids >= 0
    words = texts.rows.values[: texts.rows.offsets[min(SAMPLE, len(texts.rows))]]
    if len(words) == 0 or known[words].mean() >= FEW_KNOWN:
        return
    used, counts = np.unique(words, return_counts=True)
    names = [texts.words[word] for word in used.tolist()]  # words without letters have no language
    of_letters = np.array([has_letter(word) and not has_digit(word) for word in names])
    words = np.repeat(used[of_letters], counts[of_letters])
    if len(words) == 0:
        return
    if vectors.inference is not None:  # which makes vectors of parts of words
        missing = np.unique(words[~known[words]])
        _, made = vectors.infer([texts.words[word] for word in missing.tolist()])
        known[missing[made]] = True
    share = float(known[words].mean())
    if share < FEW_KNOWN:
        warnings.warn(
            f"only {share:.0%} of the words have a vector in {vectors.name}; if the texts are in"
            " another language, specify it, or vectors for it",
            LanguageWarning,
            stacklevel=_level_outside(),
        )


def _level_outside() -> int:
    """Return the stack level of the first call from outside this package."""
    frame, count = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals["__name__"].startswith("fuzzbow."):
        frame, count = frame.f_back, count + 1
    return count
