"""Explanations over the dynamic universe: every word of either text is an element.

Over the words of the first text alone, those of the second are elements of weight 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fuzzbow.arrays import Floats, Integers
from fuzzbow.encoding import Texts
from fuzzbow.engine import own_counts
from fuzzbow.fuzzy import Pooling, Universe, pool
from fuzzbow.measures.decomposition import Decomposition, Parts, places_of, split_score

if TYPE_CHECKING:
    from fuzzbow.measures.dynamic.measure import DynamicMeasure


@dataclass(frozen=True)
class Matches:
    """The best match of each element in the other text: (k,) each."""

    place: Integers  # among the words of the other text, -1 for none above 0
    similarity: Floats
    membership: Floats  # in the other text


def decompose(measure: DynamicMeasure, texts: Texts, left: int, right: int) -> Decomposition:
    """The score of two texts of the batch as shares of their words, in float64."""
    table, bags = measure.prepare(texts)
    engine, options = measure.engine, measure.options
    A, B = bags.rows[left], bags.rows[right]
    places = places_of(texts.rows[left], A), places_of(texts.rows[right], B)
    between = engine.similarities(table, A, B, options)  # (k, l)
    of_left = _matches(between.T, own_counts(bags, right), places[1])
    of_right = _matches(between, own_counts(bags, left), places[0])

    def own(text: int, words: Integers) -> Floats:
        inside = engine.similarities(table, words, words, options)
        return pool(inside, Pooling.MAX, own_counts(bags, text))

    in_left = np.concatenate([own(left, A), of_right.membership])
    in_right = np.concatenate([of_left.membership, own(right, B)])
    words = np.concatenate([A, B])
    weights = np.ones(len(words)) if table.weights is None else table.weights[words]
    if options.universe is Universe.QUERY:  # words of the right text are no elements
        weights = np.concatenate([weights[: len(A)], np.zeros(len(B))])
    shares = split_score(in_left, in_right, weights, options.similarity)

    def parts(of: Matches, own_places: Integers, own: slice) -> Parts:
        return Parts(
            own_places,
            of.place,
            of.similarity,
            shares.intersection[own],
            shares.union[own],
            shares.score[own],
            weights[own],
            in_left[own],
            in_right[own],
        )

    first, second = slice(None, len(A)), slice(len(A), None)
    return Decomposition(
        options.similarity.formula,
        shares,
        measure.words.treatments(texts),
        parts(of_left, places[0], first),
        parts(of_right, places[1], second),
    )


def _matches(rows: Floats, counts: Floats | None, places: Integers) -> Matches:
    """The best row for each column: (l, k), counts and places of the rows (l,)."""
    if len(rows) == 0:
        nothing = np.zeros(rows.shape[1])
        return Matches(np.full(rows.shape[1], -1), nothing, nothing)
    counted = rows if counts is None else rows * counts[:, None]
    best = counted.argmax(axis=0)
    columns = np.arange(rows.shape[1])
    membership = np.maximum(counted[best, columns], 0.0)
    place = np.where(membership > 0, places[best], -1)
    return Matches(place, rows[best, columns], membership)
