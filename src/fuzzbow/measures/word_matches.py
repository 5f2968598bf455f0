"""Best match of each word of a text in another text, for many pairs of texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from fuzzbow.arrays import Floats, Integers, Ragged
from fuzzbow.engine import Bags, Batch, DynamicOptions, Engine, WordTable
from fuzzbow.fuzzy import WordSimilarity

NO_MATCH = -1

Scores = Callable[[Integers, Integers], Floats]  # text left[i] with right[i]: (n,), (n,) -> (n,)


@dataclass(frozen=True)
class BestMatches:
    """Best matches, a row per pair of texts: words of one, and their matches in the other."""

    words: Ragged  # ids, in the order of the text, each once
    matches: Integers  # (values,) ids; -1 where nothing in the other text is similar
    similarities: Floats  # (values,)


@dataclass(frozen=True)
class WordMatches:
    """Words of texts as a measure compares them, and the best match of each."""

    engine: Engine
    table: WordTable
    bags: Bags  # the words that take part
    options: DynamicOptions
    scores: Scores  # of texts of the batch, the very numbers that a join of it finds

    @classmethod
    def of(
        cls,
        engine: Engine,
        batch: Batch,
        options: DynamicOptions,
        scores: Scores,
    ) -> WordMatches:
        """Return the words of a batch; ids are made wide enough to be multiplied."""
        bags = batch.texts
        rows = Ragged(bags.rows.values.astype(np.int64), bags.rows.offsets)
        return cls(engine, batch.table, replace(bags, rows=rows), options, scores)

    @property
    def rows(self) -> Ragged:
        """Row per text: ids of its words."""
        return self.bags.rows

    @property
    def unit(self) -> bool:
        """True if no word is more similar to a word than the word itself."""
        by_cosine = self.options.word_similarity is not WordSimilarity.DOT
        return by_cosine or self.table.rules is not None

    def best(self, a: Integers, b: Integers) -> BestMatches:
        """Find the best match in text b[i] of each word of text a[i]: (n,), (n,)."""
        words, others = _each_once(self.rows.take(a)), self.rows.take(b)
        choices = np.repeat(others.lengths, words.lengths)  # (values,)
        matches = np.full(len(choices), NO_MATCH, dtype=np.int64)
        found = np.zeros(len(choices))
        filled = np.flatnonzero(choices)
        if len(filled):
            starts = np.repeat(others.offsets[:-1], words.lengths)[filled]
            candidates = _runs(starts, choices[filled])
            match, similarity = self._choose(words.values[filled], others.values, candidates)
            matches[filled] = np.where(similarity > 0, match, NO_MATCH)
            found[filled] = np.maximum(similarity, 0.0)
        return BestMatches(words, matches, found)

    def _choose(
        self, words: Integers, values: Integers, candidates: Ragged
    ) -> tuple[Integers, Floats]:
        """Choose the best of each word's candidates, the first of equals, with its similarity."""
        starts, own = candidates.offsets[:-1], np.repeat(np.arange(len(words)), candidates.lengths)
        left, right = words[own], values[candidates.values]
        open_ = np.ones(len(left), dtype=np.bool_)
        scores = np.full(len(left), -np.inf)
        if self.unit:  # a word that is there itself needs no comparison
            same = left == right
            scores[same] = 1.0
            open_ = ~np.logical_or.reduceat(same, starts)[own]
        scores[open_] = self._aligned(left[open_], right[open_])
        best = np.maximum.reduceat(scores, starts)
        hits = np.flatnonzero(scores == best[own])
        _, first = np.unique(own[hits], return_index=True)
        return right[hits[first]], best

    def _aligned(self, left: Integers, right: Integers) -> Floats:
        """Compare word left[i] with word right[i], every two words once: (n,)."""
        keys, place = np.unique(left * len(self.table) + right, return_inverse=True)
        a, b = np.divmod(keys, max(len(self.table), 1))
        scores = np.zeros(len(keys))
        starts = np.flatnonzero(np.diff(a, prepend=-1)).tolist()
        for start, stop in pairwise([*starts, len(a)]):
            run = slice(start, stop)
            scores[run] = self.engine.similarities(
                self.table, a[start : start + 1], b[run], self.options
            )
        return scores[place]


def _each_once(rows: Ragged) -> Ragged:
    """Drop repeated values of each row, and keep the order."""
    row = np.repeat(np.arange(len(rows)), rows.lengths)
    width = int(rows.values.max(initial=0)) + 1
    _, first = np.unique(row * width + rows.values, return_index=True)
    mask = np.zeros(len(rows.values), dtype=np.bool_)
    mask[first] = True
    return rows.keep(mask)


def _runs(starts: Integers, lengths: Integers) -> Ragged:
    """Return rows of numbers: row i holds lengths[i] numbers from starts[i]."""
    before = np.cumsum(lengths) - lengths
    return Ragged.from_lengths(
        np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths), lengths
    )
