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
    letters = spellings(count, random)
    trigrams = numbered_trigrams(letters, random)
    return Words(table, weights, kinds, trigrams, letters, sort == "unit-rules")


def spellings(count: int, random: np.random.Generator) -> list[list[int]]:
    """Letters of words, many of them a few edits apart; some words have none."""
    first = [random.integers(97, 103, random.integers(4, 13)).tolist() for _ in range(4)]
    return [
        misspelt(first[random.integers(4)], random) if random.random() < 0.8 else []
        for _ in range(count)
    ]


def numbered_trigrams(letters: list[list[int]], random: np.random.Generator) -> list[set[int]]:
    """Number the trigrams of each word; a word without letters gets any few."""
    marked = [[60, *word, 62] if word else [] for word in letters]
    found = [set(zip(word, word[1:], word[2:], strict=False)) for word in marked]
    numbers = {trigram: number for number, trigram in enumerate(sorted(set().union(*found)))}
    return [
        {numbers[trigram] for trigram in trigrams}
        or set(random.integers(0, len(numbers) + 1, random.integers(0, 6)).tolist())
        for trigrams in found
    ]


def misspelt(word: list[int], random: np.random.Generator) -> list[int]:
    """A copy of a word after up to three edits."""
    word = list(word)
    for _ in range(random.integers(0, 4)):
        place, letter = int(random.integers(len(word))), int(random.integers(97, 103))
        edit = random.integers(4)
        if edit == 0:
            word.insert(place, letter)
        elif edit == 1:
            word[place] = letter
        elif edit == 2 and len(word) > 1:
            del word[place]
        else:
            word[place : place + 2] = reversed(word[place : place + 2])
    return word


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
