"""Texts that the vectors hardly know, most likely of another language: a warning, once a call."""

from __future__ import annotations

import sys
import warnings

import numpy as np

from fuzzbow.encoding.encoder import Encoder
from fuzzbow.encoding.texts import Texts
from fuzzbow.errors import LanguageWarning

SAMPLE = 1000  # distinct texts that are looked at, the first
FEW_KNOWN = 1 / 3  # the least share of their words that has a vector


def warn_of_language(encoder: Encoder, texts: Texts) -> None:
    """Warn where fewer than a third of the words of the texts, of the first of many, are known.

    Functions that take many texts call it; the time that it takes is lost in theirs.
    """
    if not encoder.by_vectors:
        return
    vectors = encoder.vectors
    known = texts.vocabulary_ids >= 0
    words = texts.rows.values[: texts.rows.offsets[min(SAMPLE, len(texts.rows))]]
    if len(words) == 0 or known[words].mean() >= FEW_KNOWN:
        return
    if vectors.inference is not None:  # which makes vectors of parts of words
        missing = np.unique(words[~known[words]])
        _, made = vectors.infer([texts.words[word] for word in missing.tolist()])
        known[missing[made]] = True
    share = float(known[words].mean())
    if share < FEW_KNOWN:
        warnings.warn(
            f"only {share:.0%} of the words have a vector in {vectors.name}; if the texts are in"
            " another language, give vectors of that",
            LanguageWarning,
            stacklevel=_level_outside(),
        )


def _level_outside() -> int:
    """How far up from the function that asks the first call from outside this package is."""
    frame, count = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals["__name__"].startswith("fuzzbow."):
        frame, count = frame.f_back, count + 1
    return count
