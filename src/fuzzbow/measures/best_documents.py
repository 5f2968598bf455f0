"""The best of scores that are all there."""

from __future__ import annotations

import numpy as np

from fuzzbow.arrays import Booleans, Floats
from fuzzbow.engine import Found


def no_documents(queries: int) -> Found:
    """Nothing found, for so many queries."""
    return Found(np.full((queries, 0), -1, dtype=np.int64), np.zeros((queries, 0)))


def best_documents(scores: Floats, usable: Booleans, *, k: int, min_score: float) -> Found:
    """The k best usable documents of each row, ties by insertion: (q, n) -> (q, k).

    >>> found = best_documents(np.array([[0.5, 0.9, 0.5]]), np.ones(3, bool), k=2, min_score=0.0)
    >>> found.documents.tolist(), found.scores.tolist()
    ([[1, 0]], [[0.9, 0.5]])
    """
    width = min(k, scores.shape[1])
    documents = np.full((len(scores), width), -1, dtype=np.int64)
    best = np.zeros((len(scores), width))
    for query, row in enumerate(scores):
        chosen = np.flatnonzero(usable & (row >= min_score))
        if len(chosen) > width > 0:
            worst = np.partition(row[chosen], len(chosen) - width)[len(chosen) - width]
            chosen = chosen[row[chosen] >= worst]
        order = chosen[np.argsort(-row[chosen], kind="stable")][:width]
        documents[query, : len(order)] = order
        best[query, : len(order)] = row[order]
    return Found(documents, best)
