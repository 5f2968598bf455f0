"""Measures whose universe is the words of the two texts, or of the query alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats, Integers
from fuzzbow.encoding import Encoder, Texts, WordCache
from fuzzbow.engine import Batch, Corpus, DynamicOptions, Engine, JoinOptions, Matches, WordTable
from fuzzbow.fuzzy import Pooling, Universe, pool
from fuzzbow.measures.decomposition import Decomposition, Parts, places_of, split_score
from fuzzbow.measures.frequencies import Counting
from fuzzbow.measures.measure import Ability, WordsMeasure, option_names, part_of
from fuzzbow.measures.searcher import CollectionSearcher, CorpusSearcher, Searcher
from fuzzbow.measures.word_matches import WordMatches
from fuzzbow.measures.words import Words


@dataclass(frozen=True)
class DynamicMeasure(WordsMeasure):
    """Measure over the words of the two texts."""

    name: str
    words: Words = field(repr=False)
    engine: Engine = field(repr=False)
    options: DynamicOptions
    counting: Counting = Counting.REPEAT

    symmetric = part_of("options.symmetric")

    @property
    def all_abilities(self) -> frozenset[Ability]:  # type: ignore[override]
        """Return the abilities of a measure with these options."""
        return dynamic_abilities(self.options)

    def pairs(self, texts: Texts, left: Integers, right: Integers) -> Floats:
        """Compare text left[i] with text right[i]: (n,), (n,) -> (n,)."""
        return self.engine.pairs(self.prepare(texts), left, right, self.options)

    def matrix(self, texts: Texts, rows: Integers, columns: Integers) -> Floats:
        """Compare every row text with every column text: (n,), (m,) -> (n, m)."""
        batch = self.for_columns(texts, columns).prepare(texts)
        return self.engine.matrix(batch, rows, columns, self.options)

    def word_cache(self, encoder: Encoder) -> WordCache | None:
        """Return a cache over a lexicon of the engine; None for sets and bags."""
        if self.counting is not Counting.REPEAT:
            return None
        engine, options = self.engine, self.options

        def lexicon(table: WordTable, splitting: str | None) -> Any:
            return engine.lexicon(table, options, splitting)

        return WordCache(encoder, self.prepare, lexicon, self.words.row_rules())

    def searcher(self, encoder: Encoder) -> Searcher:
        """Return a searcher with a corpus of the engine."""
        kind = CollectionSearcher if self.depends_on_batch else CorpusSearcher
        return kind(self, encoder)

    def corpus(self, documents: Batch) -> Corpus:
        """Make a corpus of documents in the engine."""
        return self.engine.corpus(documents, self.options)

    def join(self, texts: Texts, options: JoinOptions) -> Iterator[Matches]:
        """Yield pairs i < j at or above the threshold, by the engine's join."""
        self.require(Ability.JOIN)
        return self.engine.join(self.prepare(texts), self.options, options)

    def word_matches(self, texts: Texts) -> WordMatches:
        """Return the words, to be compared as in a score."""
        batch = self.prepare(texts)

        def scores(left: Integers, right: Integers) -> Floats:
            used, position = np.unique([left, right], return_inverse=True)
            a, b = position.reshape(2, -1)
            return self.engine.pairs(Batch(batch.table, batch.texts.take(used)), a, b, self.options)

        return WordMatches(self.engine, batch.table, batch.texts.rows, self.options, scores)

    def decompose(self, texts: Texts, left: int, right: int, *, dimensions: int) -> Decomposition:
        """Split the score of two texts into exact shares of their words, in float64.

        If the universe is the words of the first text, those of the second have weight 0.
        """
        self.require(Ability.EXPLAIN)
        batch = self.prepare(texts)
        table, bags = batch.table, batch.texts
        engine, options = self.engine, self.options
        A, B = bags.rows[left], bags.rows[right]
        places = places_of(texts.rows[left], A), places_of(texts.rows[right], B)
        between = engine.similarities(table, A, B, options)  # (k, l)
        counts = bags.counts_of(left), bags.counts_of(right)
        place_left, similar_left, left_in_right = _matches(between.T, counts[1], places[1])
        place_right, similar_right, right_in_left = _matches(between, counts[0], places[0])
        own_left, own_right = (
            pool(engine.similarities(table, words, words, options), Pooling.MAX, counted)
            for words, counted in zip((A, B), counts, strict=True)
        )
        in_left = np.concatenate([own_left, right_in_left])
        in_right = np.concatenate([left_in_right, own_right])
        words = np.concatenate([A, B])
        weights = np.ones(len(words)) if table.weights is None else table.weights[words]
        if options.universe is Universe.QUERY:  # words of the right text are no elements
            weights = np.concatenate([weights[: len(A)], np.zeros(len(B))])
        shares = split_score(in_left, in_right, weights, options.similarity)

        of_elements: Any = (
            shares.intersection,
            shares.union,
            shares.score,
            weights,
            in_left,
            in_right,
        )

        def parts(own_places: Integers, place: Integers, similarity: Floats, own: slice) -> Parts:
            return Parts(
                own_places,
                place,
                similarity,
                *(values[own] for values in of_elements),
            )

        first, second = slice(None, len(A)), slice(len(A), None)
        return Decomposition(
            options.similarity.formula,
            shares,
            self.words.treatments(texts),
            parts(places[0], place_left, similar_left, first),
            parts(places[1], place_right, similar_right, second),
        )

    def identity(self) -> dict[str, Any]:
        """Return the words and the options."""
        parts = {"universe": self.options.universe.value, "element weights": None}
        parts |= option_names(self.options, self.counting)
        return self.words.measure_identity(self.name, parts)


def dynamic_abilities(options: DynamicOptions) -> frozenset[Ability]:
    """Return the abilities of a dynamic measure with these options."""
    if options.pooling is not Pooling.MAX:
        return frozenset({Ability.SEARCH})
    joins = {Ability.JOIN} if options.symmetric else set()
    return frozenset({Ability.SEARCH, Ability.EXPLAIN} | joins)


def _matches(
    rows: Floats, counts: Floats | None, places: Integers
) -> tuple[Integers, Floats, Floats]:
    """Find the best row for each column: (l, k), counts and places of the rows (l,).

    Return its position, or -1 for none above 0, its similarity and the membership: (k,) each.
    """
    if len(rows) == 0:
        nothing = np.zeros(rows.shape[1])
        return np.full(rows.shape[1], -1), nothing, nothing
    counted = rows if counts is None else rows * counts[:, None]
    best = counted.argmax(axis=0)
    columns = np.arange(rows.shape[1])
    membership = np.maximum(counted[best, columns], 0.0)
    place = np.where(membership > 0, places[best], -1)
    return place, rows[best, columns], membership
