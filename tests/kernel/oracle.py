"""Deliberately naive float64 formulas; every compiled score is compared with these."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Similarity:
    """A set similarity as the oracle sees it."""

    name: str
    parameters: tuple[float, ...] = ()
    universe: str = "dynamic"

    def __str__(self) -> str:
        numbers = f"({','.join(map(str, self.parameters))})" if self.parameters else ""
        return f"{self.name}{numbers}-{self.universe}"

    @property
    def symmetric(self) -> bool:
        return self.universe == "dynamic" and len(set(self.parameters)) < 2


FORMULAS = (
    ("jaccard", ()),
    ("otsuka", ()),
    ("dice", ()),
    ("cosine", ()),
    ("tversky", (1.0, 0.0)),
    ("tversky", (0.0, 1.0)),
    ("tversky", (0.3, 0.8)),
    ("tversky", (0.7, 0.7)),
    ("overlap", ()),
)
DYNAMIC = tuple(Similarity(*formula) for formula in FORMULAS)
QUERY = tuple(Similarity(*formula, universe="query") for formula in FORMULAS)
SIMILARITIES = DYNAMIC + QUERY
SYMMETRIC = tuple(similarity for similarity in SIMILARITIES if similarity.symmetric)
JACCARD, OTSUKA, DICE, COSINE, COVERAGE = DYNAMIC[:5]
OVERLAP, QUERY_JACCARD, QUERY_COVERAGE = DYNAMIC[8], QUERY[0], QUERY[4]


class Words:
    """A word table as the oracle sees it; `kinds` None means no rules."""

    def __init__(self, vectors, weights=None, kinds=None, trigrams=None, letters=None, unit=False):
        self.vectors = np.asarray(vectors, dtype=np.float32)
        count = len(self.vectors)
        self.weights = (
            np.ones(count, np.float32) if weights is None else np.asarray(weights, np.float32)
        )
        self.kinds = None if kinds is None else np.asarray(kinds, np.uint8)
        self.trigrams = [set() for _ in range(count)] if trigrams is None else trigrams
        self.letters = [[] for _ in range(count)] if letters is None else letters
        self.unit = unit

    def take(self, rows) -> Words:
        """A table of some of the words."""
        rows = list(rows)
        return Words(
            self.vectors[rows],
            self.weights[rows],
            None if self.kinds is None else self.kinds[rows],
            [self.trigrams[row] for row in rows],
            [self.letters[row] for row in rows],
            self.unit,
        )

    def similarity(self, u: int, v: int) -> float:
        rules = self.kinds is not None
        if (rules or self.unit) and u == v:
            return 1.0
        if rules:
            first, second = int(self.kinds[u]), int(self.kinds[v])
            if first & 1 and second & 1:
                return 0.0
            if first & 2 or second & 2:
                return self.by_letters(u, v)
        dot = float(self.vectors[u].astype(np.float64) @ self.vectors[v].astype(np.float64))
        return min(dot, 1.0) if self.unit else dot

    def by_letters(self, u: int, v: int) -> float:
        a, b = self.trigrams[u], self.trigrams[v]
        if not a & b:
            return 0.0
        dice = 2 * len(a & b) / (len(a) + len(b))
        x, y = self.letters[u], self.letters[v]
        edits, longer = edit_distance(tuple(x), tuple(y)), max(len(x), len(y))
        if not x or not y or 10 * edits > 3 * longer:
            return dice
        return max(dice, 1 - 1.2 * (edits / longer))

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
        letter_offsets = np.cumsum([0, *map(len, self.letters)]).astype(np.int64)
        letters = np.array([x for word in self.letters for x in word], dtype=np.uint32)
        if self.kinds is not None:
            trigram |= {"letter_offsets": letter_offsets, "letters": letters}
        return {
            "vectors": self.vectors,
            "weights": self.weights,
            "kinds": self.kinds,
            "unit": self.unit,
            **trigram,
        }


@functools.lru_cache(maxsize=100_000)
def edit_distance(a: tuple, b: tuple) -> int:
    """Optimal string alignment distance, by its recursive definition row by row."""
    rows = {}
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            if i == 0 or j == 0:
                rows[i, j] = i + j
                continue
            replaced = rows[i - 1, j - 1] + (a[i - 1] != b[j - 1])
            rows[i, j] = min(rows[i - 1, j] + 1, rows[i, j - 1] + 1, replaced)
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                rows[i, j] = min(rows[i, j], rows[i - 2, j - 2] + 1)
    return rows[len(a), len(b)]


def membership(words: Words, text, elements, counts=None) -> np.ndarray:
    """Membership of every element in the text: (k,), (e,) -> (e,)"""
    similarities = words.block(text, elements)
    if counts is not None:
        similarities = similarities * np.asarray(counts, np.float64)[:, None]
    return similarities.max(axis=0, initial=0.0)


def combine(left, right, weights, similarity: Similarity) -> float:
    """Two membership rows to one number."""
    left, right, weights = (np.asarray(x, np.float64) for x in (left, right, weights))
    name = similarity.name
    if name == "cosine":
        top = (weights * left * right).sum()
        bottom = np.sqrt((weights * left * left).sum()) * np.sqrt((weights * right * right).sum())
    else:
        top = (weights * np.minimum(left, right)).sum()
        first, second = (weights * left).sum(), (weights * right).sum()
        if name == "jaccard":
            bottom = (weights * np.maximum(left, right)).sum()
        elif name == "otsuka":
            bottom = np.sqrt(first) * np.sqrt(second)
        elif name == "dice":
            top, bottom = 2 * top, first + second
        elif name == "overlap":
            bottom = min(first, second)
        else:
            alpha, beta = similarity.parameters
            bottom = top + alpha * (first - top) + beta * (second - top)
    return float(np.clip(top / bottom, 0, 1)) if bottom > 0 else 0.0


def score(words: Words, a, b, similarity: Similarity, a_counts=None, b_counts=None) -> float:
    if len(a) == 0 or len(b) == 0:
        return 0.0
    elements = [a] if similarity.universe == "query" else [a, b]
    universe = np.concatenate(elements).astype(np.int64)
    return combine(
        membership(words, a, universe, a_counts),
        membership(words, b, universe, b_counts),
        words.weights[universe],
        similarity,
    )


def ragged(texts, counts=None):
    """Lists of ids -> (ids uint32, offsets int64[, counts float32])"""
    offsets = np.cumsum([0, *(len(t) for t in texts)]).astype(np.int64)
    ids = np.array([i for t in texts for i in t], dtype=np.uint32)
    if counts is None:
        return ids, offsets
    return ids, offsets, np.array([c for t in counts for c in t], dtype=np.float32)
