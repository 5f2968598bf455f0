"""What is computed: the grammar's choices, parsed once by fuzzbow's own registries."""

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
)

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
        """Whether the universe is made of the words that are compared."""
        return self.universe in PAIR_UNIVERSES if isinstance(self.universe, str) else False

    @property
    def by_query(self) -> bool:
        """Whether the universe is the words of the left set alone."""
        return isinstance(self.universe, str) and self.universe is Universe.QUERY


def parse_measure(
    universe: Choice,
    pooling: str | Pooling,
    set_similarity: str | SetSimilarity,
    word_similarity: str | WordSimilarity,
    seed: int,
) -> Measure:
    """The measure that these choices stand for; an InputError names what there is."""
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
