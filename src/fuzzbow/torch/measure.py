"""Measure of two sets: choices of the grammar, and universes that do not depend on the pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import torch

from fuzzbow.errors import InputError, parse_choice
from fuzzbow.fuzzy import (
    PAIR_UNIVERSES,
    Pooling,
    SetSimilarity,
    Universe,
    WordSimilarity,
    parse_set_similarity,
    random_universe,
)
from fuzzbow.torch.sets import scaled

Choice: TypeAlias = "str | Universe | torch.Tensor"


@dataclass(frozen=True)
class Measure:
    """A universe, a pooling, a set similarity and a similarity of words."""

    universe: Universe | torch.Tensor
    pooling: Pooling
    sets: SetSimilarity
    words: WordSimilarity
    seed: int = 0

    @property
    def by_pair(self) -> bool:
        """Return whether the universe is made of the words that are compared."""
        return self.universe in PAIR_UNIVERSES if isinstance(self.universe, str) else False

    @property
    def by_query(self) -> bool:
        """Return whether the universe is the words of the left set alone."""
        return isinstance(self.universe, str) and self.universe is Universe.QUERY


def parse_measure(
    universe: Choice = "dynamic",
    pooling: str | Pooling = "max",
    set_similarity: str | SetSimilarity = "jaccard",
    word_similarity: str | WordSimilarity = "dot",
    seed: int = 0,
) -> Measure:
    """Return the measure of these choices; an InputError lists the valid ones."""
    if not isinstance(universe, torch.Tensor):
        universe = parse_choice(Universe, universe, "universe")
        if universe in (Universe.VOCABULARY, Universe.PRINCIPAL_AXES, Universe.KMEANS):
            raise InputError(
                f"universe {universe.value!r} depends on a vocabulary; pass its rows as a tensor"
            )
    return Measure(
        universe,
        parse_choice(Pooling, pooling, "pooling"),
        parse_set_similarity(set_similarity),
        parse_choice(WordSimilarity, word_similarity, "word_similarity"),
        seed,
    )


def fixed_universe(measure: Measure, like: torch.Tensor) -> torch.Tensor:
    """Return the rows of a fixed universe, scaled as words are: (u, d)."""
    size = like.shape[-1]
    if isinstance(measure.universe, torch.Tensor):
        rows = measure.universe.to(like.dtype)
    elif measure.universe is Universe.IDENTITY:
        return torch.eye(size, dtype=like.dtype, device=like.device)
    else:
        rows = _random_rows(size, measure.seed).to(device=like.device, dtype=like.dtype)
    return scaled(rows, measure.words)


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]
def _random_rows(size: int, seed: int) -> torch.Tensor:
    """Return the random universe, a constant of a compiled graph: (size, size)."""
    return torch.from_numpy(random_universe(size, seed=seed))
