"""SIF-weighted averages without their common component (Arora et al. 2017)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Integers
from fuzzbow.encoding import Texts
from fuzzbow.engine import Bags, Engine, JoinOptions, Matches, SetOptions
from fuzzbow.fuzzy import COSINE, Pooling
from fuzzbow.measures.blockwise_join import join_by_blocks
from fuzzbow.measures.measure import Ability, Factory, Measure
from fuzzbow.measures.space import WordSpace
from fuzzbow.measures.word_matches import WordMatches, cosine_matches
from fuzzbow.vectors.weights import SIF_A, Weights

OPTIONS = SetOptions(COSINE, signed=True)


@dataclass(frozen=True)
class SifPca(Measure):
    """Cosine of averaged SIF vectors less their projection on the first component.

    The component is computed from the texts of the call, unless `fit` stored one.
    """

    space: WordSpace = field(repr=False)
    engine: Engine = field(repr=False)
    component: Floats | None = field(default=None, repr=False)  # (d,)
    name: str = "sif-pca"

    abilities = frozenset({Ability.JOIN, Ability.FIT})
    scalings = frozenset({Weights.NONE})  # it weights words itself

    def __post_init__(self) -> None:
        self.space.check_scaling(self.name, self.scalings)

    @property
    def depends_on_batch(self) -> bool:  # type: ignore[override]
        """True if the component depends on the texts of a call, because none is stored."""
        return self.component is None

    def fit(self, texts: Texts, rows: Integers) -> SifPca:
        """Return this measure with the first component of these texts stored."""
        return replace(self, component=_first_component(self._averages(texts)[rows]))

    def fitted(self, texts: Texts, rows: Integers) -> SifPca:
        """Return this measure with a component of all distinct texts, unless one is stored."""
        return self.fit(texts, np.arange(len(texts.rows))) if self.depends_on_batch else self

    def join(self, texts: Texts, options: JoinOptions) -> Iterator[Matches]:
        """Yield pairs i < j at or above the threshold, by all scores, a block at a time."""
        return join_by_blocks(self, texts, options)

    def word_matches(self, texts: Texts) -> WordMatches:
        """Return words compared by clipped cosine, as the measure does not compare words."""
        vectors, known = self.space.completed_vectors(texts)
        scores = partial(self.pairs, texts)
        return cosine_matches(self.engine, vectors, texts.known_rows(known), scores)

    def identity(self) -> dict[str, Any]:
        """Return the SIF constant as data for JSON."""
        return super().identity() | {"constants": {"sif a": SIF_A}}

    def pairs(self, texts: Texts, left: Integers, right: Integers) -> Floats:
        """Compare text left[i] with text right[i]: (n,), (n,) -> (n,)."""
        vectors, filled = self._without_component(texts, np.concatenate([left, right]))
        scores = self.engine.row_pairs(vectors[left], vectors[right], OPTIONS)
        return _like_itself(scores, filled, left, right)

    def matrix(self, texts: Texts, rows: Integers, columns: Integers) -> Floats:
        """Compare every row text with every column text: (n,), (m,) -> (n, m)."""
        vectors, filled = self._without_component(texts, np.concatenate([rows, columns]))
        scores = self.engine.row_matrix(vectors[rows], vectors[columns], OPTIONS)
        return _like_itself(scores, filled, rows[:, None], columns[None, :])

    def _averages(self, texts: Texts) -> Floats:
        """Average the SIF-weighted word vectors of each text: (texts, d)."""
        vectors, known = self.space.completed_vectors(texts)
        weighted = vectors.astype(np.float64) * self.space.sif(texts)[:, None]
        return self.engine.memberships(weighted, Bags(texts.known_rows(known)), Pooling.AVG)

    def _without_component(self, texts: Texts, used: Integers) -> tuple[Floats, Booleans]:
        """Return averages less their projection, and mark texts with one: (texts, d), (texts,)."""
        averages = self._averages(texts)
        component = self.component
        if component is None:
            component = _first_component(averages[used])
        rest = averages - np.outer(averages @ component, component)
        # rounding errors of a text that is only the component have no direction
        lengths = np.linalg.norm(averages, axis=1, keepdims=True)
        rest[np.linalg.norm(rest, axis=1) <= 1e-12 * lengths[:, 0]] = 0.0
        return rest, np.asarray(averages.any(axis=1))


def _like_itself(scores: Floats, filled: Booleans, a: Integers, b: Integers) -> Floats:
    """Set the score of a text with itself to 1, even if it was only the component."""
    return np.where((a == b) & filled[a], 1.0, scores)


def _first_component(vectors: Floats) -> Floats:
    """Return the first right singular vector, uncentred, or zeros: (n, d) -> (d,)."""
    if not vectors.any():
        return np.zeros(vectors.shape[1])
    _, axes = np.linalg.eigh(vectors.T @ vectors)
    return np.asarray(axes[:, -1])


def sif_pca(component: Floats | None = None) -> Factory:
    """Return a factory of the measure, with a stored component if there is one."""
    build = partial(SifPca, component=component)
    return Factory(build, SifPca.name, SifPca.abilities, SifPca.scalings)
