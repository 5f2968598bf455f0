"""Whitened words: vectors whitened by word probability, as long as the root of their weight.

Whitening, z = Σ_p^(-1/2) (x - μ_p), removes what words have in common in running text. The unit
vector of z is then given the length √w, with w(u) = |z_u| / mean|z| · a / (a + p(u)), so that the
product of two words contains both weights. The paper's measures compare these vectors.

A preweighted table, such as a distilled one, has such vectors already: they are used unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fuzzbow.arrays import Floats, blocks, row_sums
from fuzzbow.encoding import Texts, TrigramIds
from fuzzbow.engine import RowRules, WordTable
from fuzzbow.fuzzy import unit_rows
from fuzzbow.measures.space import Unknown
from fuzzbow.measures.words.base import Precision, Prepared, Words
from fuzzbow.vectors.weights import (
    PREWEIGHTED_VERSION,
    SIF_A,
    USIF_LENGTH,
    WHITENING_VERSION,
    Weights,
)

WORD_BLOCK = 4096  # words whitened in one block, in float64
SMALLEST_WEIGHT = 1e-9  # a word at the very mean still has to resemble itself


CONSTANTS: dict[Weights, dict[str, float]] = {
    Weights.NONE: {},
    Weights.SIF: {"sif a": SIF_A},
    Weights.USIF: {"usif length": USIF_LENGTH},
}


@dataclass(frozen=True)
class PlainWords(Words):
    """Words with a vector as elements of weight 1; words without one are left out."""

    name = "plain"
    names_measures = False
    scalings = frozenset(CONSTANTS)

    def prepare(self, texts: Texts, precision: Precision, ids: TrigramIds | None) -> Prepared:
        """Return vectors as the model scales them."""
        vectors, known = self.space.word_vectors(texts, precision)
        return WordTable(vectors), texts.known_rows(known)

    def row_rules(self) -> RowRules | None:
        """Return rules of plain vectors, unless unknown words have vectors of their letters."""
        space = self.space
        if space.unknown is not Unknown.DROP:
            return None
        factors = None if space.scale is None else np.asarray(space.scale, dtype=np.float64)
        return RowRules("plain", factors, normalise=space.normalise)

    def vocabulary_matrix(self) -> Floats:
        """Return the whole table, scaled."""
        return self.space.vocabulary_matrix()

    def constants(self) -> dict[str, float]:
        """Return the constants of the scaling."""
        return CONSTANTS[self.space.weights]


@dataclass(frozen=True)
class WhitenedWords(Words):
    """Whitened vectors of length √w; words without a vector are left out."""

    name = "whitened"
    names_measures = False
    scalings = frozenset({Weights.NONE, Weights.WHITENED})

    def prepare(self, texts: Texts, precision: Precision, ids: TrigramIds | None) -> Prepared:
        """Return whitened vectors."""
        vectors, known = self.space.raw_vectors(texts)
        rarity = self.space.of_words(self.space.rarity, texts)
        unit, weights = self.unit_and_weights(vectors, rarity, precision)
        places, made = self.space.unknown_by_letters(texts, known)
        if len(places):
            known = known.copy()
            unit[places], weights[places], known[places] = made, 1.0, True
        return WordTable(_lengthen(unit, weights)), texts.known_rows(known)

    def row_rules(self) -> RowRules | None:
        """Return rules of whitened vectors, unless unknown words have vectors of their letters."""
        return (
            None if self.space.unknown is not Unknown.DROP else self._whitening_rules("lengthened")
        )

    def _whitening_rules(self, form: str) -> RowRules:
        """Return the rules of `unit_and_weights`."""
        space = self.space
        if space.vectors.preweighted:
            factors = None if space.counts is None else space.rarity
            return RowRules(form, factors, preweighted=True, smallest_weight=SMALLEST_WEIGHT)
        whitening = space.whitening
        return RowRules(
            form,
            space.rarity,
            mean=np.ascontiguousarray(whitening.mean, dtype=np.float64),
            matrix=np.ascontiguousarray(whitening.matrix.T, dtype=np.float64),
            mean_length=whitening.mean_length,
            smallest_weight=SMALLEST_WEIGHT,
        )

    def vocabulary_matrix(self) -> Floats:
        """Return the whole table, whitened."""
        space = self.space
        unit, weights = self.unit_and_weights(space.vectors.matrix, space.rarity, np.float64)
        return _lengthen(unit, weights)

    def unit_and_weights(
        self, vectors: Floats, rarity: Floats, precision: Precision
    ) -> tuple[Floats, Floats]:
        """Return whitened vectors of unit length, and the weights of words: (m, d), (m,)."""
        if self.space.vectors.preweighted:
            exact = np.asarray(vectors, dtype=np.float64)  # x·√w: unit vectors x, weights w
            weights = row_sums(exact * exact) * rarity
            return unit_rows(exact).astype(precision), np.maximum(weights, SMALLEST_WEIGHT)
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
        ready = self.space.vectors.preweighted
        return {
            "sif a": SIF_A,
            **({"ready": PREWEIGHTED_VERSION} if ready else {"whitening": WHITENING_VERSION}),
            "smallest weight": SMALLEST_WEIGHT,
        }


def _lengthen(unit: Floats, weights: Floats) -> Floats:
    """Scale unit vectors to the root of their weights: (m, d), (m,) -> (m, d)."""
    return unit * np.sqrt(weights).astype(unit.dtype)[:, None]
