"""Whitened words: vectors whitened by word probability, as long as the root of their weight.

Whitening, z = Σ_p^(-1/2) (x - μ_p), takes away what words have in common in running text. The
unit vector of z is then given the length √w, with w(u) = |z_u| / mean|z| · a / (a + p(u)), so
that a product of two words holds both weights. The paper's measures compare what results.

A table that is ready (distilled, say) has such vectors already: they are taken as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats, Ragged, blocks, row_sums
from fuzzbow.encoding import Texts, known_rows
from fuzzbow.engine import WordTable
from fuzzbow.fuzzy import unit_rows
from fuzzbow.measures.words.base import Words
from fuzzbow.vectors.weights import (
    READY_VERSION,
    SIF_A,
    WHITENING_VERSION,
    Weights,
)

WORD_BLOCK = 4096  # words whitened at once, in float64
SMALLEST_WEIGHT = 1e-9  # a word at the very mean still has to resemble itself


@dataclass(frozen=True)
class WhitenedWords(Words):
    """Whitened vectors of length √w; words without a vector are left out."""

    name = "whitened"
    names_measures = False
    scalings = frozenset({Weights.NONE, Weights.WHITENED})

    def prepare(
        self, texts: Texts, precision: type[np.floating[Any]], trigram_ids: dict[int, int] | None
    ) -> tuple[WordTable, Ragged]:
        """Whitened vectors of their words."""
        vectors, known = self.space.raw_vectors(texts)
        rarity = self.space.of_words(self.space.rarity, texts)
        unit, weights = self.unit_and_weights(vectors, rarity, precision)
        places, made = self.space.unknown_by_letters(texts, known)
        if len(places):
            known = known.copy()
            unit[places], weights[places], known[places] = made, 1.0, True
        return WordTable(_lengthened(unit, weights)), known_rows(texts, known)

    def vocabulary_matrix(self) -> Floats:
        """The whole table, whitened likewise."""
        space = self.space
        unit, weights = self.unit_and_weights(space.vectors.matrix, space.rarity, np.float64)
        return _lengthened(unit, weights)

    def unit_and_weights(
        self, vectors: Floats, rarity: Floats, precision: type[np.floating[Any]]
    ) -> tuple[Floats, Floats]:
        """Whitened vectors of unit length, and the weights of their words: (m, d), (m,)."""
        if self.space.vectors.ready:
            return _ready(vectors, rarity, precision)
        whitening = self.space.whitening
        unit = np.empty(vectors.shape, dtype=precision)
        lengths = np.empty(len(vectors))
        for part in blocks(len(vectors), WORD_BLOCK):
            whitened = whitening.apply(vectors[part], self.engine.products)
            lengths[part] = np.linalg.norm(whitened, axis=1)
            unit[part] = unit_rows(whitened)
        return unit, np.maximum(lengths / whitening.mean_length * rarity, SMALLEST_WEIGHT)

    def constants(self) -> dict[str, float]:
        """Return the constants of weights and whitening; a preweighted table has its own."""
        ready = self.space.vectors.ready
        return {
            "sif a": SIF_A,
            **({"ready": READY_VERSION} if ready else {"whitening": WHITENING_VERSION}),
            "smallest weight": SMALLEST_WEIGHT,
        }


def _lengthened(unit: Floats, weights: Floats) -> Floats:
    """Unit vectors at the root of their weights: (m, d), (m,) -> (m, d)."""
    return unit * np.sqrt(weights).astype(unit.dtype)[:, None]


def _ready(
    vectors: Floats, rarity: Floats, precision: type[np.floating[Any]]
) -> tuple[Floats, Floats]:
    """Of vectors x·√w, the unit vector x and the weight w: (m, d), (m,) -> (m, d), (m,)."""
    exact = np.asarray(vectors, dtype=np.float64)
    weights = row_sums(exact * exact) * rarity
    return unit_rows(exact).astype(precision), np.maximum(weights, SMALLEST_WEIGHT)
