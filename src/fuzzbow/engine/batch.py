"""One batch under a dynamic measure, in NumPy, block by block.

A block is some row texts and some column texts. Every distinct word of one side is compared
with every distinct word of the other, once; each text then pools the rows of its own words, so
that every word of one side has its membership in every text of the other; and a score is sums
of memberships over the words of two texts. Products of words are exact integers until the last
step and sums run along contiguous rows, so a score has the same bits in any block.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Floats, Integers, Ragged, aligned_products, block_products, blocks
from fuzzbow.engine.letters import aligned_letter_similarities, letter_similarities
from fuzzbow.engine.protocol import DynamicOptions, Matches
from fuzzbow.engine.tables import Batch, WordRules, WordTable
from fuzzbow.fuzzy import JACCARD, Pooling, Universe, compare, pool, word_similarities

BLOCK_WORDS = 4096  # distinct words of one side of a block, unless one text has more
BLOCK_TEXTS = 2048  # texts of one side of a block
CANDIDATE_TEXTS = 64  # row texts whose candidates are scored together
SUM_CELLS = 1 << 20  # memberships in one sum, unless one text has more

Positions = NDArray[np.int64]  # of texts in the batch


def similarities(
    table: WordTable,
    a: Integers,
    b: Integers,
    options: DynamicOptions,
    precision: type[np.floating[Any]] = np.float64,
) -> Floats:
    """Compare each word of one text with each of another: (k,), (l,) -> (k, l).

    In single precision vectors must have unit length.
    """
    first, second = (np.asarray(table.vectors[words], dtype=precision) for words in (a, b))
    if precision is np.float32:
        by_vector = first @ second.T
    else:
        by_vector = word_similarities(first, second, options.word_similarity, block_products)
    if table.rules is None:
        return by_vector
    return _apply_rules(np.minimum(by_vector, 1.0, out=by_vector), table.rules, a, b)


def _apply_rules(by_vector: Floats, rules: WordRules, a: Integers, b: Integers) -> Floats:
    """Overwrite the similarities that letters decide: (k, l) -> (k, l)."""
    rows, columns = np.flatnonzero(rules.unknown[a]), np.flatnonzero(rules.unknown[b])
    if len(rows):
        by_vector[rows] = letter_similarities(rules, a[rows], b)
    if len(columns):
        by_vector[:, columns] = letter_similarities(rules, b[columns], a).T
    by_vector[np.ix_(rules.numbers[a], rules.numbers[b])] = 0.0
    by_vector[a[:, None] == b[None, :]] = 1.0
    return by_vector


def aligned_similarities(
    table: WordTable, a: Integers, b: Integers, options: DynamicOptions
) -> Floats:
    """Compare word a[i] with word b[i], in float64: (n,), (n,) -> (n,)."""
    found = np.empty(len(a))
    for part in blocks(len(a), BLOCK_WORDS):
        first, second = (table.vectors[words[part]] for words in (a, b))
        found[part] = word_similarities(first, second, options.word_similarity, aligned_products)
    rules = table.rules
    if rules is None:
        return found
    np.minimum(found, 1.0, out=found)
    by_letters = np.flatnonzero(rules.unknown[a] | rules.unknown[b])
    found[by_letters] = aligned_letter_similarities(rules, a[by_letters], b[by_letters])
    found[rules.numbers[a] & rules.numbers[b]] = 0.0
    found[a == b] = 1.0
    return found


class DynamicBatch:
    """Batch that computes the memberships of a text's words in itself once, when first needed."""

    def __init__(
        self,
        batch: Batch,
        options: DynamicOptions,
        own: dict[int, Floats] | None = None,
        precision: type[np.floating[Any]] = np.float64,
    ) -> None:
        table, texts = batch.table, batch.texts
        weights = None if table.weights is None else np.asarray(table.weights, dtype=precision)
        vectors = np.asarray(table.vectors, dtype=precision)
        self.table = replace(table, vectors=vectors, weights=weights)
        self.precision = precision
        self.bags, self.texts, self.options = texts, texts.rows, options
        self._own = {} if own is None else own

    def score(self, a: int, b: int) -> float:
        """Compare two texts of the batch; 0 if either has no words."""
        A, B = self.texts[a], self.texts[b]
        if len(A) == 0 or len(B) == 0:
            return 0.0
        between = similarities(self.table, A, B, self.options)
        words, in_a, in_b = A, self.own(a), self._pool(between.T, b)
        if self.options.universe is Universe.DYNAMIC:  # B's words are elements too
            words = np.concatenate([A, B])
            in_a = np.concatenate([in_a, self._pool(between, a)])
            in_b = np.concatenate([in_b, self.own(b)])
        weights = self.table.weights
        weigh = None if weights is None else weights[words]
        score = float(compare(in_a, in_b, self.options.similarity, weigh))
        return min(score, 1.0) if self.options.pooling is Pooling.MAX else score

    def blocks(self, texts: Integers) -> Iterator[slice]:
        """Yield slices of the texts with a bounded number of distinct words each."""
        rows = self.texts.take(texts)
        previous = _previous_positions(rows.values)
        start = 0
        while start < len(rows):
            offsets = rows.offsets[start : start + BLOCK_TEXTS + 1]
            first = previous[offsets[0] : offsets[-1]] < offsets[0]  # in this block
            distinct = np.concatenate([[0], np.cumsum(first)])[offsets[1:] - offsets[0]]
            stop = start + max(int(np.searchsorted(distinct, BLOCK_WORDS, side="right")), 1)
            yield slice(start, stop)
            start = stop

    def matrix(self, rows: Integers, columns: Integers) -> Floats:
        """Compare every row text with every column text: (n,), (m,) -> (n, m)."""
        scores = np.zeros((len(rows), len(columns)))
        across = list(self.blocks(columns))
        for down in self.blocks(rows):
            for part in across:
                scores[down, part] = self.block(rows[down], columns[part])
        return scores

    def block(self, rows: Integers, columns: Integers) -> Floats:
        """Compare every row text with every column text in one block: (n,), (m,) -> (n, m)."""
        down, across = self.texts.take(rows), self.texts.take(columns)
        row_words, row_places = np.unique(down.values, return_inverse=True)
        column_words, column_places = np.unique(across.values, return_inverse=True)
        between = similarities(self.table, row_words, column_words, self.options, self.precision)
        in_rows = self._pool_texts(between, rows, row_places)  # (n, column words)
        itself = np.array_equal(rows, columns)  # all is symmetric
        if itself:
            in_columns = in_rows
        else:
            turned = np.ascontiguousarray(between.T)
            in_columns = self._pool_texts(turned, columns, column_places)  # (m, row words)
        of_rows = self._side(rows, row_places, in_columns)
        sizes, overlaps, extents = of_rows[0][:, None], of_rows[1].T, of_rows[2].T
        if self.options.universe is Universe.DYNAMIC:
            of_columns = of_rows if itself else self._side(columns, column_places, in_rows)
            overlaps = overlaps + of_columns[1]
            sizes = sizes + of_columns[2]
            extents = extents + of_columns[0]
        scores = self.options.similarity.ratio(overlaps, sizes, extents)
        scores[down.lengths == 0] = 0.0
        scores[:, across.lengths == 0] = 0.0
        return np.minimum(scores, 1.0) if self.options.pooling is Pooling.MAX else scores

    def _pool_texts(self, similar: Floats, texts: Integers, places: Integers) -> Floats:
        """Pool the rows of each text's words, at `places` of the rows: (k, u) -> (texts, u)."""
        lengths = self.texts.lengths[texts]
        pooled = np.empty((len(texts), similar.shape[1]), dtype=self.precision)
        for i, words in enumerate(Ragged.from_lengths(places, lengths)):
            pooled[i] = self._pool(similar[words], int(texts[i]))
        return pooled

    def _side(
        self, texts: Integers, places: Integers, inside: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Sum over the words of each text, whose memberships are columns of `inside`, (m, u).

        Return sizes of the texts, (n,), overlaps with the others, (m, n), and the sizes of the
        others over the words of each text, (m, n).
        """
        sums = np.zeros((2, len(inside), len(texts)), dtype=self.precision)
        sizes = np.zeros(len(texts))
        lengths = self.texts.lengths[texts]
        ends = np.cumsum(lengths)
        held = np.flatnonzero(lengths)  # a text without words keeps its zeros
        similarity, weights = self.options.similarity, self.table.weights
        while len(held):
            first = ends[held[0]] - lengths[held[0]]
            fitting = ends[held] - first <= SUM_CELLS // max(len(inside), 1)
            some, held = np.split(held, [max(int(fitting.sum()), 1)])
            starts = ends[some] - lengths[some] - first
            words = np.concatenate([self.texts[text] for text in texts[some].tolist()])
            weigh = np.ones(len(words), self.precision) if weights is None else weights[words]
            own = np.concatenate([self.own(text) for text in texts[some].tolist()])
            other = np.take(inside, places[first : ends[some[-1]]], axis=1)
            sizes[some] = np.add.reduceat(similarity.extents(own) * weigh, starts)
            for kind, added in enumerate(
                [similarity.overlaps(own, other), similarity.extents(other)]
            ):
                sums[kind][:, some] = np.add.reduceat(added * weigh, starts, axis=1)
        return sizes, sums[0], sums[1]

    def above(self, rows: Positions, columns: Positions, threshold: float) -> Matches:
        """Find pairs i < j that score at least the threshold: row text i, column text j."""
        if not self._has_candidates:
            scores = self.block(rows, columns)
            i, j = np.nonzero((scores >= threshold) & (rows[:, None] < columns))
            return Matches(rows[i], columns[j], scores[i, j])
        rough = self._in_single_precision.block(rows, columns)
        rough[rows[:, None] >= columns] = -1.0
        near = rough >= threshold - self._margin(rows, columns)
        none = np.empty(0, dtype=np.int64)
        found: list[tuple[Positions, Positions, Floats]] = [(none, none, np.empty(0))]
        held = np.flatnonzero(near.any(axis=1))
        for part in blocks(len(held), CANDIDATE_TEXTS):
            down, across = held[part], np.flatnonzero(near[held[part]].any(axis=0))
            for some in self.blocks(columns[across]):
                scores = self.block(rows[down], columns[across[some]])
                i, j = np.nonzero((scores >= threshold) & near[np.ix_(down, across[some])])
                found.append((rows[down[i]], columns[across[some][j]], scores[i, j]))
        left, right, found_scores = map(np.concatenate, zip(*found, strict=True))
        return Matches(left, right, found_scores)

    @property
    def _has_candidates(self) -> bool:
        """True if scores in single precision are off by at most `_margin`."""
        options = self.options
        jaccard = options.similarity == JACCARD and options.universe is Universe.DYNAMIC
        return jaccard and self._words_are_whole and self.precision is np.float64

    def _margin(self, rows: Integers, columns: Integers) -> float:
        """Return a bound of the rounding errors of single precision.

        Each word has membership 1 in its own text, so the union of two texts is the weight of
        their words. The error of a score is at most those of products of unit vectors and of
        sums over words, relative to this weight.
        """
        lengths = self.texts.lengths
        longest = lengths[rows].max(initial=0) + lengths[columns].max(initial=0)
        return float(4 * np.finfo(np.float32).eps * (self.table.vectors.shape[1] + longest + 8))

    @cached_property
    def _in_single_precision(self) -> DynamicBatch:
        return DynamicBatch(Batch(self.table, self.bags), self.options, precision=np.float32)

    def own(self, text: int) -> Floats:
        """Return the membership of a text's own words in it: (k,)."""
        if text not in self._own:
            words = self.texts[text]
            if self._words_are_whole:
                return np.ones(len(words), dtype=self.precision)
            self._own[text] = self._pool(similarities(self.table, words, words, self.options), text)
        return self._own[text]

    @property
    def _words_are_whole(self) -> bool:
        """True if a word's membership in its own text is always 1, its maximum."""
        counted = self.bags.counts is not None
        return self.table.rules is not None and self.options.pooling is Pooling.MAX and not counted

    def _pool(self, rows: Floats, text: int) -> Floats:
        """Pool the rows of a text's words: (k, u) -> (u,)."""
        return pool(rows, self.options.pooling, self.bags.counts_of(text))


def _previous_positions(values: Integers) -> Integers:
    """Find the position of the previous equal value, -1 for the first: (n,) -> (n,)."""
    order = np.argsort(values, kind="stable")
    again = np.flatnonzero(values[order][1:] == values[order][:-1])
    previous = np.full(len(values), -1, dtype=np.int64)
    previous[order[again + 1]] = order[again]
    return previous
