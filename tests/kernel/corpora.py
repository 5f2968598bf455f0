"""Seeded word tables and texts of many sorts."""

from __future__ import annotations

import functools

import numpy as np

from tests.kernel.oracle import Words

SORTS = ("raw", "centred", "unit", "spiky", "tiny", "rules", "unit-rules")


def vectors(sort: str, count: int, dimension: int, random: np.random.Generator) -> np.ndarray:
    values = random.standard_normal((count, dimension)) * random.uniform(0.3, 2.0, (count, 1))
    if count > 3:  # near copies, so that texts can be close without being equal
        values[count // 2] = values[0] + 0.1 * random.standard_normal(dimension)
    if sort == "raw":
        values = values + 1.0
    if sort == "spiky":
        values[:, 0] = 40.0 + values[:, 0]
    if sort == "tiny":
        values = values * 1e-20
    if "unit" in sort:
        values = values / np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-12)
    if sort == "rules":
        values = values * 0.3
    return values.astype(np.float32)


def words(sort: str, count: int, dimension: int, seed: int) -> Words:
    random = np.random.default_rng(seed)
    table = vectors(sort, count, dimension, random)
    weights = (
        random.uniform(0.1, 2.0, count).astype(np.float32) if seed % 2 or "rules" in sort else None
    )
    if "rules" not in sort:
        return Words(table, weights, unit=sort == "unit" and seed % 3 == 0)
    kinds = random.choice([0, 0, 0, 1, 2, 3], count).astype(np.uint8)
    trigrams = [set(random.integers(0, 30, random.integers(0, 6)).tolist()) for _ in range(count)]
    return Words(table, weights, kinds, trigrams, unit=sort == "unit-rules")


def texts(count: int, vocabulary: int, seed: int, longest: int = 14) -> list[list[int]]:
    """Zipfian texts with empty ones, one-word ones, copies, repeated words."""
    return [list(text) for text in drawn_texts(count, vocabulary, seed, longest)]


@functools.lru_cache(maxsize=8)
def drawn_texts(count: int, vocabulary: int, seed: int, longest: int) -> list[list[int]]:
    random = np.random.default_rng(seed + 1000)
    probability = 1 / (np.arange(vocabulary) + 2.7)
    cumulative = np.cumsum(probability / probability.sum())
    cumulative[-1] = 1.0
    result: list[list[int]] = []
    for _ in range(count):
        fate = random.random()
        if fate < 0.05:
            result.append([])
        elif fate < 0.2 and result:
            copy = list(result[random.integers(len(result))])
            if copy and fate < 0.15:
                copy[random.integers(len(copy))] = int(random.integers(vocabulary))
            result.append(copy)
        else:
            length = 1 if fate < 0.3 else int(random.integers(1, longest + 1))
            result.append(np.searchsorted(cumulative, random.random(length)).tolist())
    return result
