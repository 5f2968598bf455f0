"""Synthetic texts and word vectors, seeded.

Zipfian texts: words by Zipf-Mandelbrot ranks, p ∝ 1/(rank + 2.7), lengths from a gamma
distribution with mean 11.6 words. Word vectors: 3,000 loose clusters, log-normal lengths.
Near copies: a share of the texts are another one but for a word.
"""

from __future__ import annotations

import numpy as np

WORDS = 56_000
DIMENSION = 300


def word_vectors(count: int = WORDS, dimension: int = DIMENSION, seed: int = 0) -> np.ndarray:
    """Word vectors in loose clusters: (count, dimension) float32."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((3000, dimension), dtype=np.float32)
    noise = random.standard_normal((count, dimension), dtype=np.float32)
    values = 0.6 * centres[random.integers(0, 3000, count)] + 0.8 * noise
    lengths = np.exp(0.2 * random.standard_normal((count, 1))) / np.sqrt(dimension)
    return (values * lengths).astype(np.float32)


def zipfian(count: int, words: int = WORDS, *, seed: int, mean: float = 11.6):
    """Texts as word ids: (ids uint32, offsets int64)."""
    random = np.random.default_rng(seed)
    lengths = np.clip(np.round(random.gamma(6.0, mean / 6.0, count)), 1, 60).astype(np.int64)
    odds = 1 / (np.arange(words) + 3.7)
    cumulative = np.cumsum(odds / odds.sum())
    cumulative[-1] = 1.0
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    ids = np.searchsorted(cumulative, random.random(offsets[-1]))
    return ids.astype(np.uint32), offsets


def near_copies(ids: np.ndarray, offsets: np.ndarray, share: float, *, seed: int) -> np.ndarray:
    """The same texts, a share of them copies of another of equal length but for one word."""
    random = np.random.default_rng(seed)
    ids, lengths = ids.copy(), np.diff(offsets)
    by_length = [np.flatnonzero(lengths == length) for length in range(lengths.max() + 1)]
    for text in random.choice(len(lengths), int(share * len(lengths)), replace=False):
        source = random.choice(by_length[lengths[text]])
        ids[offsets[text] : offsets[text + 1]] = ids[offsets[source] : offsets[source + 1]]
        if lengths[text] > 5:
            ids[offsets[text] + random.integers(lengths[text])] = random.integers(WORDS)
    return ids


def part(ids: np.ndarray, offsets: np.ndarray, start: int, stop: int):
    """Some of the texts, offsets from 0."""
    chosen = ids[offsets[start] : offsets[stop]].copy()
    return chosen, (offsets[start : stop + 1] - offsets[start]).copy()
