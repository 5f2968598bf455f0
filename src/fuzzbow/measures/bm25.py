"""Fuzzy BM25: comparison of a query with documents of a collection.

A document is a fuzzy bag of words. The frequency of a query word u is tf(u) = Σ_v g(similarity(u,
v)) over the words v of the document. The word adds c(u)·tf/(tf + K) to the score, where K grows
with the document's length and c(u) = w(u)·idf(u) is the word's weight times its inverse document
frequency in the collection. The score is divided by the sum of all c(u).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from fuzzbow import engine as engines
from fuzzbow.arrays import Floats, Integers, Ragged
from fuzzbow.encoding import NEW, Encoder, Texts
from fuzzbow.engine import Bags, Batch, Bm25Corpus, Bm25Options, Bm25Weights, Engine
from fuzzbow.errors import InputError
from fuzzbow.measures.decomposition import Decomposition, Parts, Shares, StandIn, places_of
from fuzzbow.measures.frequencies import Counting, DocumentFrequencies
from fuzzbow.measures.measure import Ability, Factory, WordsMeasure
from fuzzbow.measures.searcher import CorpusSearcher
from fuzzbow.measures.space import WordSpace
from fuzzbow.measures.words import WeightedWords, Words, WordsFactory, parse_words
from fuzzbow.text import parse_tokenizer

FORMULA = "Σ c·tf/(tf + K) / Σ c"


@dataclass(frozen=True)
class Bm25Measure(WordsMeasure):
    """Comparison of a query with documents of a collection.

    Without a collection, words have their own weights, and lengths do not count.
    """

    name: str
    words: Words = field(repr=False)
    engine: Engine = field(repr=False)
    options: Bm25Options
    collection: Bm25Searcher | None = field(default=None, repr=False)
    # of a collection that includes the documents
    whole: DocumentFrequencies | None = field(default=None, repr=False)

    abilities = frozenset({Ability.SEARCH, Ability.EXPLAIN, Ability.FIT})
    symmetric = False
    uses_collection = True
    counting = Counting.REPEAT

    @property
    def depends_on_batch(self) -> bool:  # type: ignore[override]
        """Return whether the columns of a call are the collection."""
        return self.collection is None

    @property
    def self_score(self) -> float:
        """Score of a text of mean length, whose words differ, with itself."""
        return 1 / (1 + self.options.k1)

    def fit(self, texts: Texts, rows: Integers) -> Bm25Measure:
        """Return the measure with the document frequencies of these texts."""
        if len(rows) == 0:
            raise InputError(f"the collection of {self.name} must hold at least one text; got none")
        collection = self._no_documents()
        collection.append(texts.tokens().take(rows))
        return replace(self, collection=collection)

    def with_frequencies(self, frequencies: DocumentFrequencies) -> Bm25Measure:
        """Return the measure with the frequencies of a collection that includes its documents."""
        collection = self._no_documents()
        collection.with_frequencies(frequencies)
        return replace(self, collection=collection, whole=frequencies)

    def _no_documents(self) -> Bm25Searcher:
        """Return an empty searcher, whose encoder is never used."""
        return Bm25Searcher(self, Encoder(parse_tokenizer("words"), self.words.space.vectors))

    def pairs(self, texts: Texts, left: Integers, right: Integers) -> Floats:
        """Score query left[i] with document right[i]: (n,), (n,) -> (n,)."""
        batch = self.prepare(texts)
        return self.engine.bm25_pairs(batch, left, right, self.weights(texts, batch))

    def weights(self, texts: Texts, batch: Batch) -> Bm25Weights:
        """Return the weights of a batch's words, by the collection if there is one."""
        if self.collection is not None:
            return self.collection.weights(texts)
        own = batch.table.weights
        own = np.ones(len(batch.table)) if own is None else own
        return Bm25Weights(own, 1.0, replace(self.options, b=0.0))

    def corpus(self, documents: Batch) -> Bm25Corpus:
        """Make a corpus of documents in the engine."""
        return self.engine.bm25_corpus(documents, self.options)

    def searcher(self, encoder: Encoder) -> Bm25Searcher:
        """Return a searcher whose documents are the collection, or a part of the fitted one."""
        made = Bm25Searcher(self, encoder)
        if self.whole is not None:
            made.with_frequencies(self.whole)
        return made

    def decompose(self, texts: Texts, left: int, right: int, *, dimensions: int) -> Decomposition:
        """Split the score in float64 into exact shares of the query's words."""
        batch = self.prepare(texts)
        table, bags, found = batch.table, batch.texts, self.weights(texts, batch)
        query, document = bags.rows[left], bags.rows[right]
        places = places_of(texts.rows[left], query), places_of(texts.rows[right], document)
        gained = engines.gains(table, query, document, found.options)  # (k, l)
        similarities = self.engine.similarities(table, query, document, engines.DynamicOptions())
        occurs = gained.sum(axis=1)  # tf, (k,)
        norm = engines.norms(np.array([len(document)]), found)[0]
        saturated = np.divide(occurs, occurs + norm, out=np.zeros(len(query)), where=occurs > 0)
        weight = found.words[query]
        total = float(weight.sum()) if len(document) else 0.0
        shares = Shares(weight * saturated, weight, weight * saturated, total)
        stand_ins = _stand_ins(gained, similarities, shares.score, places[1])
        firsts = [found[0] if found else (-1, 0.0) for found in stand_ins]
        return Decomposition(
            FORMULA,
            shares,
            self.words.treatments(texts),
            Parts(
                places[0],
                np.array([first[0] for first in firsts], dtype=np.int64),
                np.array([first[1] for first in firsts], dtype=np.float64),
                shares.intersection,
                shares.union,
                shares.score,
                weight,
                np.ones(len(query)),
                saturated,
                stand_ins=stand_ins,
            ),
            _document(gained, similarities, places),
        )

    def identity(self) -> dict[str, Any]:
        """Return the words and the parameters, without the collection."""
        return self.words.measure_identity(self.name, vars(self.options))


def _build(
    words: WordsFactory, options: Bm25Options, name: str, space: WordSpace, engine: Engine
) -> Bm25Measure:
    """Make the measure for vectors and an engine; the model's counts are not used."""
    plain = replace(space, counts=None) if space.by_collection else space
    return Bm25Measure(name, words(plain, engine), engine, options)


def fuzzy_bm25(
    *,
    k1: float = Bm25Options.k1,
    b: float = Bm25Options.b,
    floor: float = Bm25Options.floor,
    power: float = Bm25Options.power,
    words: str | WordsFactory | None = None,
    name: str = "fuzzy-bm25",
) -> Factory:
    """Return fuzzy-bm25 with other parameters, for `fuzzbow.load(..., measure=...)`.

    `k1` is the saturation of word counts, `b` (0 to 1) the influence of the document's length. A
    word of a document counts ((s - floor)/(1 - floor))^power for a query word of similarity s above
    the floor; a floor of 1 counts equal words only, which is BM25.
    """
    made = partial(WeightedWords, punctuation=False) if words is None else parse_words(words)
    build = partial(_build, made, Bm25Options(k1, b, floor, power), name)
    scalings = getattr(made, "scalings", WeightedWords.scalings)
    return Factory(build, name, Bm25Measure.abilities, scalings, uses_collection=True)


class Bm25Searcher(CorpusSearcher):
    """Searcher with the engine's corpus of documents, and the statistics of words."""

    _measure: Bm25Measure
    _corpus: Bm25Corpus | None
    _collection_size = 0  # of one that the documents are a part of

    def measure(self) -> Bm25Measure:
        """Return the measure, which uses the frequencies of the documents at each score."""
        return replace(self._measure, collection=self)

    def frequencies(self) -> DocumentFrequencies:
        """Count the documents with each word."""
        if self._corpus is None:
            return DocumentFrequencies(0, np.zeros(len(self._encoder.vectors), np.int64), {})
        own = self._corpus.statistics()
        return DocumentFrequencies(own.documents, *self._rows.counts(own.holders), own.words)

    def with_frequencies(self, collection: DocumentFrequencies) -> None:
        """Weight words by a collection that includes the documents; the next call replaces it.

        The words of the collection are added to the corpus, since similar words also count.
        """
        self._cache = None
        unknown = list(collection.unknown)
        others = np.array(list(collection.unknown.values()), dtype=np.int64)
        counts = np.concatenate([collection.known, others])
        used = np.flatnonzero(counts)
        table, _ = self._rows.add(used[self._rows.lookup(unknown)[used] == NEW], unknown)
        rows = self._rows.lookup(unknown)[used]
        holders = np.zeros(self._rows.size, dtype=np.int64)
        holders[rows[rows >= 0]] = counts[used][rows >= 0]
        statistics = engines.Bm25Statistics(collection.documents, collection.words, holders)
        if self._corpus is None:
            nothing = Bags(Ragged.from_rows([]))
            self._corpus, table = self._measure.corpus(Batch(table, nothing)), self._rows.empty()
        self._corpus.with_frequencies(table, statistics)
        self._collection_size = collection.documents

    def weights(self, texts: Texts) -> Bm25Weights:
        """Return the weights of a batch's words."""
        if self._corpus is None or not (self._collection_size or len(self._corpus)):
            raise InputError("the collection holds no text, so that no word has a weight")
        return self._corpus.weights(self._with_own_words(texts))


def _stand_ins(
    gained: Floats, similarities: Floats, shares: Floats, places: Integers
) -> tuple[tuple[StandIn, ...], ...]:
    """Return the words of the document that count for each query word, the strongest first."""
    return tuple(
        tuple(
            (int(places[word]), float(similar[word]), share * float(row[word] / row.sum()))
            for word in np.argsort(-row, kind="stable").tolist()
            if row[word] > 0
        )
        for row, similar, share in zip(gained, similarities, shares.tolist(), strict=True)
    )


def _document(gained: Floats, similarities: Floats, places: tuple[Integers, Integers]) -> Parts:
    """Return the document's words, each with the query word that it counts for most."""
    nothing = np.zeros(gained.shape[1])
    match, similarity = np.full(len(nothing), -1), nothing
    if gained.size:
        best, columns = gained.argmax(axis=0), np.arange(len(nothing))
        counts = gained[best, columns] > 0
        match = np.where(counts, places[0][best], -1)
        similarity = np.where(counts, similarities[best, columns], 0.0)
    return Parts(places[1], match, similarity, nothing, nothing, nothing)
