"""From a model and two texts to an explanation."""

from __future__ import annotations

from fuzzbow.errors import InputError, check_count
from fuzzbow.fuzzy import Pooling, SetSimilarity
from fuzzbow.measures import DEFAULT_MEASURE, Measure, Texts, WeightedJaccard
from fuzzbow.measures.dynamic import DynamicMeasure
from fuzzbow.measures.fixed import FixedMeasure
from fuzzbow.measures.registry import PREFIXES
from fuzzbow.model import Model
from fuzzbow.model.encoding import Encoder, check_text
from fuzzbow.tasks.explain.dimensions import top_dimensions
from fuzzbow.tasks.explain.dynamic import split_dynamic
from fuzzbow.tasks.explain.fixed import split_fixed
from fuzzbow.tasks.explain.result import Dimension, Explanation, Status
from fuzzbow.tasks.explain.shares import FORMULAS
from fuzzbow.tasks.explain.words import (
    Decomposition,
    Explainable,
    TextWords,
    side_of,
    spans_of,
    treatments,
)

# names of measures whose score is a sum over words or dimensions with one owner
EXPLAINABLE: tuple[str, ...] = (
    DEFAULT_MEASURE,
    *(
        f"{prefix}-{similarity.value}"
        for prefix, (_, pooling) in PREFIXES.items()
        if pooling is Pooling.MAX
        for similarity in SetSimilarity
    ),
)


def explain(model: Model, a: str, b: str, *, dimensions: int = 20) -> Explanation:
    """The score of two texts as a sum of exact shares of their words.

    Computed in float64, as the reference engine does. Over a fixed universe the
    `dimensions` with the largest shares are listed.
    """
    measure = explainable(model.measure)
    dimensions = check_count(dimensions, "dimensions", least=0)
    strings = check_text(a, "a"), check_text(b, "b")
    texts, which = Encoder(model.tokenizer, model.vectors).encode(strings)
    left, right = which.tolist()
    treated = treatments(measure, texts)
    sides = (
        _text_words(model, texts, left, strings[0], treated),
        _text_words(model, texts, right, strings[1], treated),
    )
    if not isinstance(measure, FixedMeasure):
        return _explanation(model, measure, split_dynamic(measure, texts, left, right), sides)
    split, pooled = split_fixed(measure, texts, left, right)
    words = sides[0].words, sides[1].words
    listed = top_dimensions(measure, split.shares, pooled, words, dimensions)
    return _explanation(model, measure, split, sides, listed, len(measure.universe))


def explainable(measure: Measure) -> Explainable:
    """The measure, if its score splits exactly into shares of words."""
    if isinstance(measure, WeightedJaccard):
        return measure
    if isinstance(measure, DynamicMeasure) and measure.options.pooling is Pooling.MAX:
        return measure
    if isinstance(measure, FixedMeasure) and measure.pooling is Pooling.MAX:
        return measure
    kinds = "|".join(similarity.value for similarity in SetSimilarity)
    prefixes = "|".join(name for name, (_, pooling) in PREFIXES.items() if pooling is Pooling.MAX)
    raise InputError(
        f"explain needs a measure whose score is an exact sum over words: {DEFAULT_MEASURE} or"
        f" {{{prefixes}}}-{{{kinds}}}; for {measure.name} no exact decomposition exists here"
    )


def _text_words(
    model: Model, texts: Texts, row: int, text: str, treated: list[tuple[Status, str]]
) -> TextWords:
    """The words of one text, where they stand, and how they were treated."""
    ids = texts.rows[row].tolist()
    return TextWords(
        text,
        [texts.words[word] for word in ids],
        spans_of(model.tokenizer, text, len(ids)),
        [treated[word] for word in ids],
    )


def _explanation(
    model: Model,
    measure: Explainable,
    split: Decomposition,
    texts: tuple[TextWords, TextWords],
    dimensions: tuple[Dimension, ...] = (),
    dimension_count: int = 0,
) -> Explanation:
    """The parts put together."""
    shares, (left, right) = split.shares, texts
    parts = measure if isinstance(measure, FixedMeasure) else measure.options
    return Explanation(
        measure=measure.name,
        vectors=model.vectors.name,
        formula=FORMULAS[parts.similarity],
        score=min(float(shares.score.sum()), 1.0),
        intersection=float(shares.intersection.sum()),
        union=float(shares.union.sum()),
        left_size=float(shares.left_size.sum()),
        right_size=float(shares.right_size.sum()),
        denominator=shares.denominator,
        left=side_of(left, right, split.left),
        right=side_of(right, left, split.right),
        dimensions=dimensions,
        dimension_count=dimension_count,
    )
