"""One batch under a dynamic measure, in NumPy; work on one text alone is done once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fuzzbow.arrays import Floats, Integers, Ragged, row_sums
from fuzzbow.engine.protocol import Bags, DynamicOptions, WordRules, WordTable, own_counts
from fuzzbow.fuzzy import Pooling, Universe, compare, pool, word_similarities


def similarities(table: WordTable, a: Integers, b: Integers, options: DynamicOptions) -> Floats:
    """Similarity of each word of one text with each of another: (k,), (l,) -> (k, l)."""
    first, second = (np.asarray(table.vectors[words], dtype=np.float64) for words in (a, b))
    by_vector = word_similarities(first, second, options.word_similarity)
    if table.rules is None:
        return by_vector
    return _apply_rules(np.minimum(by_vector, 1.0), table.rules, a, b)


def _apply_rules(by_vector: Floats, rules: WordRules, a: Integers, b: Integers) -> Floats:
    """Overwrite the similarities that letters decide: (k, l) -> (k, l)."""
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


class DynamicBatch:
    """A batch with what depends on one text alone computed once, when it is first needed."""

    def __init__(self, table: WordTable, texts: Bags, options: DynamicOptions) -> None:
        self.table = replace(table, vectors=np.asarray(table.vectors, dtype=np.float64))
        self.bags, self.texts, self.options = texts, texts.rows, options
        self._own: dict[int, Floats] = {}

    def score(self, a: int, b: int) -> float:
        """Similarity of two texts of the batch; 0 if either has no words."""
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
        if self.options.universe is Universe.QUERY:
            weigh_b = np.zeros(len(words))

        def total(of_a: Floats, of_b: Floats) -> Floats:
            return row_sums((weigh_a[:, None] * of_a).T) + np.add.reduceat(weigh_b * of_b, starts)

        found = similarity.ratio(
            total(similarity.overlaps(own_a, a_in_b), similarity.overlaps(b_in_a, own_b)),
            total(similarity.extents(own_a), similarity.extents(b_in_a)),
            total(similarity.extents(a_in_b), similarity.extents(own_b)),
        )
        scores[self.texts.lengths[columns] > 0] = found
        return np.minimum(scores, 1.0) if self.options.pooling is Pooling.MAX else scores

    def _pool_segments(self, between: Floats, others: Integers, texts: Ragged) -> Floats:
        """Unite the columns of each text's words: (k, total) -> (k, texts)."""
        pooling, starts = self.options.pooling, texts.offsets[:-1]
        amounts = texts.lengths.astype(np.float64)
        counts = self.bags.take(others).counts
        if counts is not None:
            between = between * counts
            amounts = np.add.reduceat(counts, starts)
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
        return pool(rows, self.options.pooling, own_counts(self.bags, text))
