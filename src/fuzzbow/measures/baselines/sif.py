"""SIF-weighted averages without their common component (Arora et al. 2017)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Integers
from fuzzbow.encoding import Texts, known_rows
from fuzzbow.engine import WHOLE, Bags, DynamicOptions, Engine, Matches, Share, WordTable
from fuzzbow.fuzzy import COSINE, Pooling, WordSimilarity
from fuzzbow.measures.blockwise_join import join_by_blocks
from fuzzbow.measures.measure import Ability, Measure, MeasureFactory
from fuzzbow.measures.space import WordSpace
from fuzzbow.measures.word_matches import WordMatches
from fuzzbow.progress import Progress
from fuzzbow.vectors.weights import SIF_A, Weights


@dataclass(frozen=True)
class SifPca(Measure):
    """Cosine of averaged SIF vectors less their projection on the first component.

    The component is that of the texts of the call, unless `fit` stored one.
    """

    space: WordSpace = field(repr=False)
    engine: Engine = field(repr=False)
    component: Floats | None = field(default=None, repr=False)  # (d,)
    name: str = "sif-pca"

    abilities = frozenset({Ability.JOIN, Ability.FIT})
    scalings = frozenset({Weights.NONE})  # it weighs words by itself

    def __post_init__(self) -> None:
        self.space.check_scaling(self.name, self.scalings)

    @property
    def depends_on_batch(self) -> bool:  # type: ignore[override]
        """Without a stored component, the texts of a call decide."""
        return self.component is None

    def fit(self, texts: Texts, rows: Integers) -> SifPca:
        """Return this measure with the first component of these texts stored."""
        return replace(self, component=_first_component(self._averages(texts)[rows]))

    def fitted(self, texts: Texts, rows: Integers) -> SifPca:
        """With a component of all these texts, copies left out, unless one is stored."""
        return self.fit(texts, np.arange(len(texts.rows))) if self.depends_on_batch else self

    def join(
        self,
        texts: Texts,
        *,
        threshold: float,
        boundary: int | None,
        progress: Progress,
        share: Share = WHOLE,
    ) -> Iterator[Matches]:
        """Pairs i < j at or above the threshold, by all scores, a block at a time."""
        return join_by_blocks(self, texts, threshold, boundary, share, progress)

    def word_matches(self, texts: Texts) -> WordMatches:
        """Words compared by clipped cosine: they have no similarity of their own here."""
        vectors, known = self.space.completed_vectors(texts)
        options = DynamicOptions(word_similarity=WordSimilarity.CLIPPED_COSINE)
        bags, scores = Bags(known_rows(texts, known)), partial(self.pairs, texts)
        return WordMatches.of(self.engine, WordTable(vectors), bags, options, scores)

    def identity(self) -> dict[str, Any]:
        """Return the constant."""
        return super().identity() | {"constants": {"sif a": SIF_A}}

    def pairs(self, texts: Texts, left: Integers, right: Integers) -> Floats:
        """Text left[i] with text right[i]: (n,), (n,) -> (n,)."""
        vectors, filled = self._without_component(texts, np.concatenate([left, right]))
        a, b = vectors[left], vectors[right]
        scores = self.engine.row_pairs(a, b, COSINE, signed=True)
        return _like_itself(scores, filled, left, right)

    def matrix(self, texts: Texts, rows: Integers, columns: Integers) -> Floats:
        """Every row text with every column text: (n,), (m,) -> (n, m)."""
        vectors, filled = self._without_component(texts, np.concatenate([rows, columns]))
        a, b = vectors[rows], vectors[columns]
        scores = self.engine.row_matrix(a, b, COSINE, signed=True)
        return _like_itself(scores, filled, rows[:, None], columns[None, :])

    def _averages(self, texts: Texts) -> Floats:
        """SIF-weighted mean of each text's word vectors: (texts, d)."""
        vectors, known = self.space.completed_vectors(texts)
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


def sif_pca(component: Floats) -> MeasureFactory:
    """A factory of the measure with a stored component."""
    return partial(SifPca, component=component)
