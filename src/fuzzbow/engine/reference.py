"""The engine in plain NumPy, float64: exact to the definition, and the measure of the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fuzzbow.arrays import Floats, Integers, Ragged, blocks
from fuzzbow.engine.protocol import DynamicOptions, WordRules, WordTable
from fuzzbow.fuzzy import (
    Pooling,
    SetSimilarity,
    compare,
    extents,
    overlaps,
    pool,
    ratio,
    word_similarities,
)

ROW_BLOCK = 64  # membership rows compared with one at once
COLUMN_BLOCK = 4096  # texts compared with one at once


def similarities(table: WordTable, a: Integers, b: Integers, options: DynamicOptions) -> Floats:
    """Similarity of each word of one text with each of another: (k,), (l,) -> (k, l)."""
    by_vector = word_similarities(table.vectors[a], table.vectors[b], options.word_similarity)
    if table.rules is None:
        return by_vector
    return _apply_rules(np.minimum(by_vector, 1.0), table.rules, a, b)


def _apply_rules(by_vector: Floats, rules: WordRules, a: Integers, b: Integers) -> Floats:
    """Overwrite the cells that letters decide: (k, l) -> (k, l)."""
    for row in np.flatnonzero(rules.unknown[a]):
        by_vector[row] = _dice(rules.trigrams[a[row]], rules.trigrams.take(b))
    for column in np.flatnonzero(rules.unknown[b]):
        by_vector[:, column] = _dice(rules.trigrams[b[column]], rules.trigrams.take(a))
    by_vector[rules.numbers[a][:, None] & rules.numbers[b][None, :]] = 0.0
    by_vector[a[:, None] == b[None, :]] = 1.0
    return by_vector


def _dice(trigrams: Integers, others: Ragged) -> Floats:
    """Dice coefficient of one word's trigrams with those of others: (t,), rows -> (rows,)."""
    shared_before = np.concatenate([[0], np.cumsum(np.isin(others.values, trigrams))])
    shared = np.diff(shared_before[others.offsets])
    return np.asarray(2 * shared / np.maximum(len(trigrams) + others.lengths, 1))


@dataclass(frozen=True)
class ReferenceEngine:
    """Loops over pairs and calls the formulas of `fuzzbow.fuzzy`."""

    name: str = "reference"

    def dynamic_pairs(
        self,
        table: WordTable,
        texts: Ragged,
        left: Integers,
        right: Integers,
        options: DynamicOptions,
        counts: Floats | None = None,
    ) -> Floats:
        """Text left[i] with text right[i]: (n,), (n,) -> (n,)."""
        batch = _DynamicBatch(table, texts, options, counts)
        pairs = zip(left.tolist(), right.tolist(), strict=True)
        return np.array([batch.score(a, b) for a, b in pairs], dtype=np.float64)

    def dynamic_matrix(
        self,
        table: WordTable,
        texts: Ragged,
        rows: Integers,
        columns: Integers,
        options: DynamicOptions,
        counts: Floats | None = None,
    ) -> Floats:
        """Every row text with every column text: (n,), (m,) -> (n, m)."""
        batch = _DynamicBatch(table, texts, options, counts)
        scores = np.zeros((len(rows), len(columns)))
        for place, row in enumerate(rows.tolist()):
            for part in blocks(len(columns), COLUMN_BLOCK):
                scores[place, part] = batch.row(row, columns[part])
        return scores

    def memberships(
        self, word_rows: Floats, texts: Ragged, pooling: Pooling, counts: Floats | None = None
    ) -> Floats:
        """Pooled rows of each text's words: (m, u), texts -> (texts, u)."""
        pooled = np.zeros((len(texts), word_rows.shape[1]))
        for place, words in enumerate(texts):
            part = slice(texts.offsets[place], texts.offsets[place + 1])
            own = None if counts is None else counts[part]
            pooled[place] = pool(word_rows[words], pooling, own)
        return pooled

    def row_pairs(
        self, left: Floats, right: Floats, similarity: SetSimilarity, weights: Floats | None = None
    ) -> Floats:
        """Membership row i with row i: (n, u), (n, u) -> (n,)."""
        return compare(left, right, similarity, weights)

    def row_matrix(
        self,
        rows: Floats,
        columns: Floats,
        similarity: SetSimilarity,
        weights: Floats | None = None,
    ) -> Floats:
        """Every membership row with every other: (n, u), (m, u) -> (n, m)."""
        scores = np.zeros((len(rows), len(columns)))
        for place, row in enumerate(rows):
            for part in blocks(len(columns), ROW_BLOCK):
                scores[place, part] = compare(row, columns[part], similarity, weights)
        return scores


class _DynamicBatch:
    """A batch with what depends on one text alone computed once, when it is first needed."""

    def __init__(
        self, table: WordTable, texts: Ragged, options: DynamicOptions, counts: Floats | None
    ) -> None:
        self.table, self.texts, self.options, self.counts = table, texts, options, counts
        self._own: dict[int, Floats] = {}

    def score(self, a: int, b: int) -> float:
        """Similarity of two texts of the batch; 0 if either has no words."""
        A, B = self.texts[a], self.texts[b]
        if len(A) == 0 or len(B) == 0:
            return 0.0
        between = similarities(self.table, A, B, self.options)
        in_a = np.concatenate([self.own(a), self._pool(between, a)])
        in_b = np.concatenate([self._pool(between.T, b), self.own(b)])
        weights = self.table.weights
        weigh = None if weights is None else weights[np.concatenate([A, B])]
        score = float(compare(in_a, in_b, self.options.similarity, weigh))
        return min(score, 1.0) if self.options.pooling is Pooling.MAX else score

    def row(self, a: int, columns: Integers) -> Floats:
        """Similarity of one text with others of the batch, all at once: (m,) -> (m,)."""
        A, weights, similarity = self.texts[a], self.table.weights, self.options.similarity
        others = columns[self.texts.lengths[columns] > 0]
        scores = np.zeros(len(columns))
        if len(A) == 0 or len(others) == 0:
            return scores
        texts = self.texts.take(others)
        starts, words = texts.offsets[:-1], texts.values
        distinct, place = np.unique(words, return_inverse=True)
        between = similarities(self.table, A, distinct, self.options)[:, place]  # (k, total)
        own_b = np.concatenate([self.own(b) for b in others.tolist()])  # (total,)
        a_in_b = self._pool_segments(between, others, texts)  # (k, m)
        b_in_a = self._pool(between, a)  # (total,)
        own_a = self.own(a)[:, None]  # (k, 1)
        weigh_a = np.ones(len(A)) if weights is None else weights[A]
        weigh_b = np.ones(len(words)) if weights is None else weights[words]

        def total(of_a: Floats, of_b: Floats) -> Floats:
            return weigh_a @ of_a + np.add.reduceat(weigh_b * of_b, starts)

        found = ratio(
            total(overlaps(own_a, a_in_b, similarity), overlaps(b_in_a, own_b, similarity)),
            total(extents(own_a, similarity), extents(b_in_a, similarity)),
            total(extents(a_in_b, similarity), extents(own_b, similarity)),
            similarity,
        )
        scores[self.texts.lengths[columns] > 0] = found
        return np.minimum(scores, 1.0) if self.options.pooling is Pooling.MAX else scores

    def _pool_segments(self, between: Floats, others: Integers, texts: Ragged) -> Floats:
        """Unite the columns of each text's words: (k, total) -> (k, texts)."""
        pooling, starts = self.options.pooling, texts.offsets[:-1]
        amounts = texts.lengths.astype(np.float64)
        if self.counts is not None:
            positions = Ragged(np.arange(len(self.counts)), self.texts.offsets).take(others)
            between = between * self.counts[positions.values]
            amounts = np.add.reduceat(self.counts[positions.values], starts)
        if pooling is Pooling.MAX:
            return np.maximum(np.maximum.reduceat(between, starts, axis=1), 0.0)
        if pooling is Pooling.MIN:
            return np.asarray(np.minimum.reduceat(between, starts, axis=1))
        sums = np.add.reduceat(between, starts, axis=1)
        return np.asarray(sums if pooling is Pooling.SUM else sums / amounts)

    def own(self, text: int) -> Floats:
        """Membership of a text's own words in it: (k,)."""
        if text not in self._own:
            words = self.texts[text]
            self._own[text] = self._pool(similarities(self.table, words, words, self.options), text)
        return self._own[text]

    def _pool(self, rows: Floats, text: int) -> Floats:
        """Unite the rows of a text's words: (k, u) -> (u,)."""
        part = slice(self.texts.offsets[text], self.texts.offsets[text + 1])
        own = None if self.counts is None else self.counts[part]
        return pool(rows, self.options.pooling, own)
