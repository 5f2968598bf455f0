"""Searcher with a corpus of the engine."""

from __future__ import annotations

from typing import Any

import numpy as np

from fuzzbow.arrays import Integers, Ragged
from fuzzbow.encoding import (
    DROPPED,
    NEW,
    Encoder,
    QueryTrigrams,
    TextList,
    Texts,
    TokenIds,
    WordCache,
    WordRows,
)
from fuzzbow.engine import Bags, Batch, Corpus, Found, Queries, TopK
from fuzzbow.measures.frequencies import Counting, count_words
from fuzzbow.measures.words_measure import Searcher


class CorpusSearcher(Searcher):
    """Searcher with the engine's corpus, and the rows of words in its table."""

    _measure: Any  # with the methods `prepare` and `corpus`

    def __init__(self, measure: Any, encoder: Encoder) -> None:
        super().__init__(measure, encoder)
        self._rows = WordRows(encoder, measure.prepare, {})
        self._corpus: Corpus | None = None
        self._cache: WordCache | None = None  # of the words of queries

    def append(self, tokens: TokenIds) -> None:
        """Add texts, and their new words."""
        self._cache = None  # its words may be words of these texts
        rows = self._rows.lookup(tokens.unknown)
        used = np.zeros(len(rows), dtype=np.bool_)
        used[tokens.rows.values] = True
        table, _ = self._rows.add(np.flatnonzero(used & (rows == NEW)), tokens.unknown)
        bags = self._bags(tokens.rows, self._rows.lookup(tokens.unknown))
        if self._corpus is None:
            self._corpus = self._measure.corpus(Batch(table, bags))
        else:
            self._corpus.append(Batch(table, bags))

    def delete(self, documents: Integers) -> None:
        """Delete documents."""
        if self._corpus is not None and len(documents):
            self._corpus.delete(documents)

    def search(self, texts: TextList, options: TopK) -> Found:
        """Find the k best documents of each query."""
        corpus = self._corpus
        if corpus is None:
            none = np.full((len(texts), 0), -1, dtype=np.int64)
            return Found(none, np.zeros(none.shape))
        if self._cache is None and self._measure.counting is Counting.REPEAT:
            rules = self._measure.words.row_rules()
            self._cache = WordCache(
                self._encoder, self._measure.prepare, corpus.lexicon, rules, self._rows
            )
        found = None if self._cache is None else self._cache.search(texts, options)
        if found is not None:
            return found
        tokens = self._encoder.word_ids(texts)  # too many words for the cache
        rows = self._rows.lookup(tokens.unknown)
        if (rows[tokens.rows.values] != NEW).all():  # no table of their own is needed
            return corpus.search(Queries(self._bags(tokens.rows, rows)), options)
        return corpus.search(self._with_own_words(self._encoder.batch(tokens)), options)

    def _with_own_words(self, texts: Texts) -> Queries:
        """Return queries with a table of their words."""
        batch = self._measure.prepare(texts, QueryTrigrams(self._rows.trigrams))
        return Queries(batch.texts, batch.table, self._rows.of_batch(texts.words))

    def memory_bytes(self) -> int:
        """Return the memory of the documents, without the table of words."""
        return 0 if self._corpus is None else self._corpus.memory_bytes()

    def _bags(self, tokens: Ragged, lookup: Integers) -> Bags:
        """Return texts over the table, with the counts of their words."""
        rows = tokens.map(lookup)
        kept = rows.values != DROPPED
        all_kept = bool(kept.all())
        if self._measure.counting is Counting.REPEAT:
            return Bags(rows if all_kept else rows.keep(kept))
        bags = count_words(tokens if all_kept else tokens.keep(kept), self._measure.counting)
        return Bags(bags.rows.map(lookup), bags.counts)
