"""Measures from their parts: universe × pooling × word similarity × set similarity."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from fuzzbow.arrays import Floats, matrix_of_vectors
from fuzzbow.engine import DynamicOptions, Engine
from fuzzbow.errors import InputError, parse_choice
from fuzzbow.fuzzy import (
    Pooling,
    SetSimilarity,
    Universe,
    WordSimilarity,
    identity_universe,
    kmeans_centroids,
    principal_axes,
    random_universe,
)
from fuzzbow.measures.counting import Counting
from fuzzbow.measures.dynamic import DynamicMeasure
from fuzzbow.measures.fixed import FixedMeasure
from fuzzbow.measures.protocol import Measure, MeasureFactory
from fuzzbow.measures.space import WordSpace


def compose(
    *,
    universe: str | Universe | ArrayLike = "dynamic",
    pooling: str | Pooling = "max",
    similarity: str | SetSimilarity = "jaccard",
    word_similarity: str | WordSimilarity = "dot",
    counting: str | Counting = "repeat",
    weights: ArrayLike | None = None,
    size: int | None = None,
    seed: int = 0,
    name: str | None = None,
) -> MeasureFactory:
    """A measure for `fuzzbow.load(..., measure=...)` from any combination of parts.

    `universe` is a name or the universe itself, (u, d); `weights`, (u,), weigh the
    elements of a fixed universe; `size` is the number of axes, centroids or random rows
    (the dimension unless given). The fuzzy bag-of-words of Zhao and Mao (2017), sums of
    clipped cosines with the whole vocabulary, is

    >>> zhao_mao = compose(universe="vocabulary", pooling="sum",
    ...                    word_similarity="clipped-cosine", similarity="cosine")
    """
    pool_by = parse_choice(Pooling, pooling, "pooling")
    sets_by = parse_choice(SetSimilarity, similarity, "similarity")
    words_by = parse_choice(WordSimilarity, word_similarity, "word_similarity")
    count_by = parse_choice(Counting, counting, "counting")
    fixed = _fixed_universe(universe, size, seed)
    weigh = None if weights is None else np.asarray(weights, dtype=np.float64)
    kind = universe if isinstance(universe, str) else "given"
    named = parse_choice(Universe, universe, "universe") if isinstance(universe, str) else None
    label = name or f"{kind}-{pool_by.value}-{words_by.value}-{sets_by.value}"
    if fixed is None and weigh is not None:
        raise InputError("weights belong to a fixed universe; the dynamic one differs by pair")

    def build(space: WordSpace, engine: Engine) -> Measure:
        if fixed is None:
            options = DynamicOptions(pool_by, sets_by, words_by)
            return DynamicMeasure(label, space, engine, options, count_by)
        return FixedMeasure(
            label, space, engine, fixed, pool_by, sets_by, words_by, count_by, weigh, named
        )

    return build


def _fixed_universe(
    choice: str | Universe | ArrayLike, size: int | None, seed: int
) -> Callable[[WordSpace], Floats] | None:
    """How to make the universe from a vocabulary; None for the dynamic one."""
    if not isinstance(choice, str):
        given = matrix_of_vectors(choice, "universe")
        return lambda space: _of_dimension(given, space.vectors.dimension)
    makers: dict[Universe, Callable[[WordSpace], Floats] | None] = {
        Universe.DYNAMIC: None,
        Universe.IDENTITY: lambda space: identity_universe(space.vectors.dimension),
        Universe.VOCABULARY: lambda space: space.vocabulary_matrix(),
        Universe.PRINCIPAL_AXES: lambda space: principal_axes(space.vocabulary_matrix(), size=size),
        Universe.KMEANS: lambda space: kmeans_centroids(
            space.vocabulary_matrix(), size=size, seed=seed
        ),
        Universe.RANDOM: lambda space: random_universe(
            space.vectors.dimension, size=size, seed=seed
        ),
    }
    return makers[parse_choice(Universe, choice, "universe")]


def _of_dimension(universe: Floats, dimension: int) -> Floats:
    """The universe, if its elements can be compared with the vectors."""
    if universe.shape[1] != dimension:
        raise InputError(
            f"universe must have the dimension of the vectors, {dimension}; got {universe.shape[1]}"
        )
    return universe
