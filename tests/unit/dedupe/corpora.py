"""Small vocabularies and corpora on which everything can be compared with everything."""

from __future__ import annotations

from functools import cache

import numpy as np

import fuzzbow
from fuzzbow.measures import MEASURES, Ability

WORDS = [f"{sound}{vowel}" for sound in "bdfgklmnpr" for vowel in "aeio"] + ["12", "7"]
STRANGERS = ["zzyzx", "zzyzy", "99"]  # without a vector


@cache
def vectors() -> fuzzbow.WordVectors:
    random = np.random.default_rng(3)
    themes = random.standard_normal((8, 6))
    rows = themes[random.integers(0, 8, len(WORDS))] + 0.5 * random.standard_normal((len(WORDS), 6))
    return fuzzbow.WordVectors.from_words(WORDS, rows.astype(np.float32), name="themes")


@cache
def model(measure: str = "weighted-jaccard", engine: str = "auto") -> fuzzbow.Model:
    return fuzzbow.load(vectors(), measure=measure, engine=engine)


def offered() -> list[str]:
    """The names of all measures by which duplicates are found."""
    return [name for name, made in MEASURES.items() if Ability.JOIN in made.abilities]


def corpus(size: int, seed: int) -> list[str]:
    """Texts of which some are copies of others, as they are or but for a word."""
    random = np.random.default_rng(seed)
    texts = [" ".join(random.choice(WORDS + STRANGERS, random.integers(0, 7))) for _ in range(size)]
    for place in random.integers(0, size, size // 2).tolist():
        words = texts[int(random.integers(size))].split()
        if words and random.random() < 0.7:
            words[int(random.integers(len(words)))] = str(random.choice(WORDS))
        texts[place] = " ".join(words)
    return texts


def between_scores(scores: np.ndarray, wanted: float) -> float:
    """A threshold near the wanted one from which all scores are far."""
    near = np.unique(np.concatenate([scores.ravel(), [0.0, 1.0]]))
    gaps = np.flatnonzero((np.diff(near) > 1e-4) & (near[:-1] >= 0) & (near[1:] <= 1))
    middles = (near[gaps] + near[gaps + 1]) / 2
    return float(middles[np.abs(middles - wanted).argmin()])


def expected_pairs(scores: np.ndarray, lefts: list[str], rights: list[str] | None, threshold):
    """Every pair of positions at or above the threshold, and of equal strings, with its score.

    A text of no characters is in no pair.
    """
    columns = lefts if rights is None else rights
    same = np.array([[a == b != "" for b in columns] for a in lefts], dtype=bool)
    same = same.reshape(scores.shape)
    good = (scores >= threshold) | same
    if rights is None:
        good = np.triu(good, 1)
    return {(i, j): 1.0 if same[i, j] else scores[i, j] for i, j in np.argwhere(good).tolist()}


def written_out(found) -> dict[tuple[int, int], float]:
    """The same from what was found, each pair once."""
    rows = [row for batch in found.every_pair() for row in batch.to_pylist()]
    pairs = {(row["left"], row["right"]): row["score"] for row in rows}
    assert len(pairs) == len(rows)
    return pairs
