"""Baselines: crisp sets, optimal transport, soft sets, averages without a common component."""

from fuzzbow.measures.baselines.crisp import CrispJaccard
from fuzzbow.measures.baselines.sif import SifPca, sif_pca
from fuzzbow.measures.baselines.soft import SoftCardinality, SoftCosine
from fuzzbow.measures.baselines.transport import WordMovers

__all__ = [
    "CrispJaccard",
    "SifPca",
    "SoftCardinality",
    "SoftCosine",
    "WordMovers",
    "sif_pca",
]
