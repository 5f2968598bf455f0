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
) -> Iterator[tuple[Ids, Floats, Floats, list[tuple[Ids, Ids, Floats, Floats]]]]:
    """Yield pairs in groups: positions, scores, weights of all words of a pair, and both sides.

    A side has the words of p texts, (p, k), the best partner of each, m and w.
    """
    table, last, sizes = words.vectors, len(words.weights) - 1, rows.lengths
    for positions in groups(np.maximum(sizes[lefts], sizes[rights]), CELLS):
        left, right = padded(rows, lefts[positions], -1), padded(rows, rights[positions], -2)
        a, b = (np.where(side < 0, last, np.minimum(side, last)) for side in (left, right))
        similar = np.matmul(table[a], table[b].transpose(0, 2, 1))
        similar[words.numbers[a][:, :, None] & words.numbers[b][:, None, :]] = 0.0
        similar[left[:, :, None] == right[:, None, :]] = 1.0
        sides = []
        for ids, own, other, axis in ((left, a, b, 2), (right, b, a, 1)):
            best = similar.argmax(axis=axis, keepdims=True)
            m = np.maximum(np.take_along_axis(similar, best, axis).squeeze(axis), 0.0)
            w = np.where(ids < 0, 0.0, words.weights[own]).astype(table.dtype)
            sides.append((own, np.take_along_axis(other, best.squeeze(axis), axis=1), m, w))
        whole, common = (
            np.add(*(part.sum(axis=1) for part in parts))
            for parts in ([w for *_, w in sides], [w * m for *_, m, w in sides])
        )
        yield positions, common / whole, whole, sides


def padded(rows: Ragged, texts: Integers, nothing: int) -> Ids:
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
        self.cells: list[tuple[Ids, Ids, Floats]] = []  # rows, columns, entries
        self.log_weights: Floats = np.zeros(len(words.weights))  # (m + 1,)

    @property
    def vectors(self) -> Floats:
        """dL/dx of the unit vectors, along the sphere: (m + 1, d)."""
        from scipy.sparse import coo_matrix

        words, size = self.words, len(self.words.weights)
        rows, columns, entries = map(np.concatenate, zip(*self.cells, strict=True))
        summed = coo_matrix((entries, (rows, columns)), shape=(size, size)).tocsr()
        found = (summed + summed.T) @ words.vectors
        along = np.einsum("ij,ij->i", found, words.vectors)
        return np.asarray(found - along[:, None] * words.vectors)


def scores(words: TrainedWords, rows: Ragged, lefts: Integers, rights: Integers) -> Floats:
    """Score each pair: (n,), (n,) -> (n,)."""
    found = np.zeros(len(lefts), dtype=words.vectors.dtype)
    for positions, score, _, _ in _matches(words, rows, lefts, rights):
        found[positions] = score
    return found


def loss_and_gradient(
    words: TrainedWords, rows: Ragged, lefts: Integers, rights: Integers, targets: Floats
) -> tuple[float, Gradient]:
    """Compute the mean squared error of the scores, and its gradient."""
    gradient = Gradient(words)
    total, count = 0.0, len(lefts)
    for positions, score, whole, sides in _matches(words, rows, lefts, rights):
        error = score - targets[positions]
        total += float(error @ error)
        share = (2.0 * error / count / whole)[:, None]
        for own, partner, m, w in sides:
            moved = (m > 0.0) & (w > 0.0) & (partner != own)
            gradient.cells.append((own[moved], partner[moved], (w * share)[moved]))
            change = (w * (m - score[:, None]) * share).ravel()
            gradient.log_weights += np.bincount(own.ravel(), change, minlength=len(words.weights))
    return total / count, gradient
