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

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Booleans, Floats, Integers, Ragged

CELLS = 1 << 20  # similarities of words in memory
Ids = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TrainedWords:
    """Unit vectors and weights of words, with a mark of those that are numbers.

    The last row represents all words without a vector: zeros, weight 1.
    """

    vectors: Floats  # (m + 1, d)
    weights: Floats  # (m + 1,)
    numbers: Booleans  # (m + 1,)


def groups(longest: Integers, cells: int) -> Iterator[Ids]:
    """Group pairs by the length of their longer text, (n,); yield the positions of each group.

    A group has no more than `cells` pairs of words, so that little memory is needed or wasted.
    """
    order = np.argsort(longest, kind="stable")
    start = 0
    while start < len(order):
        ahead = longest[order[start : start + cells]].astype(np.int64)
        fitting = np.flatnonzero(ahead * ahead * np.arange(1, len(ahead) + 1) <= cells)
        stop = start + (int(fitting[-1]) + 1 if len(fitting) else 1)
        yield order[start:stop]
        start = stop


def _matches(
    words: TrainedWords, rows: Ragged, lefts: Integers, rights: Integers
) -> Iterator[tuple[Ids, _Match]]:
    """Yield pairs in groups: their positions, and the matches of their words."""
    sizes = rows.lengths
    for positions in groups(np.maximum(sizes[lefts], sizes[rights]), CELLS):
        sides = (_side(rows, lefts[positions], -1), _side(rows, rights[positions], -2))
        yield positions, _Match(words, *sides)


def _side(rows: Ragged, texts: Integers, nothing: int) -> Ids:
    """Return word ids of texts as a matrix, padded with `nothing`."""
    lengths = rows.lengths[texts]
    across = np.arange(int(lengths.max(initial=1)))
    inside = across < lengths[:, None]
    positions = np.where(inside, rows.offsets[:-1][texts][:, None] + across, 0)
    # unsigned ids would turn `nothing` into a word
    return np.where(inside, rows.values[positions].astype(np.int64), nothing)


class Gradient:
    """Gradient summed over pairs: by vectors, in sparse entries, and by log-weights."""

    def __init__(self, words: TrainedWords) -> None:
        self.words = words
        self.rows: list[Ids] = []
        self.columns: list[Ids] = []
        self.entries: list[Floats] = []
        self.log_weights: Floats = np.zeros(len(words.weights))  # (m + 1,)

    @property
    def vectors(self) -> Floats:
        """dL/dx of the unit vectors, along the sphere: (m + 1, d)."""
        from scipy.sparse import coo_matrix

        words, size = self.words, len(self.words.weights)
        cells = (np.concatenate(self.rows), np.concatenate(self.columns))
        summed = coo_matrix((np.concatenate(self.entries), cells), shape=(size, size)).tocsr()
        found = (summed + summed.T) @ words.vectors
        along = np.einsum("ij,ij->i", found, words.vectors)
        return np.asarray(found - along[:, None] * words.vectors)


def scores(words: TrainedWords, rows: Ragged, lefts: Integers, rights: Integers) -> Floats:
    """Score each pair: (n,), (n,) -> (n,)."""
    found = np.zeros(len(lefts), dtype=words.vectors.dtype)
    for positions, match in _matches(words, rows, lefts, rights):
        found[positions] = match.score
    return found


def loss_and_gradient(
    words: TrainedWords, rows: Ragged, lefts: Integers, rights: Integers, targets: Floats
) -> tuple[float, Gradient]:
    """Compute the mean squared error of the scores, and its gradient."""
    gradient = Gradient(words)
    total, count = 0.0, len(lefts)
    for positions, match in _matches(words, rows, lefts, rights):
        error = match.score - targets[positions]
        total += float(error @ error)
        match.add_to(gradient, 2.0 * error / count)
    return total / count, gradient


class _Match:
    """Best partners of the words of some pairs: ids (p, k), (p, l), -1 and -2 for no word."""

    def __init__(self, words: TrainedWords, lefts: Ids, rights: Ids) -> None:
        table, last = words.vectors, len(words.weights) - 1
        self.a, self.b = (
            np.where(side < 0, last, np.minimum(side, last)) for side in (lefts, rights)
        )
        similar = np.matmul(table[self.a], table[self.b].transpose(0, 2, 1))
        numbers = words.numbers[self.a][:, :, None] & words.numbers[self.b][:, None, :]
        similar[numbers] = 0.0
        similar[lefts[:, :, None] == rights[:, None, :]] = 1.0
        self.best_a, self.best_b = similar.argmax(axis=2), similar.argmax(axis=1)
        self.m_a, self.m_b = (
            np.maximum(np.take_along_axis(similar, best, axis).squeeze(axis), 0.0)
            for best, axis in ((self.best_a[:, :, None], 2), (self.best_b[:, None, :], 1))
        )
        self.w_a = np.where(lefts < 0, 0.0, words.weights[self.a]).astype(table.dtype)
        self.w_b = np.where(rights < 0, 0.0, words.weights[self.b]).astype(table.dtype)
        self.whole = self.w_a.sum(axis=1) + self.w_b.sum(axis=1)
        common = (self.w_a * self.m_a).sum(axis=1) + (self.w_b * self.m_b).sum(axis=1)
        self.score = common / self.whole

    def add_to(self, gradient: Gradient, slope: Floats) -> None:
        """Add the gradient of these pairs from dL/dJ of each, `slope`."""
        share = (slope / self.whole)[:, None]
        for own, other, best, m, w in (
            (self.a, self.b, self.best_a, self.m_a, self.w_a),
            (self.b, self.a, self.best_b, self.m_b, self.w_b),
        ):
            partner = np.take_along_axis(other, best, axis=1)
            moved = (m > 0.0) & (w > 0.0) & (partner != own)
            gradient.rows.append(own[moved])
            gradient.columns.append(partner[moved])
            gradient.entries.append((w * share)[moved])
            change = (w * (m - self.score[:, None]) * share).ravel()
            gradient.log_weights += np.bincount(
                own.ravel(), change, minlength=len(gradient.log_weights)
            )
