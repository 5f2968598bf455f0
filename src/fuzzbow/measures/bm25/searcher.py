"""Search under fuzzy BM25: the documents are also the collection that weighs words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from fuzzbow.arrays import Floats
from fuzzbow.encoding import Encoder, Texts
from fuzzbow.engine import Bm25Corpus
from fuzzbow.errors import InputError
from fuzzbow.measures.corpus_searcher import CorpusSearcher, QueryTrigrams

if TYPE_CHECKING:
    from fuzzbow.measures.bm25.measure import Bm25Measure


class Bm25Searcher(CorpusSearcher):
    """The engine's corpus of documents, and what it knows of words."""

    def __init__(self, measure: Bm25Measure, encoder: Encoder) -> None:
        super().__init__(measure, measure, encoder)
        self._bm25 = measure

    def measure(self) -> Bm25Measure:
        """By the frequencies of the documents as they are when it scores."""
        return replace(self._bm25, collection=self)

    def statistics(self, texts: Texts) -> tuple[Floats, float]:
        """Weights of a batch's words, and the mean length of a document: (m,), a number."""
        if self._corpus is None or len(self._corpus) == 0:
            raise InputError("the collection holds no text, so that no word has a weight")
        corpus = cast("Bm25Corpus", self._corpus)
        table, _ = self._bm25.prepare(texts, QueryTrigrams(self._words.trigrams))
        words = np.arange(len(table))
        return corpus.word_weights(table, words, self._words.places_in(texts)), corpus.mean_length
