"""Measures over the dynamic universe: the words of both texts, or those of the first alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats, Integers
from fuzzbow.encoding import Encoder, Texts
from fuzzbow.engine import (
    WHOLE,
    Bags,
    Corpus,
    DynamicOptions,
    Engine,
    Matches,
    PairLexicon,
    Share,
    WordTable,
)
from fuzzbow.fuzzy import Pooling
from fuzzbow.measures.corpus_searcher import CorpusSearcher
from fuzzbow.measures.counting import Counting, count_words
from fuzzbow.measures.decomposition import Decomposition
from fuzzbow.measures.dynamic.explanation import decompose
from fuzzbow.measures.measure import Ability, Measure
from fuzzbow.measures.ready_words import ReadyPairs, Stock
from fuzzbow.measures.table_words import TableWords
from fuzzbow.measures.word_matches import WordMatches
from fuzzbow.measures.words import Words
from fuzzbow.progress import Progress


@dataclass(frozen=True)
class DynamicMeasure(Measure):
    """The words of the two texts are the universe."""

    name: str
    words: Words = field(repr=False)
    engine: Engine = field(repr=False)
    options: DynamicOptions
    counting: Counting = Counting.REPEAT

    @staticmethod
    def abilities_of(options: DynamicOptions) -> frozenset[Ability]:
        """Return the abilities of a measure with these options."""
        if options.pooling is not Pooling.MAX:
            return frozenset({Ability.SEARCH})
        joins = {Ability.JOIN} if options.symmetric else set()
        return frozenset({Ability.SEARCH, Ability.EXPLAIN} | joins)

    @property
    def abilities(self) -> frozenset[Ability]:  # type: ignore[override]
        """Return the abilities of this measure."""
        return self.abilities_of(self.options)

    @property
    def uses_collection(self) -> bool:  # type: ignore[override]
        """Return whether a collection may decide the weights of words."""
        return self.words.uses_collection

    @property
    def uses_vectors(self) -> bool:  # type: ignore[override]
        """Return whether words are compared by vectors."""
        return self.words.uses_vectors

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """Return whether both orders of two texts score the same."""
        return self.options.symmetric

    def pairs(self, texts: Texts, left: Integers, right: Integers) -> Floats:
        """Text left[i] with text right[i]: (n,), (n,) -> (n,)."""
        table, bags = self.prepare(texts)
        return self.engine.pairs(table, bags, left, right, self.options)

    def matrix(self, texts: Texts, rows: Integers, columns: Integers) -> Floats:
        """Every row text with every column text: (n,), (m,) -> (n, m)."""
        table, bags = self.prepare(texts)
        return self.engine.matrix(table, bags, rows, columns, self.options)

    def prepare(
        self, texts: Texts, trigram_ids: dict[int, int] | None = None
    ) -> tuple[WordTable, Bags]:
        """The words as they are compared, and the texts as bags of them."""
        table, rows = self.words.prepare(texts, self.engine.precision, trigram_ids)
        return table, count_words(rows, self.counting)

    def ready_pairs(self, encoder: Encoder) -> ReadyPairs | None:
        """By a lexicon of the engine; counted texts go by batches."""
        if self.counting is not Counting.REPEAT:
            return None

        def stock() -> Stock[PairLexicon] | None:
            words = TableWords(encoder, self.prepare, {})
            lexicon = self.engine.lexicon(words.empty(), self.options, encoder.splitting)
            return None if lexicon is None else Stock(encoder, words, lexicon)

        return ReadyPairs(encoder, stock)

    def searcher(self, encoder: Encoder) -> CorpusSearcher:
        """Documents in the engine's corpus."""
        return CorpusSearcher(self, self, encoder)

    def corpus(self, table: WordTable, documents: Bags) -> Corpus:
        """Documents in the engine."""
        return self.engine.corpus(table, documents, self.options)

    def join(
        self,
        texts: Texts,
        *,
        threshold: float,
        boundary: int | None,
        progress: Progress,
        share: Share = WHOLE,
    ) -> Iterator[Matches]:
        """Pairs i < j at or above the threshold, by the engine's join."""
        self.require(Ability.JOIN)
        table, bags = self.prepare(texts)
        return self.engine.join(
            table,
            bags,
            self.options,
            threshold=threshold,
            boundary=boundary,
            share=share,
            progress=progress,
        )

    def word_matches(self, texts: Texts) -> WordMatches:
        """Words compared as in a score."""
        table, bags = self.prepare(texts)

        def scores(left: Integers, right: Integers) -> Floats:
            used, place = np.unique([left, right], return_inverse=True)
            a, b = place.reshape(2, -1)
            return self.engine.pairs(table, bags.take(used), a, b, self.options)

        return WordMatches.of(self.engine, table, bags, self.options, scores)

    def decompose(self, texts: Texts, left: int, right: int, *, dimensions: int) -> Decomposition:
        """The score of two texts as a sum of exact shares of their words."""
        self.require(Ability.EXPLAIN)
        return decompose(self, texts, left, right)

    def identity(self) -> dict[str, Any]:
        """The words, and how they are compared."""
        options = self.options
        return {
            "measure": {
                "name": self.name,
                "words": self.words.name,
                "universe": options.universe.value,
                "pooling": options.pooling.value,
                "similarity": options.similarity.name,
                "word_similarity": options.word_similarity.value,
                "element weights": None,
                "counting": self.counting.value,
                **self.words.options(),
            },
            "universe": None,
            **self.words.identity(),
        }
