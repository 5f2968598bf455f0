"""How much a word counts: its probability, the weight that follows from it, and whitening."""

from fuzzbow.vectors.weights.frequencies import (
    COLLECTION,
    Counts,
    read_counts,
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
    "Counts",
    "Weights",
    "Whitening",
    "fit_whitening",
    "read_counts",
    "scaling_of",
    "sif_weights",
    "usif_weights",
    "word_probabilities",
    "zipf_probabilities",
]
