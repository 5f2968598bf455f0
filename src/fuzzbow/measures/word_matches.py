"""Best match of each word of a text in another text, for many pairs of texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fuzzbow.arrays import Floats, Integers, Ragged
from fuzzbow.engine import DynamicOptions, Engine, WordTable
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
    rows: Ragged  # row per text: ids of the words that take part
    options: DynamicOptions
    scores: Scores  # of texts of the batch, the very numbers that a join of it finds

    def best(self, a: Integers, b: Integers) -> BestMatches:
        """Find the best match in text b[i] of each word of text a[i]: (n,), (n,)."""
        words, others = self.rows.take(a), self.rows.take(b)
        position = np.repeat(np.arange(len(words)), words.lengths) * len(self.table)
        mask = np.zeros(len(words.values), dtype=np.bool_)
        mask[np.unique(position + words.values, return_index=True)[1]] = True
        words = words.keep(mask)  # each once
        choices = np.repeat(others.lengths, words.lengths)  # (values,)
        matches = np.full(len(choices), NO_MATCH, dtype=np.int64)
        found = np.zeros(len(choices))
        filled = np.flatnonzero(choices)
        if len(filled):
            pairs = np.repeat(np.arange(len(others)), words.lengths)[filled]
            match, similarity = self._choose(words.values[filled], others.take(pairs))
            matches[filled] = np.where(similarity > 0, match, NO_MATCH)
            found[filled] = np.maximum(similarity, 0.0)
        return BestMatches(words, matches, found)

    def _choose(self, words: Integers, candidates: Ragged) -> tuple[Integers, Floats]:
        """Choose the best of each word's candidates, the first of equals, with its similarity."""
        starts, own = candidates.offsets[:-1], np.repeat(np.arange(len(words)), candidates.lengths)
        left, right = words[own].astype(np.int64), candidates.values.astype(np.int64)
        unknown = np.ones(len(left), dtype=np.bool_)
        scores = np.full(len(left), -np.inf)
        by_cosine = self.options.word_similarity is not WordSimilarity.DOT
        if by_cosine or self.table.rules is not None:  # no word is more similar than itself
            same = left == right
            scores[same] = 1.0
            unknown = ~np.logical_or.reduceat(same, starts)[own]
        scores[unknown] = self._aligned(left[unknown], right[unknown])
        best = np.maximum.reduceat(scores, starts)
        hits = np.flatnonzero(scores == best[own])
        _, first = np.unique(own[hits], return_index=True)
        return right[hits[first]], best

    def _aligned(self, left: Integers, right: Integers) -> Floats:
        """Compare word left[i] with word right[i], each distinct pair once: (n,)."""
        keys, place = np.unique(left * len(self.table) + right, return_inverse=True)
        a, b = np.divmod(keys, max(len(self.table), 1))
        return self.engine.aligned_similarities(self.table, a, b, self.options)[place]


def cosine_matches(engine: Engine, vectors: Floats, rows: Ragged, scores: Scores) -> WordMatches:
    """Return words compared by clipped cosine, for measures that do not compare words."""
    options = DynamicOptions(word_similarity=WordSimilarity.CLIPPED_COSINE)
    return WordMatches(engine, WordTable(vectors), rows, options, scores)
