"""Baselines of evaluations. A new one is registered in BASELINES, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable

from fuzzbow.evaluation.baselines.bm25 import best_bm25, usual_bm25
from fuzzbow.evaluation.baselines.tfidf import character_tfidf, word_tfidf
from fuzzbow.evaluation.systems import System

# name -> its variants; of several, the one that is best on a set stands for all
BASELINES: dict[str, Callable[[], list[System]]] = {
    "bm25": usual_bm25,
    "bm25-best": best_bm25,
    "tfidf": word_tfidf,
    "char-tfidf": character_tfidf,
}

__all__ = ["BASELINES"]
