"""fuzzy-bm25, for search: a short query against documents of any length.

A document is a fuzzy bag. Query word u occurs in it tf(u) = Σ_v g(similarity(u, v)) times, v
over all its words, and adds c(u)·tf/(tf + K) to the score, K growing with the document's
length. c(u) = w(u)·idf(u) is the word's weight, by itself and by the collection; the score is
divided by the sum of all c(u).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats, Integers, blocks
from fuzzbow.encoding import Encoder, Texts, TokenIds
from fuzzbow.engine import Bags, Bm25Corpus, Bm25Options, Engine, WordTable
from fuzzbow.errors import InputError
from fuzzbow.measures.bm25.explanation import decompose
from fuzzbow.measures.bm25.searcher import Bm25Searcher
from fuzzbow.measures.counting import Counting
from fuzzbow.measures.decomposition import Decomposition
from fuzzbow.measures.document_frequencies import DocumentFrequencies
from fuzzbow.measures.measure import Ability, Measure
from fuzzbow.measures.space import WordSpace
from fuzzbow.measures.words import WeightedWords, Words, WordsFactory, parse_words
from fuzzbow.text import parse_tokenizer
from fuzzbow.vectors.weights import Weights

ROWS_AT_ONCE = 1_000_000  # pairs of a matrix


@dataclass(frozen=True)
class Statistics:
    """Statistics that the scores of a batch need besides its words."""

    weights: Floats  # (m,) of the words of queries
    mean_length: float  # of a document
    options: Bm25Options


@dataclass(frozen=True)
class Bm25Measure(Measure):
    """A query with documents of a collection.

    Without one, words weigh what they weigh by themselves, and lengths do not count.
    """

    name: str
    words: Words = field(repr=False)
    engine: Engine = field(repr=False)
    options: Bm25Options
    collection: Bm25Searcher | None = field(default=None, repr=False)
    whole: DocumentFrequencies | None = field(
        default=None, repr=False
    )  # that documents are part of

    abilities = frozenset({Ability.SEARCH, Ability.EXPLAIN, Ability.FIT})
    symmetric = False
    uses_collection = True
    counting = Counting.REPEAT

    @property
    def depends_on_batch(self) -> bool:  # type: ignore[override]
        """Without a collection, the columns of a call are it."""
        return self.collection is None

    @property
    def self_score(self) -> float:
        """The score of a text of mean length, whose words differ, with itself."""
        return 1 / (1 + self.options.k1)

    def fit(self, texts: Texts, rows: Integers) -> Bm25Measure:
        """The measure by the document frequencies of these texts."""
        if len(rows) == 0:
            raise InputError(f"the collection of {self.name} must hold at least one text; got none")
        collection = self._no_documents()
        collection.append(_encoded(texts, rows, len(self.words.space.vectors)))
        return replace(self, collection=collection)

    def weighed(self, frequencies: DocumentFrequencies) -> Bm25Measure:
        """The measure by the frequencies of a collection, of which its documents are a part."""
        collection = self._no_documents()
        collection.weigh_by(frequencies)
        return replace(self, collection=collection, whole=frequencies)

    def _no_documents(self) -> Bm25Searcher:
        """A collection; of its encoder only the vocabulary is used, for texts that are split."""
        return Bm25Searcher(self, Encoder(parse_tokenizer("words"), self.words.space.vectors))

    def for_columns(self, texts: Texts, columns: Integers) -> Bm25Measure:
        """The columns of a matrix are the collection, unless there is one."""
        return self.fit(texts, columns) if self.depends_on_batch and len(columns) else self

    def pairs(self, texts: Texts, left: Integers, right: Integers) -> Floats:
        """Query left[i] with document right[i]: (n,), (n,) -> (n,)."""
        table, bags = self.prepare(texts)
        found = self.statistics(texts, table)
        return self.engine.bm25_pairs(
            table, bags, left, right, found.weights, found.mean_length, found.options
        )

    def statistics(self, texts: Texts, table: WordTable) -> Statistics:
        """Weights of the words of a batch, and how documents are compared."""
        if self.collection is not None:
            return Statistics(*self.collection.statistics(texts), self.options)
        alone = np.ones(len(table)) if table.weights is None else table.weights
        return Statistics(alone, 1.0, replace(self.options, b=0.0))

    def matrix(self, texts: Texts, rows: Integers, columns: Integers) -> Floats:
        """Every query with every document: (n,), (m,) -> (n, m)."""
        scores = np.zeros((len(rows), len(columns)))
        if not scores.size:
            return scores
        measure = self.for_columns(texts, columns)
        for part in blocks(len(rows), max(ROWS_AT_ONCE // len(columns), 1)):
            some = rows[part]
            left, right = np.repeat(some, len(columns)), np.tile(columns, len(some))
            scores[part] = measure.pairs(texts, left, right).reshape(len(some), -1)
        return scores

    def prepare(
        self, texts: Texts, trigram_ids: dict[int, int] | None = None
    ) -> tuple[WordTable, Bags]:
        """The words as they are compared, and the texts as bags of them."""
        table, rows = self.words.prepare(texts, self.engine.precision, trigram_ids)
        return table, Bags(rows)

    def corpus(self, table: WordTable, documents: Bags) -> Bm25Corpus:
        """Documents in the engine."""
        return self.engine.bm25_corpus(table, documents, self.options)

    def searcher(self, encoder: Encoder) -> Bm25Searcher:
        """Return a searcher whose documents are the collection, or a part of a given one."""
        made = Bm25Searcher(self, encoder)
        if self.whole is not None:
            made.weigh_by(self.whole)
        return made

    def decompose(self, texts: Texts, left: int, right: int, *, dimensions: int) -> Decomposition:
        """The score of a query with a document as exact shares of the query's words."""
        return decompose(self, texts, left, right)

    def identity(self) -> dict[str, Any]:
        """The words and the parameters; which collection it is, is decided later."""
        options = self.options
        return {
            "measure": {
                "name": self.name,
                "words": self.words.name,
                "k1": options.k1,
                "b": options.b,
                "floor": options.floor,
                "power": options.power,
                **self.words.options(),
            },
            "universe": None,
            **self.words.identity(),
        }


@dataclass(frozen=True, eq=False)
class Bm25Factory:
    """The parts of fuzzy BM25; called with vectors and an engine it gives the measure."""

    words: WordsFactory
    options: Bm25Options
    name: str

    uses_collection = True
    abilities = Bm25Measure.abilities

    @property
    def scalings(self) -> frozenset[Weights]:
        """The weights that a model may have beside these words."""
        found: frozenset[Weights] = getattr(self.words, "scalings", WeightedWords.scalings)
        return found

    def __call__(self, space: WordSpace, engine: Engine) -> Bm25Measure:
        """The measure on some vectors; a collection decides anyway, whatever the counts."""
        plain = replace(space, counts=None) if space.by_collection else space
        return Bm25Measure(self.name, self.words(plain, engine), engine, self.options)


def fuzzy_bm25(
    *,
    k1: float = Bm25Options.k1,
    b: float = Bm25Options.b,
    floor: float = Bm25Options.floor,
    power: float = Bm25Options.power,
    words: str | WordsFactory | None = None,
    name: str = "fuzzy-bm25",
) -> Bm25Factory:
    """fuzzy-bm25 with other parameters, for `fuzzbow.load(..., measure=...)`.

    `k1` says how soon more of a word adds nothing, `b` from 0 to 1 how much the length of a
    document matters. A word of a document counts ((s - floor)/(1 - floor))^power for a query
    word of similarity s above the floor; a floor of 1 counts equal words only, which is BM25.
    """
    made = partial(WeightedWords, punctuation=False) if words is None else parse_words(words)
    return Bm25Factory(made, Bm25Options(k1, b, floor, power), name)


def _encoded(texts: Texts, rows: Integers, vocabulary: int) -> TokenIds:
    """Texts of a batch as `Encoder.word_ids` gives them."""
    outside = np.flatnonzero(texts.vocabulary_ids < 0)
    ids = texts.vocabulary_ids.copy()
    ids[outside] = vocabulary + np.arange(len(outside))
    unknown = [texts.words[word] for word in outside.tolist()]
    return TokenIds(texts.rows.take(rows).map(ids), unknown)
