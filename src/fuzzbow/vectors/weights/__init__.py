"""Weights of words: probability, the weight that follows from it, and whitening."""

from fuzzbow.vectors.weights.frequencies import (
    COLLECTION,
    WORDFREQ,
    Counts,
    WordList,
    read_counts,
    word_list,
    word_probabilities,
    zipf_probabilities,
)
from fuzzbow.vectors.weights.scaling import (
    SIF_A,
    USIF_LENGTH,
    Weights,
    scaling_of,
    sif_weights,
    usif_weights,
)
from fuzzbow.vectors.weights.whitening import (
    READY_VERSION,
    WHITENING_VERSION,
    Whitening,
    fit_whitening,
)

__all__ = [
    "COLLECTION",
    "READY_VERSION",
    "SIF_A",
    "USIF_LENGTH",
    "WHITENING_VERSION",
    "WORDFREQ",
    "Counts",
    "Weights",
    "Whitening",
    "WordList",
    "fit_whitening",
    "read_counts",
    "scaling_of",
    "sif_weights",
    "usif_weights",
    "word_list",
    "word_probabilities",
    "zipf_probabilities",
]
