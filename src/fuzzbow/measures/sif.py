"""SIF-weighted averages without their common component (Arora et al. 2017)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Integers
from fuzzbow.engine import Bags, Engine
from fuzzbow.fuzzy import Pooling, SetSimilarity
from fuzzbow.measures.space import Texts, WordSpace, known_rows


@dataclass(frozen=True)
class SifPca:
    """Cosine of averaged SIF vectors less their projection on the first component.

    The component is that of the texts of the call, unless `fit` stored one.
    """

    space: WordSpace = field(repr=False)
    engine: Engine = field(repr=False)
    component: Floats | None = field(default=None, repr=False)  # (d,)
    name: str = "sif-pca"

    def fit(self, texts: Texts, rows: Integers) -> SifPca:
        """The same measure with the first component of these texts stored."""
        return replace(self, component=_first_component(self._averages(texts)[rows]))

    def pairs(self, texts: Texts, left: Integers, right: Integers) -> Floats:
        """Text left[i] with text right[i]: (n,), (n,) -> (n,)."""
        vectors, filled = self._without_component(texts, np.concatenate([left, right]))
        a, b = vectors[left], vectors[right]
        scores = self.engine.row_pairs(a, b, SetSimilarity.COSINE, signed=True)
        return _like_itself(scores, filled, left, right)

    def matrix(self, texts: Texts, rows: Integers, columns: Integers) -> Floats:
        """Every row text with every column text: (n,), (m,) -> (n, m)."""
        vectors, filled = self._without_component(texts, np.concatenate([rows, columns]))
        a, b = vectors[rows], vectors[columns]
        scores = self.engine.row_matrix(a, b, SetSimilarity.COSINE, signed=True)
        return _like_itself(scores, filled, rows[:, None], columns[None, :])

    def _averages(self, texts: Texts) -> Floats:
        """SIF-weighted mean of each text's word vectors: (texts, d)."""
        vectors, known = self.space.raw_vectors(texts)
        weighted = vectors.astype(np.float64) * self.space.sif(texts)[:, None]
        return self.engine.memberships(weighted, Bags(known_rows(texts, known)), Pooling.AVG)

    def _without_component(self, texts: Texts, used: Integers) -> tuple[Floats, Booleans]:
        """Averages less their projection, and which texts have one: (texts, d), (texts,)."""
        averages = self._averages(texts)
        component = self.component
        if component is None:
            component = _first_component(averages[used])
        rest = averages - np.outer(averages @ component, component)
        # what rounding leaves of a text that is nothing but the component has no direction
        lengths = np.linalg.norm(averages, axis=1, keepdims=True)
        rest[np.linalg.norm(rest, axis=1) <= 1e-12 * lengths[:, 0]] = 0.0
        return rest, np.asarray(averages.any(axis=1))


def _like_itself(scores: Floats, filled: Booleans, a: Integers, b: Integers) -> Floats:
    """A text with known words is like itself even where the component was all it had."""
    return np.where((a == b) & filled[a], 1.0, scores)


def _first_component(vectors: Floats) -> Floats:
    """First right singular vector, uncentred; zeros where there is no vector: (n, d) -> (d,)."""
    if not vectors.any():
        return np.zeros(vectors.shape[1])
    _, axes = np.linalg.eigh(vectors.T @ vectors)
    return np.asarray(axes[:, -1])


def sif_pca(component: Floats | None = None) -> Callable[[WordSpace, Engine], SifPca]:
    """A factory of the measure, with a stored component if there is one."""
    return lambda space, engine: SifPca(space, engine, component)
