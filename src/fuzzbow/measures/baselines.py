"""Baselines: crisp sets, soft sets, optimal transport, and averages without a component."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Integers
from fuzzbow.encoding import Texts
from fuzzbow.engine import Bags, Engine, JoinOptions, Matches, SetOptions
from fuzzbow.errors import MissingExtraError
from fuzzbow.fuzzy import COSINE, Pooling, WordSimilarity, word_similarities
from fuzzbow.measures.blockwise_join import join_by_blocks
from fuzzbow.measures.frequencies import distinct_words
from fuzzbow.measures.measure import Ability, Factory, Measure
from fuzzbow.measures.space import WordSpace
from fuzzbow.measures.word_matches import WordMatches, cosine_matches
from fuzzbow.measures.words import Words
from fuzzbow.vectors.weights import SIF_A, Weights

SIF_OPTIONS = SetOptions(COSINE, signed=True)
Score = Callable[[int, int], float]  # of two texts of a batch


@dataclass(frozen=True)
class LoopMeasure(Measure):
    """Measure by a function that scores one pair of texts at a time."""

    name: str
    scorer: Callable[[Texts], Score] = field(repr=False)  # for the texts of a batch
    uses_vectors: bool = True

    def pairs(self, texts: Texts, left: Integers, right: Integers) -> Floats:
        """Compare text left[i] with text right[i]: (n,), (n,) -> (n,)."""
        score = self.scorer(texts)
        pairs = zip(left.tolist(), right.tolist(), strict=True)
        return np.array([score(a, b) for a, b in pairs], dtype=np.float64)


def crisp_jaccard(texts: Texts, *, bag: bool) -> Score:
    """Score by shared words over all words, without vectors; a set counts each word once."""
    rows = (row.tolist() for row in texts.rows)
    bags = [Counter(row if bag else set(row)) for row in rows]

    def score(a: int, b: int) -> float:
        shared = (bags[a] & bags[b]).total()
        whole = bags[a].total() + bags[b].total() - shared
        return shared / whole if whole else 0.0

    return score


def soft_cardinality(words: Words, texts: Texts) -> Score:
    """Score by Jaccard of soft cardinalities, |A| = Σ_i 1 / Σ_j sim(i, j), by clipped cosines.

    A text is a multiset. The union has each word as often as the text where it is more frequent;
    the intersection is |A| + |B| - |A ∪ B|.
    """
    vectors, rows = words.vectors(texts)
    bags = [Counter(row.tolist()) for row in rows]
    sizes = [_cardinality(vectors, bag) for bag in bags]

    def score(a: int, b: int) -> float:
        union = _cardinality(vectors, bags[a] | bags[b])
        return (sizes[a] + sizes[b] - union) / union if bags[a] and bags[b] and union else 0.0

    return score


def _cardinality(vectors: Floats, bag: Counter[int]) -> float:
    """Compute the soft cardinality, where similar words count less: (m, d), bag -> float."""
    counts = np.fromiter(bag.values(), dtype=np.float64, count=len(bag))
    words = vectors[list(bag)]
    totals = word_similarities(words, words, WordSimilarity.CLIPPED_COSINE) @ counts
    return float((counts[totals > 0] / totals[totals > 0]).sum())


def soft_cosine(words: Words, texts: Texts) -> Score:
    """Score by the cosine of bags of words with clipped cosines between their axes.

    With cosines left unclipped this is the cosine of averaged unit vectors.
    """
    vectors, texts_words = words.vectors(texts)
    rows = [vectors[row] for row in texts_words]
    squares = [_product(row, row) for row in rows]

    def score(a: int, b: int) -> float:
        lengths = float(np.sqrt(squares[a] * squares[b]))
        return min(_product(rows[a], rows[b]) / lengths, 1.0) if lengths else 0.0

    return score


def _product(X: Floats, Y: Floats) -> float:
    """Sum the similarities of every word with every other: (k, d), (l, d) -> float."""
    return float(word_similarities(X, Y, WordSimilarity.CLIPPED_COSINE).sum())


def word_movers(words: Words, texts: Texts) -> Score:
    """Score by 1 / (1 + distance): nBoW weights, Euclidean costs, optimal transport by POT.

    The map is monotone, so ranks are those of the distance; equal texts score 1.
    """
    try:
        from ot.lp import emd2
    except ImportError as error:
        raise MissingExtraError("POT", "wmd") from error
    vectors, known = words.vectors(texts)
    rows, counts = distinct_words(known)

    def score(a: int, b: int) -> float:
        A, B = (slice(rows.offsets[text], rows.offsets[text + 1]) for text in (a, b))
        if A.start == A.stop or B.start == B.stop:
            return 0.0
        X, Y = vectors[rows.values[A]], vectors[rows.values[B]]
        costs = np.asarray(np.linalg.norm(X[:, None, :] - Y[None, :, :], axis=2))  # (k, l)
        share_a, share_b = counts[A] / counts[A].sum(), counts[B] / counts[B].sum()
        return 1.0 / (1.0 + max(float(emd2(share_a, share_b, costs)), 0.0))

    return score


@dataclass(frozen=True)
class SifPca(Measure):
    """Cosine of averaged SIF vectors less their projection on the first component (Arora 2017).

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
        """Yield pairs i < j at or above the threshold, scoring all pairs block by block."""
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
        scores = self.engine.row_pairs(vectors[left], vectors[right], SIF_OPTIONS)
        return _like_itself(scores, filled, left, right)

    def matrix(self, texts: Texts, rows: Integers, columns: Integers) -> Floats:
        """Compare every row text with every column text: (n,), (m,) -> (n, m)."""
        vectors, filled = self._without_component(texts, np.concatenate([rows, columns]))
        scores = self.engine.row_matrix(vectors[rows], vectors[columns], SIF_OPTIONS)
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
    """Set the score of a text with itself to 1, even if removing the component left nothing."""
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
