"""Composition of measures: words × universe and pooling × set similarity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from fuzzbow.arrays import Floats, matrix_of_vectors
from fuzzbow.engine import DynamicOptions, Engine
from fuzzbow.errors import InputError, parse_choice
from fuzzbow.fuzzy import (
    PAIR_UNIVERSES,
    Pooling,
    SetSimilarity,
    Universe,
    WordSimilarity,
    kmeans_centroids,
    parse_set_similarity,
    principal_axes,
    random_universe,
)
from fuzzbow.measures.dynamic import DynamicMeasure, dynamic_abilities
from fuzzbow.measures.fixed import FixedMeasure, fixed_abilities
from fuzzbow.measures.frequencies import Counting
from fuzzbow.measures.measure import Factory, Measure
from fuzzbow.measures.space import WordSpace
from fuzzbow.measures.words import WeightedWords, Words, WordsFactory, paper_words, parse_words
from fuzzbow.vectors.weights import Weights


def compose(
    *,
    words: str | WordsFactory | None = None,
    universe: str | Universe | ArrayLike = "dynamic",
    pooling: str | Pooling = "max",
    similarity: str | SetSimilarity = "jaccard",
    word_similarity: str | WordSimilarity = "dot",
    counting: str | Counting = "repeat",
    weights: ArrayLike | None = None,
    size: int | None = None,
    seed: int = 0,
    name: str | None = None,
) -> Factory:
    """Compose a measure of any combination of parts, for `fuzzbow.load(measure=...)`.

    Parameters
    ----------
    words
        "plain", "whitened" or "weighted"; unless given, plain, or whitened if the weights of the
        model are.
    universe
        "dynamic", the words of both texts, "query", those of the first, the name of a fixed
        universe, or the universe itself, (u, d).
    pooling, similarity, word_similarity
        Choices of `fuzzbow.set_similarity`.
    counting
        Treatment of repeated words, one of `Counting`.
    weights
        Weights of the elements of a fixed universe: (u,).
    size
        Number of axes, centroids or random rows; the dimension unless given.
    seed
        Seed of random numbers.
    name
        Name of the measure; made of its parts unless given.

    Raises
    ------
    InputError
        If parts are not known or cannot be combined.

    Examples
    --------
    The fuzzy bag-of-words of Zhao and Mao (2017), sums of clipped cosines with the vocabulary:

    >>> zhao_mao = compose(universe="vocabulary", pooling="sum",
    ...                    word_similarity="clipped-cosine", similarity="cosine")
    """
    makes_words = parse_words(words)
    named = parse_choice(Universe, universe, "universe") if isinstance(universe, str) else None
    options = DynamicOptions(
        parse_choice(Pooling, pooling, "pooling"),
        parse_set_similarity(similarity),
        parse_choice(WordSimilarity, word_similarity, "word_similarity"),
    )
    counted = parse_choice(Counting, counting, "counting")
    if name is None:
        parts = [named.value if named else "given", options.pooling.value]
        parts += [options.word_similarity.value, options.similarity.name]
        maker = words if isinstance(words, str) else getattr(words, "name", None)
        name = "-".join(parts if maker is None else [maker, *parts])
    measure: Callable[..., Measure]  # partials, so that a model of it can be pickled
    if named in PAIR_UNIVERSES:
        if weights is not None:
            raise InputError("weights need a fixed universe; this one differs by pair")
        options = replace(options, universe=named)
        abilities = dynamic_abilities(options)
        measure = partial(DynamicMeasure, name=name, options=options, counting=counted)
    else:
        abilities = fixed_abilities(options)
        measure = partial(
            FixedMeasure,
            name=name,
            universe_of=partial(
                _fixed_universe, named or matrix_of_vectors(universe, "universe"), size, seed
            ),
            options=options,
            counting=counted,
            given_weights=None if weights is None else np.asarray(weights, dtype=np.float64),
            kind=named,
        )
    build = partial(_build, makes_words, measure)
    scalings = getattr(makes_words, "scalings", frozenset(Weights))
    by_collection = getattr(makes_words, "uses_collection", makes_words is not paper_words)
    return Factory(build, name, abilities, scalings, uses_collection=by_collection)


def _build(
    words: WordsFactory, measure: Callable[..., Measure], space: WordSpace, engine: Engine
) -> Measure:
    """Make the measure for vectors and an engine."""
    return measure(words=words(space, engine), engine=engine)


def weighted_jaccard(*, numbers: bool = True, unknown: bool = True) -> Factory:
    """Return weighted-jaccard, optionally without its rules for numbers or for unknown words."""
    words = partial(WeightedWords, numbers=numbers, unknown=unknown)
    return compose(words=words, name="weighted-jaccard")


def _fixed_universe(
    universe: Universe | Floats, size: int | None, seed: int, words: Words
) -> Floats:
    """Return a universe by its name or as it was given: (u, d)."""
    dimension = words.space.vectors.dimension
    if not isinstance(universe, Universe):
        if universe.shape[1] != dimension:
            raise InputError(
                f"universe must have the dimension of the vectors, {dimension};"
                f" got {universe.shape[1]}"
            )
        return universe
    if universe is Universe.IDENTITY:
        return np.eye(dimension)
    if universe is Universe.RANDOM:
        return random_universe(dimension, size=size, seed=seed)
    vocabulary = words.vocabulary_matrix()
    if universe is Universe.PRINCIPAL_AXES:
        return principal_axes(vocabulary, size=size)
    if universe is Universe.KMEANS:
        return kmeans_centroids(vocabulary, size=size, seed=seed)
    return vocabulary
