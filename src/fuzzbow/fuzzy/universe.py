"""Universes: the elements that a text's words are compared with.

The dynamic universe and that of the query exist for one pair of texts. The others are
fixed, so that each text has one membership row.
"""

from __future__ import annotations

from enum import Enum

import numpy as np

from fuzzbow.arrays import Floats, Integers, moments, runs_of
from fuzzbow.errors import InputError

KMEANS_SAMPLE = 100_000  # rows of the vocabulary that k-means looks at
KMEANS_ROUNDS = 25


class Universe(str, Enum):
    """Name of a universe."""

    DYNAMIC = "dynamic"  # the words of both texts
    QUERY = "query"  # the words of the first text alone
    IDENTITY = "identity"
    VOCABULARY = "vocabulary"
    PRINCIPAL_AXES = "principal-axes"
    KMEANS = "k-means"
    RANDOM = "random"


PAIR_UNIVERSES = (Universe.DYNAMIC, Universe.QUERY)  # which differ from pair to pair


def random_universe(dimension: int, *, size: int | None = None, seed: int = 0) -> Floats:
    """Draw rows from N(0, 1): (size, d), size = d unless given."""
    return np.random.default_rng(seed).standard_normal((size or dimension, dimension))


def principal_axes(W: Floats, *, size: int | None = None) -> Floats:
    """Return the top principal axes of the vocabulary, each with its largest component positive."""
    size = size or W.shape[1]
    if size > W.shape[1]:
        raise InputError(f"size must be at most the dimension, {W.shape[1]}; got {size}")
    _, axes = np.linalg.eigh(moments(runs_of(W), np.ones(len(W)))[1])
    top = axes.T[::-1][:size]
    largest = np.take_along_axis(top, np.abs(top).argmax(axis=1)[:, None], axis=1)
    return np.asarray(top * np.sign(largest))


def kmeans_centroids(W: Floats, *, size: int | None = None, seed: int = 0) -> Floats:
    """Compute centroids of the vocabulary by k-means with a k-means++ start: (size, d)."""
    size = size or W.shape[1]
    if size > len(W):
        raise InputError(f"size must be at most the number of words, {len(W)}; got {size}")
    random = np.random.default_rng(seed)
    if len(W) > KMEANS_SAMPLE:
        W = W[np.sort(random.choice(len(W), KMEANS_SAMPLE, replace=False))]
    W = np.asarray(W, dtype=np.float64)
    centroids = W[_spread_start(W, size, random)]
    nearest: Integers = np.full(len(W), -1)
    for _ in range(KMEANS_ROUNDS):
        found = (W @ centroids.T - 0.5 * (centroids**2).sum(axis=1)).argmax(axis=1)
        if np.array_equal(found, nearest):
            break
        nearest = found
        order = np.argsort(nearest, kind="stable")
        filled, starts, counts = np.unique(nearest[order], return_index=True, return_counts=True)
        centroids = centroids.copy()  # an empty cluster keeps its centroid
        centroids[filled] = np.add.reduceat(W[order], starts, axis=0) / counts[:, None]
    return centroids


def _spread_start(W: Floats, size: int, random: np.random.Generator) -> list[int]:
    """Choose initial centroids by k-means++: each is drawn by squared distance from the others."""
    chosen = [int(random.integers(len(W)))]
    distance = ((W - W[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < size:
        total = distance.sum()
        odds = distance / total if total > 0 else None
        chosen.append(int(random.choice(len(W), p=odds)))
        distance = np.minimum(distance, ((W - W[chosen[-1]]) ** 2).sum(axis=1))
    return chosen
