"""Searchers: documents, and the search for them under a measure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from threading import Lock
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
from fuzzbow.measures.frequencies import (
    Counting,
    DocumentFrequencies,
    count_words,
    document_frequencies,
)
from fuzzbow.measures.measure import Measure


class Searcher(ABC):
    """Searcher of documents, which are numbered in the order of insertion."""

    def __init__(self, measure: Measure, encoder: Encoder) -> None:
        self._measure, self._encoder = measure, encoder

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
    def memory_bytes(self) -> int:
        """Return the bytes of memory used by the documents, without the table of words."""

    def measure(self) -> Measure:
        """Return the measure, with the statistics of the documents if it has any."""
        return self._measure

    def frequencies(self) -> DocumentFrequencies | None:
        """Count the documents with each word; None if the measure does not need it."""
        return None

    def with_frequencies(self, collection: DocumentFrequencies) -> None:
        """Weight words by a collection that includes the documents; the next call replaces it."""
        return


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
        """Return the bytes of memory used by the documents, without the table of words."""
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


class CollectionSearcher(Searcher):
    """Searcher whose documents decide the weights of words by their frequencies.

    A change of the documents changes all weights: the next search prepares all documents.
    """

    def __init__(self, measure: Measure, encoder: Encoder) -> None:
        super().__init__(measure, encoder)
        self._unknown: dict[str, int] = {}  # all words outside the vocabulary -> their number
        self._rows: list[Ragged] = []  # as they were added, over those numbers
        self._deleted = np.zeros(0, dtype=np.int64)
        self._lock = Lock()  # searches share the first one's work
        self._current: tuple[Measure, Searcher] | None = None
        self._collection: DocumentFrequencies | None = None  # that they are a part of

    def append(self, tokens: TokenIds) -> None:
        """Add texts."""
        known = len(self._encoder.vectors)
        numbers = [self._unknown.setdefault(word, len(self._unknown)) for word in tokens.unknown]
        lookup = np.concatenate([np.arange(known), known + np.array(numbers, dtype=np.int64)])
        self._rows.append(tokens.rows.map(lookup.astype(np.uint32)))
        self._current = None

    def delete(self, documents: Integers) -> None:
        """Delete documents, and subtract them from the frequencies."""
        self._deleted = np.union1d(self._deleted, documents).astype(np.int64)
        self._current = None

    def search(self, texts: TextList, options: TopK) -> Found:
        """Find the k best documents of each query."""
        return self._fitted()[1].search(texts, options)

    def measure(self) -> Measure:
        """Return the measure with the current frequencies of the documents."""
        return self._fitted()[0]

    def frequencies(self) -> DocumentFrequencies:
        """Count the documents with each word."""
        tokens = self._tokens()
        kept = np.setdiff1d(np.arange(len(tokens)), self._deleted)
        return document_frequencies(tokens.take(kept), len(self._encoder.vectors))

    def with_frequencies(self, collection: DocumentFrequencies) -> None:
        """Weight words by a collection that includes the documents; the next call replaces it."""
        self._collection, self._current = collection, None

    def memory_bytes(self) -> int:
        """Return the bytes of memory used by the documents, without the table of words."""
        kept = sum(rows.values.nbytes + rows.offsets.nbytes for rows in self._rows)
        return kept + self._fitted()[1].memory_bytes()

    def _fitted(self) -> tuple[Measure, Searcher]:
        """Return the measure with the current frequencies, and its searcher."""
        with self._lock:
            if self._current is None:
                measure = self._measure.with_frequencies(self._collection or self.frequencies())
                searcher = measure.searcher(self._encoder)
                searcher.append(self._tokens())
                searcher.delete(self._deleted)
                self._current = measure, searcher
            return self._current

    def _tokens(self) -> TokenIds:
        """Return all documents, the deleted ones too."""
        if len(self._rows) != 1:
            values = [np.zeros(0, dtype=np.uint32), *(rows.values for rows in self._rows)]
            lengths = [np.zeros(0, dtype=np.int64), *(rows.lengths for rows in self._rows)]
            self._rows = [Ragged.from_lengths(np.concatenate(values), np.concatenate(lengths))]
        return TokenIds(self._rows[0], list(self._unknown))
