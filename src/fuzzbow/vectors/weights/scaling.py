"""Word weights from word probabilities: SIF and its unsupervised form."""

from __future__ import annotations

from enum import Enum

import numpy as np

from fuzzbow.arrays import Floats

SIF_A = 1e-3  # the parameter of Arora et al. 2017
USIF_LENGTH = 11  # expected words in a sentence, Ethayarajh 2018


class Weights(str, Enum):
    """Scaling of word vectors before they are compared."""

    NONE = "none"
    SIF = "sif"
    USIF = "usif"
    WHITENED = "whitened"  # whitened first; see fuzzbow.measures.words


def sif_weights(probabilities: Floats, *, a: float = SIF_A) -> Floats:
    """Smooth inverse frequency, a / (a + p): (V,) -> (V,)."""
    return np.asarray(a / (a + probabilities))


def usif_weights(probabilities: Floats, *, length: int = USIF_LENGTH) -> Floats:
    """Unsupervised SIF, a / (a/2 + p), with a from the frequencies alone: (V,) -> (V,).

    A word is frequent if p > 1 - (1 - 1/V)^length, the chance that `length` words drawn
    evenly hold a given one; alpha is the share of frequent words, Z = V/2 stands for
    the partition function, and a = (1 - alpha) / (alpha Z).
    """
    size = len(probabilities)
    threshold = 1.0 - (1.0 - 1.0 / size) ** length
    # at least one word, so that `a` stays finite for flat frequencies
    alpha = max(int((probabilities > threshold).sum()), 1) / size
    a = max((1.0 - alpha) / (alpha * 0.5 * size), np.finfo(np.float64).tiny)
    return np.asarray(a / (0.5 * a + probabilities))


def scaling_of(kind: Weights, probabilities: Floats) -> Floats | None:
    """The factor of each word's vector, (V,), or None where vectors stay as they are."""
    if kind is Weights.SIF:
        return sif_weights(probabilities)
    if kind is Weights.USIF:
        return usif_weights(probabilities)
    return None
