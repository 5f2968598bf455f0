"""Search by a corpus of the engine, over a table that grows with the words of the documents."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from fuzzbow.arrays import Booleans, Integers, Ragged
from fuzzbow.encoding import Encoder, Texts, TokenIds
from fuzzbow.engine import Bags, Corpus, Found, QueryLexicon, WordTable
from fuzzbow.measures.best_documents import no_documents
from fuzzbow.measures.counting import Counting, count_words
from fuzzbow.measures.document_frequencies import DocumentFrequencies
from fuzzbow.measures.measure import Measure
from fuzzbow.measures.ready_words import ReadyWords, Stock
from fuzzbow.measures.table_words import DROPPED, NEW, TableWords

QUERY_BYTES = 32 << 20  # of the words of queries; with more, they are made ready anew


class QueryTrigrams(dict[int, int]):
    """Numbers for the trigrams of one search, behind those of the index, which stay as they are."""

    def __init__(self, own: dict[int, int]) -> None:
        super().__init__()
        self._own = own

    def __len__(self) -> int:
        return len(self._own) + super().__len__()

    def setdefault(self, trigram: int, default: int = 0) -> int:
        """The number of a trigram; a new one gets the next."""
        number = self._own.get(trigram)
        return super().setdefault(trigram, default) if number is None else number


class Documents(Protocol):
    """Functions by which a measure makes a corpus of documents."""

    @property
    def counting(self) -> Counting: ...

    def prepare(
        self, texts: Texts, trigram_ids: dict[int, int] | None = None
    ) -> tuple[WordTable, Bags]:
        """The words as they are compared, and the texts as bags of them."""
        ...

    def corpus(self, table: WordTable, documents: Bags) -> Corpus:
        """Documents in the engine."""
        ...


class CorpusSearcher:
    """The engine's corpus, and where the words of the vocabulary are in its table."""

    def __init__(self, measure: Measure, documents: Documents, encoder: Encoder) -> None:
        self._given, self._measure, self._encoder = measure, documents, encoder
        self._words = TableWords(encoder, documents.prepare, {})
        self._corpus: Corpus | None = None
        self._queries: ReadyWords[QueryLexicon] | None = None

    def append(self, tokens: TokenIds) -> None:
        """Add texts, after the words that are new."""
        self._queries = None  # their words may be words of these texts
        places = self._words.lookup(tokens.unknown)
        used = np.zeros(len(places), dtype=np.bool_)
        used[tokens.rows.values] = True
        table, _ = self._words.add(np.flatnonzero(used & (places == NEW)), tokens.unknown)
        bags = self._bags(tokens.rows, self._words.lookup(tokens.unknown))
        if self._corpus is None:
            self._corpus = self._measure.corpus(table, bags)
        else:
            self._corpus.append(table, bags)

    def delete(self, documents: Integers) -> None:
        """Delete documents."""
        if self._corpus is not None and len(documents):
            self._corpus.delete(documents)

    def search(
        self, texts: list[str], *, k: int, min_score: float, allowed: Booleans | None
    ) -> Found:
        """The k best documents of each query, of those allowed."""
        if self._corpus is None:
            return no_documents(len(texts))
        queries = self._ready_queries(self._corpus)
        found = None
        if queries is not None:
            found = queries.ask(
                texts,
                lambda lexicon, read: lexicon.search(
                    read, k=k, min_score=min_score, allowed=allowed
                ),
            )
        if found is None:
            tokens = self._encoder.word_ids(texts)
            return self._search_batch(self._corpus, tokens, k, min_score, allowed)
        return found

    def _ready_queries(self, corpus: Corpus) -> ReadyWords[QueryLexicon] | None:
        """Queries without a batch, over words that stay until the next texts are added."""
        if self._queries is None and self._measure.counting is Counting.REPEAT:
            # which must not hold the searcher: it would outlive its last user for a while
            encoder, own, prepare = self._encoder, self._words, self._measure.prepare

            def stock() -> Stock[QueryLexicon] | None:
                words = TableWords(encoder, prepare, QueryTrigrams(own.trigrams))
                lexicon = corpus.lexicon(words.empty(), encoder.splitting)
                return None if lexicon is None else Stock(encoder, words, lexicon, own.places_in)

            self._queries = ReadyWords(encoder, stock, most_bytes=QUERY_BYTES)
        return self._queries

    def _search_batch(
        self,
        corpus: Corpus,
        tokens: TokenIds,
        k: int,
        min_score: float,
        allowed: Booleans | None,
    ) -> Found:
        """Search by arrays, for queries with more words than can be cached."""
        places = self._words.lookup(tokens.unknown)
        if (places[tokens.rows.values] != NEW).all():  # no table of its own has to be made
            bags = self._bags(tokens.rows, places)
            return corpus.search(None, bags, None, k=k, min_score=min_score, allowed=allowed)
        texts = self._encoder.batch(tokens)
        table, bags = self._measure.prepare(texts, QueryTrigrams(self._words.trigrams))
        ids = self._words.places_in(texts)
        return corpus.search(table, bags, ids, k=k, min_score=min_score, allowed=allowed)

    def measure(self) -> Measure:
        """The measure, which takes nothing from the documents."""
        return self._given

    def frequencies(self) -> DocumentFrequencies | None:
        """None: the measure weighs no word by the documents."""
        return None

    def weigh_by(self, collection: DocumentFrequencies) -> None:
        """No collection changes a score."""

    def memory_bytes(self) -> int:
        """Memory that the documents take, the table of words aside."""
        return 0 if self._corpus is None else self._corpus.memory_bytes()

    def _bags(self, rows: Ragged, lookup: Integers) -> Bags:
        """Texts over the table; counted before words are renumbered, which keeps their order."""
        places = rows.map(lookup)
        kept = places.values != DROPPED
        all_kept = bool(kept.all())
        if self._measure.counting is Counting.REPEAT:
            return Bags(places if all_kept else places.keep(kept))
        bags = count_words(rows if all_kept else rows.keep(kept), self._measure.counting)
        return Bags(bags.rows.map(lookup), bags.counts)
