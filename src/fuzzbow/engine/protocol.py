"""What every engine does: batches of texts, as ragged ids over a table of words.

A batch names each distinct text once. Pairs and matrices are then indices of texts, so
that whatever depends on one text alone is computed once for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Floats, Integers, Ragged
from fuzzbow.fuzzy import Pooling, SetSimilarity, WordSimilarity


@dataclass(frozen=True)
class WordRules:
    """Similarities that letters decide, not vectors.

    Two different numbers have nothing in common. A word without a vector is compared by
    the Dice coefficient of the distinct character trigrams. A word is itself.
    """

    numbers: NDArray[np.bool_]  # (m,)
    unknown: NDArray[np.bool_]  # (m,)
    trigrams: Ragged  # row per word: sorted ids of its trigrams


@dataclass(frozen=True)
class WordTable:
    """The distinct words of a batch."""

    vectors: Floats  # (m, d)
    weights: Floats | None = None  # (m,) as universe elements; None: all 1
    rules: WordRules | None = None


@dataclass(frozen=True)
class DynamicOptions:
    """A measure over the dynamic universe."""

    pooling: Pooling = Pooling.MAX
    similarity: SetSimilarity = SetSimilarity.JACCARD
    word_similarity: WordSimilarity = WordSimilarity.DOT


class Engine(Protocol):
    """The batch contract; every engine passes the same tests."""

    @property
    def name(self) -> str: ...

    def dynamic_pairs(
        self,
        table: WordTable,
        texts: Ragged,
        left: Integers,
        right: Integers,
        options: DynamicOptions,
        counts: Floats | None = None,
    ) -> Floats:
        """Text left[i] with text right[i]: (n,), (n,) -> (n,). Counts go with texts.values."""
        ...

    def dynamic_matrix(
        self,
        table: WordTable,
        texts: Ragged,
        rows: Integers,
        columns: Integers,
        options: DynamicOptions,
        counts: Floats | None = None,
    ) -> Floats:
        """Every row text with every column text: (n,), (m,) -> (n, m)."""
        ...

    def memberships(
        self, word_rows: Floats, texts: Ragged, pooling: Pooling, counts: Floats | None = None
    ) -> Floats:
        """Pooled rows of each text's words: (m, u), texts -> (texts, u)."""
        ...

    def row_pairs(
        self, left: Floats, right: Floats, similarity: SetSimilarity, weights: Floats | None = None
    ) -> Floats:
        """Membership row i with row i: (n, u), (n, u) -> (n,)."""
        ...

    def row_matrix(
        self,
        rows: Floats,
        columns: Floats,
        similarity: SetSimilarity,
        weights: Floats | None = None,
    ) -> Floats:
        """Every membership row with every other: (n, u), (m, u) -> (n, m)."""
        ...
