"""Search under fuzzy BM25: the documents are also the collection that weighs words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from fuzzbow.arrays import Floats, Ragged
from fuzzbow.encoding import Encoder, Texts
from fuzzbow.engine import Bags, Bm25Corpus, Bm25Statistics
from fuzzbow.errors import InputError
from fuzzbow.measures.corpus_searcher import CorpusSearcher, QueryTrigrams
from fuzzbow.measures.document_frequencies import DocumentFrequencies
from fuzzbow.measures.table_words import NEW

if TYPE_CHECKING:
    from fuzzbow.measures.bm25.measure import Bm25Measure


class Bm25Searcher(CorpusSearcher):
    """The engine's corpus of documents, and what it knows of words."""

    def __init__(self, measure: Bm25Measure, encoder: Encoder) -> None:
        super().__init__(measure, measure, encoder)
        self._bm25 = measure
        self._collection_size = 0  # of one that they are a part of

    def measure(self) -> Bm25Measure:
        """By the frequencies of the documents as they are when it scores."""
        return replace(self._bm25, collection=self)

    def frequencies(self) -> DocumentFrequencies:
        """Count the documents with each word."""
        if self._corpus is None:
            return DocumentFrequencies(0, np.zeros(len(self._encoder.vectors), np.int64), {})
        own = cast("Bm25Corpus", self._corpus).statistics()
        return DocumentFrequencies(own.documents, *self._words.counts(own.holders), own.words)

    def weigh_by(self, collection: DocumentFrequencies) -> None:
        """The documents are a part of a collection, which weighs words until the next call.

        Its words become words of the corpus, since words like those of a query count too.
        """
        self._queries = None
        unknown = list(collection.unknown)
        counts = np.concatenate(
            [collection.known, np.array(list(collection.unknown.values()), dtype=np.int64)]
        )
        used = np.flatnonzero(counts)
        table, _ = self._words.add(used[self._words.lookup(unknown)[used] == NEW], unknown)
        places = self._words.lookup(unknown)[used]
        holders = np.zeros(self._words.size, dtype=np.int64)
        holders[places[places >= 0]] = counts[used][places >= 0]
        statistics = Bm25Statistics(collection.documents, collection.words, holders)
        if self._corpus is None:
            nothing = Bags(Ragged.from_lengths(np.zeros(0, np.int64), np.zeros(0, np.int64)))
            self._corpus, table = self._bm25.corpus(table, nothing), self._words.empty()
        cast("Bm25Corpus", self._corpus).weigh_by(table, statistics)
        self._collection_size = collection.documents

    def statistics(self, texts: Texts) -> tuple[Floats, float]:
        """Weights of a batch's words, and the mean length of a document: (m,), a number."""
        if self._corpus is None or not (self._collection_size or len(self._corpus)):
            raise InputError("the collection holds no text, so that no word has a weight")
        corpus = cast("Bm25Corpus", self._corpus)
        table, _ = self._bm25.prepare(texts, QueryTrigrams(self._words.trigrams))
        words = np.arange(len(table))
        return corpus.word_weights(table, words, self._words.places_in(texts)), corpus.mean_length
