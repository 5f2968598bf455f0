"""Composition of measures: words × universe and pooling × set similarity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
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
    identity_universe,
    kmeans_centroids,
    parse_set_similarity,
    principal_axes,
    random_universe,
)
from fuzzbow.measures.dynamic import DynamicMeasure
from fuzzbow.measures.fixed import FixedMeasure
from fuzzbow.measures.frequencies import Counting
from fuzzbow.measures.measure import Ability, Measure
from fuzzbow.measures.space import WordSpace
from fuzzbow.measures.words import (
    WeightedWords,
    Words,
    WordsFactory,
    paper_words,
    parse_words,
)
from fuzzbow.vectors.weights import Weights


@dataclass(frozen=True, eq=False)
class Composition:
    """Parts of a measure; called with vectors and an engine it returns the measure."""

    words: WordsFactory
    universe: Universe | None  # None for one that the caller gave
    universe_of: Callable[[Words], Floats] | None  # None where it differs from pair to pair
    options: DynamicOptions
    counting: Counting
    weights: Floats | None
    name: str

    @property
    def abilities(self) -> frozenset[Ability]:
        """Return the abilities of the measure."""
        if self.universe_of is None:
            return DynamicMeasure.abilities_of(self.options)
        return FixedMeasure.abilities_of(self.options.pooling, self.options.similarity)

    @property
    def scalings(self) -> frozenset[Weights]:
        """Weights that a model may have with these words."""
        found: frozenset[Weights] = getattr(self.words, "scalings", frozenset(Weights))
        return found

    @property
    def uses_collection(self) -> bool:
        """Return whether a collection may decide the weights of words."""
        return bool(getattr(self.words, "uses_collection", self.words is not paper_words))

    def __call__(self, space: WordSpace, engine: Engine) -> Measure:
        """Return the measure on some vectors."""
        words, options = self.words(space, engine), self.options
        if self.universe_of is None:
            return DynamicMeasure(self.name, words, engine, options, self.counting)
        return FixedMeasure(
            self.name,
            words,
            engine,
            self.universe_of,
            options.pooling,
            options.similarity,
            options.word_similarity,
            self.counting,
            self.weights,
            self.universe,
        )


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
) -> Composition:
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
    named = parse_choice(Universe, universe, "universe") if isinstance(universe, str) else None
    options = DynamicOptions(
        parse_choice(Pooling, pooling, "pooling"),
        parse_set_similarity(similarity),
        parse_choice(WordSimilarity, word_similarity, "word_similarity"),
    )
    fixed = None if named in PAIR_UNIVERSES else _fixed_universe(universe, size, seed)
    if fixed is None and weights is not None:
        raise InputError("weights belong to a fixed universe; this one differs by pair")
    if named in PAIR_UNIVERSES:
        options = replace(options, universe=named)
    return Composition(
        parse_words(words),
        named,
        fixed,
        options,
        parse_choice(Counting, counting, "counting"),
        None if weights is None else np.asarray(weights, dtype=np.float64),
        name or _label(words, named, options),
    )


def weighted_jaccard(*, numbers: bool = True, unknown: bool = True) -> Composition:
    """Return weighted-jaccard, optionally without its rules for numbers or for unknown words."""
    words = partial(WeightedWords, numbers=numbers, unknown=unknown)
    return compose(words=words, name="weighted-jaccard")


def _label(
    words: str | WordsFactory | None, named: Universe | None, options: DynamicOptions
) -> str:
    """Return a name from the parts."""
    kind = "given" if named is None else named.value
    parts = (kind, options.pooling.value, options.word_similarity.value, options.similarity.name)
    maker = words if isinstance(words, str) else getattr(words, "name", None)
    return "-".join(parts if maker is None else (maker, *parts))


def _fixed_universe(
    choice: str | Universe | ArrayLike, size: int | None, seed: int
) -> Callable[[Words], Floats]:
    """Return a function from a vocabulary to the universe."""
    # partials, since a composition, and so a model of it, can be pickled
    if not isinstance(choice, str):
        return partial(_of_dimension, matrix_of_vectors(choice, "universe"))
    return partial(_named_universe, parse_choice(Universe, choice, "universe"), size, seed)


def _named_universe(kind: Universe, size: int | None, seed: int, words: Words) -> Floats:
    """Return the universe of a name over a vocabulary: (u, d)."""
    dimension = words.space.vectors.dimension
    makers: dict[Universe, Callable[[], Floats]] = {
        Universe.IDENTITY: lambda: identity_universe(dimension),
        Universe.VOCABULARY: words.vocabulary_matrix,
        Universe.PRINCIPAL_AXES: lambda: principal_axes(words.vocabulary_matrix(), size=size),
        Universe.KMEANS: lambda: kmeans_centroids(words.vocabulary_matrix(), size=size, seed=seed),
        Universe.RANDOM: lambda: random_universe(dimension, size=size, seed=seed),
    }
    return makers[kind]()


def _of_dimension(universe: Floats, words: Words) -> Floats:
    """Return the universe, if its elements can be compared with the vectors."""
    dimension = words.space.vectors.dimension
    if universe.shape[1] != dimension:
        raise InputError(
            f"universe must have the dimension of the vectors, {dimension}; got {universe.shape[1]}"
        )
    return universe
