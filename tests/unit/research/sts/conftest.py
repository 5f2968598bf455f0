"""Tiny STS data and vectors, made up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fuzzbow.research.evaluation import ScoredPairSet
from fuzzbow.research.evaluation.systems import ScoredCollection, Scoring, ScoringError
from fuzzbow.research.sts.datasets import SUBTASKS

WORDS = (
    "a", "he", "she", "has", "had", "cat", "dog", "plane",
    "flew", "sat", "ran", "home", "car", "big", "small", "red",
)  # fmt: skip


def write_vectors(path: Path, dimension: int = 6, seed: int = 3) -> Path:
    random = np.random.default_rng(seed)
    rows = random.standard_normal((len(WORDS), dimension)) + 0.3
    texts = [" ".join(f"{number:.4f}" for number in row) for row in rows]
    lines = (f"{word} {text}" for word, text in zip(WORDS, texts, strict=True))
    path.write_text("\n".join(lines) + "\n")
    return path


def sentences(random: np.random.Generator, count: int) -> list[str]:
    return [" ".join(random.choice(WORDS, size=random.integers(2, 6))) for _ in range(count)]


def write_sts(folder: Path, pairs: int = 14) -> Path:
    random = np.random.default_rng(1)
    for year, names in SUBTASKS.items():
        place = folder / f"{year}-en-test"
        place.mkdir(parents=True)
        for name in names:
            lefts, rights = sentences(random, pairs), sentences(random, pairs)
            lines = [f"{left}\t{right}" for left, right in zip(lefts, rights, strict=True)]
            gold = [f"{value:.1f}" for value in random.uniform(0, 5, pairs)]
            gold[2] = ""  # an unlabelled pair
            (place / f"STS.input.{name}.txt").write_text("\n".join(lines) + "\n")
            (place / f"STS.gs.{name}.txt").write_text("\n".join(gold) + "\n")
    return folder


@pytest.fixture
def sts_data(tmp_path) -> Path:
    return write_sts(tmp_path / "sts")


@pytest.fixture
def vectors_file(tmp_path) -> Path:
    return write_vectors(tmp_path / "tiny.txt")


@pytest.fixture
def dataset() -> ScoredPairSet:
    random = np.random.default_rng(5)
    return make(sentences(random, 30), sentences(random, 30), random.uniform(0, 5, 30))


def make(lefts, rights, gold, name="STS13/FNWN") -> ScoredPairSet:
    return ScoredPairSet(name, lefts, rights, np.asarray(gold, dtype=np.float64))


def giving(scores):
    """Variants of a system with these scores, or an error as a text."""

    def pairs(lefts, rights):
        if isinstance(scores, str):
            raise ScoringError(scores)
        return scores

    return [Scoring("x", lambda texts: ScoredCollection(texts, pairs))]
