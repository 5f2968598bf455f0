"""The score of pairs under a table, and its gradient, in NumPy.

With unit vectors a word's membership in its own text is 1, so with m the best clipped cosine of
a word in the other text and W the weight of all words of both,

    J(A, B) = (Σ_{u∈A} w_u·m_u + Σ_{v∈B} w_v·m_v) / W.

The gradient by the vectors is a sparse word × word matrix times the table: the entry (u, v*),
v* the best partner of u, has w_u/W·dL/dJ, and the matrix is symmetrised. By log w_u it is
w_u·(m_u - J)/W·dL/dJ. Equal words have similarity 1, different numbers and unknown words 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Booleans, Floats, Integers, Ragged

CELLS = 1 << 20  # similarities of words held at once


@dataclass(frozen=True, eq=False)
class Words:
    """What compares words: unit vectors, weights, and which are numbers.

    The last row stands for all words without a vector: zeros, weight 1.
    """

    vectors: Floats  # (m + 1, d)
    weights: Floats  # (m + 1,)
    numbers: Booleans  # (m + 1,)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of texts of about equal sizes, side by side: -1 and -2 stand for no word."""

    places: NDArray[np.int64]  # (p,) which pairs these are
    lefts: NDArray[np.int64]  # (p, k) word ids
    rights: NDArray[np.int64]  # (p, l)


def groups(longest: Integers, cells: int) -> Iterator[NDArray[np.int64]]:
    """Places of pairs, whose longer text has (n,) words, in groups of about equal sizes.

    A group has no more than `cells` pairs of words, so that little room is needed or lost.
    """
    order = np.argsort(longest, kind="stable")
    start = 0
    while start < len(order):
        ahead = longest[order[start : start + cells]].astype(np.int64)
        fitting = np.flatnonzero(ahead * ahead * np.arange(1, len(ahead) + 1) <= cells)
        stop = start + (int(fitting[-1]) + 1 if len(fitting) else 1)
        yield order[start:stop]
        start = stop


def grouped(rows: Ragged, lefts: Integers, rights: Integers) -> Iterator[Pairs]:
    """The words of pairs, some pairs at a time."""
    sizes = rows.lengths
    for places in groups(np.maximum(sizes[lefts], sizes[rights]), CELLS):
        yield Pairs(places, _side(rows, lefts[places], -1), _side(rows, rights[places], -2))


def _side(rows: Ragged, texts: Integers, nothing: int) -> NDArray[np.int64]:
    lengths = rows.lengths[texts]
    across = np.arange(int(lengths.max(initial=1)))
    inside = across < lengths[:, None]
    positions = np.where(inside, rows.offsets[:-1][texts][:, None] + across, 0)
    # unsigned ids would turn `nothing` into a word
    return np.where(inside, rows.values[positions].astype(np.int64), nothing)


@dataclass
class Gradient:
    """Sums of what pairs say about words."""

    rows: list[NDArray[np.int64]]
    columns: list[NDArray[np.int64]]
    entries: list[Floats]
    log_weights: Floats  # (m + 1,)

    @classmethod
    def empty(cls, words: Words) -> Gradient:
        """Nothing said yet."""
        return cls([], [], [], np.zeros(len(words.weights), dtype=np.float64))

    def vectors(self, words: Words) -> Floats:
        """dL/dx of the unit vectors, along the sphere: (m + 1, d)."""
        from scipy.sparse import coo_matrix

        size = len(words.weights)
        cells = (np.concatenate(self.rows), np.concatenate(self.columns))
        said = coo_matrix((np.concatenate(self.entries), cells), shape=(size, size)).tocsr()
        found = (said + said.T) @ words.vectors
        along = np.einsum("ij,ij->i", found, words.vectors)
        return np.asarray(found - along[:, None] * words.vectors)


def scores(words: Words, rows: Ragged, lefts: Integers, rights: Integers) -> Floats:
    """J of each pair: (n,), (n,) -> (n,)."""
    found = np.zeros(len(lefts), dtype=words.vectors.dtype)
    for pairs in grouped(rows, lefts, rights):
        found[pairs.places] = _Match(words, pairs).score
    return found


def loss_and_gradient(
    words: Words, rows: Ragged, lefts: Integers, rights: Integers, targets: Floats
) -> tuple[float, Gradient]:
    """Mean squared error of the scores, and what it says about words."""
    gradient = Gradient.empty(words)
    total, count = 0.0, len(lefts)
    for pairs in grouped(rows, lefts, rights):
        match = _Match(words, pairs)
        error = match.score - targets[pairs.places]
        total += float(error @ error)
        match.add_to(gradient, 2.0 * error / count)
    return total / count, gradient


class _Match:
    """How the words of some pairs match."""

    def __init__(self, words: Words, pairs: Pairs) -> None:
        self.words = words
        last = len(words.weights) - 1
        self.a, self.b = (np.where(side < 0, last, np.minimum(side, last)) for side in
                          (pairs.lefts, pairs.rights))  # fmt: skip
        table = words.vectors
        similar = np.matmul(table[self.a], table[self.b].transpose(0, 2, 1))
        numbers = words.numbers[self.a][:, :, None] & words.numbers[self.b][:, None, :]
        similar[numbers] = 0.0
        equal = pairs.lefts[:, :, None] == pairs.rights[:, None, :]
        similar[equal] = 1.0
        self.best_a, self.best_b = similar.argmax(axis=2), similar.argmax(axis=1)
        self.m_a, self.m_b = (
            np.maximum(np.take_along_axis(similar, best, axis).squeeze(axis), 0.0)
            for best, axis in ((self.best_a[:, :, None], 2), (self.best_b[:, None, :], 1))
        )
        self.w_a = np.where(pairs.lefts < 0, 0.0, words.weights[self.a]).astype(table.dtype)
        self.w_b = np.where(pairs.rights < 0, 0.0, words.weights[self.b]).astype(table.dtype)
        self.whole = self.w_a.sum(axis=1) + self.w_b.sum(axis=1)
        common = (self.w_a * self.m_a).sum(axis=1) + (self.w_b * self.m_b).sum(axis=1)
        self.score = common / self.whole

    def add_to(self, gradient: Gradient, slope: Floats) -> None:
        """Add dL/dJ of each pair, `slope`, handed on to words."""
        share = (slope / self.whole)[:, None]
        sides: tuple[tuple[Any, ...], ...] = (
            (self.a, self.b, self.best_a, self.m_a, self.w_a),
            (self.b, self.a, self.best_b, self.m_b, self.w_b),
        )
        for own, other, best, m, w in sides:
            partner = np.take_along_axis(other, best, axis=1)
            moved = (m > 0.0) & (w > 0.0) & (partner != own)
            gradient.rows.append(own[moved])
            gradient.columns.append(partner[moved])
            gradient.entries.append((w * share)[moved])
            change = (w * (m - self.score[:, None]) * share).ravel()
            gradient.log_weights += np.bincount(
                own.ravel(), change, minlength=len(gradient.log_weights)
            )
