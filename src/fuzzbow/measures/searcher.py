"""Searchers: documents, and the search for them under a measure."""

from __future__ import annotations

from abc import ABC, abstractmethod
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
    TrigramIds,
    WordCache,
    WordRows,
)
from fuzzbow.engine import Bags, Batch, Corpus, Found, Queries, TopK
from fuzzbow.measures.frequencies import Counting, DocumentFrequencies, count_words
from fuzzbow.measures.measure import Measure


class Searcher(ABC):
    """Searcher of documents, which are numbered in the order of insertion."""

    @abstractmethod
    def append(self, tokens: TokenIds) -> None:
        """Add texts; they get the next numbers."""

    @abstractmethod
    def delete(self, documents: Integers) -> None:
        """Delete documents."""

    @abstractmethod
    def search(self, texts: TextList, options: TopK) -> Found:
        """Find the k best documents of each query."""

    @abstractmethod
    def measure(self) -> Measure:
        """Return the measure with the statistics of the documents."""

    def frequencies(self) -> DocumentFrequencies | None:
        """Count the documents with each word; None if the measure does not need it."""
        return None

    def with_frequencies(self, collection: DocumentFrequencies) -> None:
        """Weight words by a collection that includes the documents; the next call replaces it."""
        return

    @abstractmethod
    def memory_bytes(self) -> int:
        """Return the memory of the documents, without the table of words."""


class CorpusMeasure(Measure):
    """Measure whose documents are a corpus of the engine."""

    counting: Counting

    @abstractmethod
    def prepare(self, texts: Texts, trigram_ids: TrigramIds | None = None) -> Batch:
        """Return the words as they are compared, and the texts as bags of them."""

    @abstractmethod
    def corpus(self, documents: Batch) -> Any:
        """Return documents in the engine."""


class CorpusSearcher(Searcher):
    """Searcher with the engine's corpus, and the rows of words in its table."""

    def __init__(self, measure: CorpusMeasure, encoder: Encoder) -> None:
        self._measure, self._encoder = measure, encoder
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
            self._cache = WordCache(
                self._encoder, self._measure.prepare, corpus.lexicon, self._rows
            )
        cache = self._cache
        found = None if cache is None else cache.search(texts, options)
        return corpus.search(self._queries(texts), options) if found is None else found

    def _queries(self, texts: TextList) -> Queries:
        """Return queries as a batch, if they have too many words for the cache."""
        tokens = self._encoder.word_ids(texts)
        rows = self._rows.lookup(tokens.unknown)
        if (rows[tokens.rows.values] != NEW).all():  # no table of their own is needed
            return Queries(self._bags(tokens.rows, rows))
        return self._with_own_words(self._encoder.batch(tokens))

    def _with_own_words(self, texts: Texts) -> Queries:
        """Return queries with a table of their words."""
        batch = self._measure.prepare(texts, QueryTrigrams(self._rows.trigrams))
        return Queries(batch.texts, batch.table, self._rows.of_batch(texts.words))

    def measure(self) -> Measure:
        """Return the measure, which does not depend on the documents."""
        return self._measure

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
