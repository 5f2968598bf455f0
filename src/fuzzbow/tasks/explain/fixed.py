"""Explanations over a fixed universe: every dimension is owned by one word of each text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fuzzbow.arrays import Floats, Integers
from fuzzbow.engine.batch import own_counts
from fuzzbow.fuzzy import compare, word_similarities
from fuzzbow.measures import Texts
from fuzzbow.measures.counting import count_words
from fuzzbow.measures.fixed import FixedMeasure
from fuzzbow.measures.space import known_rows
from fuzzbow.tasks.explain.shares import Shares, split_score
from fuzzbow.tasks.explain.words import Parts, places_of


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
        return np.bincount(self.owner[owned], weights=values[owned], minlength=len(self.rows))

    @property
    def owned(self) -> Integers:
        """How many dimensions each word owns: (k,)."""
        return np.bincount(self.owner[self.owner >= 0], minlength=len(self.rows))


def fixed_parts(
    measure: FixedMeasure, texts: Texts, left: int, right: int
) -> tuple[Shares, Parts, Parts, Pooled, Pooled]:
    """The shares of all dimensions, the parts of both texts, and who owns what.

    A dimension's part of the intersection goes in halves to its two owners; what either
    text has beyond it goes to that text's owner.
    """
    a, b = pooled_texts(measure, texts, (left, right))
    weights = np.ones(len(a.membership)) if measure.weights is None else measure.weights
    shares = split_score(a.membership, b.membership, weights, measure.similarity)
    together = _together(a, b, shares.intersection)

    def parts(own: Pooled, other: Pooled, size: Floats, with_other: Floats) -> Parts:
        half = own.sums(shares.intersection) / 2
        best = _best(with_other)
        alone = np.maximum(own.rows, 0.0), np.maximum(other.rows, 0.0)
        similarity = np.zeros(len(best))
        for row in np.flatnonzero(best >= 0).tolist():
            similarity[row] = compare(
                alone[0][row], alone[1][best[row]], measure.similarity, weights
            )
        return Parts(
            own.places,
            np.where(best >= 0, other.places[best], -1) if len(other.places) else best,
            similarity,
            half,
            own.sums(size) - half,
            shares.of_score(half),
            dimensions=own.owned,
        )

    return (
        shares,
        parts(a, b, shares.left_size, together),
        parts(b, a, shares.right_size, together.T),
        a,
        b,
    )


def pooled_texts(measure: FixedMeasure, texts: Texts, which: tuple[int, int]) -> list[Pooled]:
    """Texts of the batch, max-pooled over the universe."""
    vectors, known = measure.space.word_vectors(texts)
    word_rows = word_similarities(vectors, measure.universe, measure.word_similarity)
    bags = count_words(known_rows(texts, known), measure.counting)
    found = []
    for text in which:
        rows, counts = word_rows[bags.rows[text]], own_counts(bags, text)
        rows = rows if counts is None else rows * counts[:, None]
        membership = rows.max(axis=0, initial=0.0)
        owner = rows.argmax(axis=0) if len(rows) else np.zeros(len(membership), dtype=np.int64)
        places = places_of(texts.rows[text], bags.rows[text])
        found.append(Pooled(places, rows, membership, np.where(membership > 0, owner, -1)))
    return found


def _together(a: Pooled, b: Pooled, intersection: Floats) -> Floats:
    """What each word of one text shares with each of the other: (u,) -> (k, l)."""
    shape = len(a.rows), len(b.rows)
    both = (a.owner >= 0) & (b.owner >= 0)
    cells = a.owner[both] * shape[1] + b.owner[both]
    found = np.bincount(cells, weights=intersection[both], minlength=shape[0] * shape[1])
    return found.reshape(shape)


def _best(together: Floats) -> Integers:
    """The column with which each row has most in common, -1 for nothing: (k, l) -> (k,)."""
    if together.shape[1] == 0:
        return np.full(len(together), -1)
    return np.where(together.max(axis=1) > 0, together.argmax(axis=1), -1)
