"""Explanations of measures over a fixed universe: shares of its dimensions and of words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fuzzbow.arrays import Floats, Integers
from fuzzbow.encoding import Texts, decoded
from fuzzbow.fuzzy import Universe, compare, word_similarities
from fuzzbow.measures.decomposition import (
    Decomposition,
    Dimension,
    Parts,
    Shares,
    places_of,
    split_score,
)
from fuzzbow.measures.frequencies import count_words
from fuzzbow.vectors import WordVectors

if TYPE_CHECKING:
    from fuzzbow.measures.fixed import FixedMeasure

NAMING_WORDS = 20_000  # the most frequent words, of which some name a dimension
NEAREST = 3
SHORTEST = 1e-12  # a vector of zeros points nowhere
KINDS = {
    Universe.IDENTITY: "dimension",
    Universe.PRINCIPAL_AXES: "axis",
    Universe.KMEANS: "centroid",
    Universe.RANDOM: "random vector",
}


@dataclass(frozen=True)
class Pooled:
    """Max-pooled text: the rows of its words, and the word that owns each dimension."""

    places: Integers  # (k,) which word of the text each row is
    rows: Floats  # (k, u)
    membership: Floats  # (u,)
    owner: Integers  # (u,) row with the largest value, -1 where none is above 0

    def sums(self, values: Floats) -> Floats:
        """Add up values of dimensions for their owners: (u,) -> (k,)."""
        owned = self.owner >= 0
        return np.bincount(self.owner[owned], values[owned], len(self.rows)).astype(np.float64)


def decompose(
    measure: FixedMeasure, texts: Texts, left: int, right: int, dimensions: int
) -> Decomposition:
    """Split the score of two texts of the batch into shares of dimensions and words.

    The two owners of a dimension share its intersection equally; the rest of each text belongs to
    that text's owner.
    """
    a, b = pooled_text(measure, texts, left), pooled_text(measure, texts, right)
    similarity = measure.options.similarity
    weights = np.ones(len(a.membership)) if measure.weights is None else measure.weights
    shares = split_score(a.membership, b.membership, weights, similarity)
    shape = len(a.rows), len(b.rows)
    both = (a.owner >= 0) & (b.owner >= 0)
    cells = a.owner[both] * shape[1] + b.owner[both]
    together = np.bincount(cells, shares.intersection[both], shape[0] * shape[1])
    together_by_pair = together.astype(np.float64).reshape(shape)

    def parts(own: Pooled, other: Pooled, size: Floats, with_other: Floats) -> Parts:
        half = own.sums(shares.intersection) / 2
        match, alike = np.full(len(own.rows), -1), np.zeros(len(own.rows))
        for word in np.flatnonzero((with_other > 0).any(axis=1)).tolist():
            best = with_other[word].argmax()
            pair = np.maximum(own.rows[word], 0.0), np.maximum(other.rows[best], 0.0)
            match[word] = other.places[best]
            alike[word] = compare(*(pair if own is a else pair[::-1]), similarity, weights)
        return Parts(
            own.places,
            match,
            alike,
            half,
            own.sums(size) - half,
            shares.of_score(half),
            dimensions=np.bincount(own.owner[own.owner >= 0], minlength=len(own.rows)),
        )

    words = [[texts.words[word] for word in texts.rows[row]] for row in (left, right)]
    return Decomposition(
        similarity.formula,
        shares,
        measure.words.treatments(texts),
        parts(a, b, shares.left_size, together_by_pair),
        parts(b, a, shares.right_size, together_by_pair.T),
        top_dimensions(measure, shares, (a, b), words, dimensions),
        len(measure.universe),
    )


def pooled_text(measure: FixedMeasure, texts: Texts, text: int) -> Pooled:
    """Max-pool a text of the batch over the universe."""
    one = texts.take(np.array([text]))
    vectors, used = measure.words.vectors(one)
    kind = measure.options.word_similarity
    word_rows = word_similarities(vectors, measure.universe, kind, measure.engine.products)
    bag = count_words(used, measure.counting)
    counts, words = bag.counts_of(0), bag.rows[0]
    rows = word_rows[words] if counts is None else word_rows[words] * counts[:, None]
    membership = rows.max(axis=0, initial=0.0)
    owner = rows.argmax(axis=0) if len(rows) else np.zeros(len(membership), dtype=np.int64)
    places = places_of(one.rows[0], words)
    return Pooled(places, rows, membership, np.where(membership > 0, owner, -1))


def top_dimensions(
    measure: FixedMeasure,
    shares: Shares,
    pooled: tuple[Pooled, Pooled],
    words: Sequence[Sequence[str]],
    count: int,
) -> tuple[Dimension, ...]:
    """Return the dimensions with the largest shares above 0, largest first."""
    order = np.argsort(-shares.score, kind="stable")[:count]
    order = order[shares.score[order] > 0]
    weights = np.ones(len(shares.score)) if measure.weights is None else measure.weights
    owners = [text.places[text.owner[order]].tolist() for text in pooled]
    near: list[tuple[str, ...]] = [()] * len(order)
    if measure.kind is not Universe.VOCABULARY:
        near = nearest_words(measure.words.space.vectors, measure.universe[order])
    return tuple(
        Dimension(
            index,
            name,
            nearest,
            float(weights[index]),
            float(pooled[0].membership[index]),
            float(pooled[1].membership[index]),
            left,
            right,
            words[0][left],
            words[1][right],
            float(shares.intersection[index]),
            float(shares.union[index]),
            float(shares.score[index]),
        )
        for index, name, nearest, left, right in zip(
            order.tolist(), element_names(measure, order), near, *owners, strict=True
        )
    )


def element_names(measure: FixedMeasure, order: Integers) -> list[str]:
    """Name elements of the universe: words, or names such as "axis 3"."""
    if measure.kind is Universe.VOCABULARY:
        return decoded(measure.words.space.vectors, order)
    kind = "element" if measure.kind is None else KINDS[measure.kind]
    return [f"{kind} {index}" for index in order.tolist()]


def nearest_words(vectors: WordVectors, directions: Floats) -> list[tuple[str, ...]]:
    """Find the frequent words that point most in each direction: (n, d) -> n tuples."""
    if len(directions) == 0:
        return []
    frequent = vectors.rows(np.arange(min(len(vectors), NAMING_WORDS)))
    lengths = np.maximum(np.linalg.norm(frequent, axis=1, keepdims=True), SHORTEST)
    cosines = directions.astype(np.float32) @ frequent.T / lengths.T  # (n, words)
    count = min(NEAREST, len(frequent))
    some = np.sort(np.argpartition(-cosines, count - 1, axis=1)[:, :count], axis=1)
    order = np.argsort(-np.take_along_axis(cosines, some, axis=1), axis=1, kind="stable")
    best = np.take_along_axis(some, order, axis=1)
    return [tuple(vectors.words[word] for word in row) for row in best.tolist()]
