"""Deliberately naive float64 formulas; every compiled score is compared with these."""

from __future__ import annotations

import numpy as np

MEASURES = ("jaccard", "otsuka", "dice", "cosine")


class Words:
    """A word table as the oracle sees it; `kinds` None means no rules."""

    def __init__(self, vectors, weights=None, kinds=None, trigrams=None, unit=False):
        self.vectors = np.asarray(vectors, dtype=np.float32)
        count = len(self.vectors)
        self.weights = (
            np.ones(count, np.float32) if weights is None else np.asarray(weights, np.float32)
        )
        self.kinds = None if kinds is None else np.asarray(kinds, np.uint8)
        self.trigrams = [set() for _ in range(count)] if trigrams is None else trigrams
        self.unit = unit

    def similarity(self, u: int, v: int) -> float:
        rules = self.kinds is not None
        if (rules or self.unit) and u == v:
            return 1.0
        if rules:
            first, second = int(self.kinds[u]), int(self.kinds[v])
            if first & 1 and second & 1:
                return 0.0
            if first & 2 or second & 2:
                a, b = self.trigrams[u], self.trigrams[v]
                return 2 * len(a & b) / (len(a) + len(b)) if a or b else 0.0
        dot = float(self.vectors[u].astype(np.float64) @ self.vectors[v].astype(np.float64))
        return min(dot, 1.0) if self.unit else dot

    def block(self, rows, columns) -> np.ndarray:
        """(k,), (l,) -> (k, l)"""
        if self.kinds is None and not self.unit:
            return (
                self.vectors[rows].astype(np.float64) @ self.vectors[columns].astype(np.float64).T
            )
        return np.array([[self.similarity(u, v) for v in columns] for u in rows]).reshape(
            len(rows), len(columns)
        )

    def arguments(self) -> dict:
        offsets = np.cumsum([0, *(len(t) for t in self.trigrams)]).astype(np.int64)
        ids = np.array([x for t in self.trigrams for x in sorted(t)], dtype=np.uint32)
        trigram = {} if self.kinds is None else {"trigram_offsets": offsets, "trigram_ids": ids}
        return {
            "vectors": self.vectors,
            "weights": self.weights,
            "kinds": self.kinds,
            "unit": self.unit,
            **trigram,
        }


def membership(words: Words, text, elements, counts=None) -> np.ndarray:
    """Membership of every element in the text: (k,), (e,) -> (e,)"""
    similarities = words.block(text, elements)
    if counts is not None:
        similarities = similarities * np.asarray(counts, np.float64)[:, None]
    return similarities.max(axis=0, initial=0.0)


def combine(left, right, weights, measure: str) -> float:
    """Two membership rows to one number."""
    left, right, weights = (np.asarray(x, np.float64) for x in (left, right, weights))
    if measure == "dot":
        return float((weights * left * right).sum())
    if measure == "cosine":
        top = (weights * left * right).sum()
        bottom = np.sqrt((weights * left * left).sum()) * np.sqrt((weights * right * right).sum())
    else:
        top = (weights * np.minimum(left, right)).sum()
        first, second = (weights * left).sum(), (weights * right).sum()
        if measure == "jaccard":
            bottom = (weights * np.maximum(left, right)).sum()
        elif measure == "otsuka":
            bottom = np.sqrt(first) * np.sqrt(second)
        else:
            top, bottom = 2 * top, first + second
    return float(np.clip(top / bottom, 0, 1)) if bottom > 0 else 0.0


def score(words: Words, a, b, measure: str, a_counts=None, b_counts=None) -> float:
    if len(a) == 0 or len(b) == 0:
        return 0.0
    universe = np.concatenate([a, b]).astype(np.int64)
    return combine(
        membership(words, a, universe, a_counts),
        membership(words, b, universe, b_counts),
        words.weights[universe],
        measure,
    )


def ragged(texts, counts=None):
    """Lists of ids -> (ids uint32, offsets int64[, counts float32])"""
    offsets = np.cumsum([0, *(len(t) for t in texts)]).astype(np.int64)
    ids = np.array([i for t in texts for i in t], dtype=np.uint32)
    if counts is None:
        return ids, offsets
    return ids, offsets, np.array([c for t in counts for c in t], dtype=np.float32)
