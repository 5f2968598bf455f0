"""Explanations over a fixed universe: every dimension is owned by one word of each text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fuzzbow.arrays import Floats, Integers
from fuzzbow.encoding import Texts
from fuzzbow.engine import own_counts
from fuzzbow.fuzzy import SetSimilarity, compare, word_similarities
from fuzzbow.measures.counting import count_words
from fuzzbow.measures.decomposition import (
    Decomposition,
    Parts,
    places_of,
    split_score,
)
from fuzzbow.measures.fixed.dimensions import top_dimensions

if TYPE_CHECKING:
    from fuzzbow.measures.fixed.measure import FixedMeasure


@dataclass(frozen=True)
class Pooled:
    """One text over the universe: its words' rows, and who owns each dimension."""

    places: Integers  # (k,) which word of the text each row is
    rows: Floats  # (k, u)
    membership: Floats  # (u,)
    owner: Integers  # (u,) row with the largest value, -1 where none is above 0

    def sums(self, values: Floats) -> Floats:
        """Values of dimensions, added up for their owners: (u,) -> (k,)."""
        owned = self.owner >= 0
        sums = np.bincount(self.owner[owned], weights=values[owned], minlength=len(self.rows))
        return sums.astype(np.float64)

    @property
    def owned(self) -> Integers:
        """Count the dimensions that each word owns: (k,)."""
        return np.bincount(self.owner[self.owner >= 0], minlength=len(self.rows))


def decompose(
    measure: FixedMeasure, texts: Texts, left: int, right: int, dimensions: int
) -> Decomposition:
    """The score of two texts of the batch as shares of dimensions and words.

    A dimension's part of the intersection goes in halves to its two owners; what either
    text has beyond it goes to that text's owner.
    """
    a, b = pooled_text(measure, texts, left), pooled_text(measure, texts, right)
    weights = np.ones(len(a.membership)) if measure.weights is None else measure.weights
    shares = split_score(a.membership, b.membership, weights, measure.similarity)
    together = _together(a, b, shares.intersection)

    def parts(own: Pooled, other: Pooled, size: Floats, with_other: Floats) -> Parts:
        half = own.sums(shares.intersection) / 2
        best = _best(with_other)
        return Parts(
            own.places,
            np.where(best >= 0, other.places[best], -1) if len(other.places) else best,
            _alone(own, other, best, measure.similarity, weights, swapped=own is b),
            half,
            own.sums(size) - half,
            shares.of_score(half),
            dimensions=own.owned,
        )

    return Decomposition(
        measure.similarity.formula,
        shares,
        measure.words.treatments(texts),
        parts(a, b, shares.left_size, together),
        parts(b, a, shares.right_size, together.T),
        top_dimensions(measure, shares, (a, b), _words(texts, left, right), dimensions),
        len(measure.universe),
    )


def _words(texts: Texts, left: int, right: int) -> tuple[list[str], list[str]]:
    """The words of two texts of the batch."""
    first, second = ([texts.words[word] for word in texts.rows[row]] for row in (left, right))
    return first, second


def pooled_text(measure: FixedMeasure, texts: Texts, text: int) -> Pooled:
    """A text of the batch, max-pooled over the universe."""
    one = texts.take(np.array([text]))
    vectors, used = measure.words.vectors(one)
    word_rows = word_similarities(
        vectors, measure.universe, measure.word_similarity, measure.engine.products
    )
    bag = count_words(used, measure.counting)
    counts, words = own_counts(bag, 0), bag.rows[0]
    rows = word_rows[words] if counts is None else word_rows[words] * counts[:, None]
    membership = rows.max(axis=0, initial=0.0)
    owner = rows.argmax(axis=0) if len(rows) else np.zeros(len(membership), dtype=np.int64)
    places = places_of(one.rows[0], words)
    return Pooled(places, rows, membership, np.where(membership > 0, owner, -1))


def _together(a: Pooled, b: Pooled, intersection: Floats) -> Floats:
    """Split the intersection by pairs of words of the two texts: (u,) -> (k, l)."""
    shape = len(a.rows), len(b.rows)
    both = (a.owner >= 0) & (b.owner >= 0)
    cells = a.owner[both] * shape[1] + b.owner[both]
    found = np.bincount(cells, weights=intersection[both], minlength=shape[0] * shape[1])
    return found.astype(np.float64).reshape(shape)


def _best(together: Floats) -> Integers:
    """The column with which each row has most in common, -1 for nothing: (k, l) -> (k,)."""
    if together.shape[1] == 0:
        return np.full(len(together), -1)
    return np.where(together.max(axis=1) > 0, together.argmax(axis=1), -1)


def _alone(
    own: Pooled,
    other: Pooled,
    best: Integers,
    similarity: SetSimilarity,
    weights: Floats,
    *,
    swapped: bool,
) -> Floats:
    """The measure between each word and its best match, as if each were a text: (k,)."""
    found = np.zeros(len(best))
    for row in np.flatnonzero(best >= 0).tolist():
        a, b = np.maximum(own.rows[row], 0.0), np.maximum(other.rows[best[row]], 0.0)
        left, right = (b, a) if swapped else (a, b)
        found[row] = compare(left, right, similarity, weights)
    return found
