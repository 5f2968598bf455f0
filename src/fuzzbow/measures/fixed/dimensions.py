"""The dimensions of a fixed universe that matter most, with names that a person can read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fuzzbow.arrays import Floats, Integers
from fuzzbow.encoding import decoded
from fuzzbow.fuzzy import Universe
from fuzzbow.measures.decomposition import Dimension, Shares
from fuzzbow.vectors import WordVectors

if TYPE_CHECKING:
    from fuzzbow.measures.fixed.explanation import Pooled
    from fuzzbow.measures.fixed.measure import FixedMeasure

NAMING_WORDS = 20_000  # the most frequent words, among which a dimension looks for names
NEAREST = 3
SHORTEST = 1e-12  # a vector of zeros points nowhere
KINDS = {
    Universe.IDENTITY: "dimension",
    Universe.PRINCIPAL_AXES: "axis",
    Universe.KMEANS: "centroid",
    Universe.RANDOM: "random vector",
}


def top_dimensions(
    measure: FixedMeasure,
    shares: Shares,
    pooled: tuple[Pooled, Pooled],
    words: tuple[Sequence[str], Sequence[str]],
    count: int,
) -> tuple[Dimension, ...]:
    """The dimensions with the largest shares, largest first; those without any are not listed."""
    order = np.argsort(-shares.score, kind="stable")[:count]
    order = order[shares.score[order] > 0]
    weights = np.ones(len(shares.score)) if measure.weights is None else measure.weights
    owners = [_owners(text, order) for text in pooled]
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
        for index, (name, nearest), left, right in zip(
            order.tolist(), _names(measure, order), *owners, strict=True
        )
    )


def _owners(text: Pooled, order: Integers) -> list[int]:
    """Places of the words that own some dimensions; each has an owner, as it has a share."""
    return [int(place) for place in text.places[text.owner[order]]]


def _names(measure: FixedMeasure, order: Integers) -> list[tuple[str, tuple[str, ...]]]:
    """A name for each dimension, and the words that point its way."""
    names = element_names(measure, order)
    if measure.kind is Universe.VOCABULARY:
        return [(name, ()) for name in names]
    near = nearest_words(measure.words.space.vectors, measure.universe[order])
    return list(zip(names, near, strict=True))


def element_names(measure: FixedMeasure, order: Integers) -> list[str]:
    """Names of some elements of the universe: words, or such as "axis 3"."""
    if measure.kind is Universe.VOCABULARY:
        return decoded(measure.words.space.vectors, order)
    kind = "element" if measure.kind is None else KINDS[measure.kind]
    return [f"{kind} {index}" for index in order.tolist()]


def nearest_words(vectors: WordVectors, directions: Floats) -> list[tuple[str, ...]]:
    """The frequent words that point most in each direction: (n, d) -> n tuples."""
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
