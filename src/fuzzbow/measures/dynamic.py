"""Measures whose universe is the words of the two texts, or of the query alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats, Integers
from fuzzbow.encoding import Encoder, Texts, TrigramIds, WordCache
from fuzzbow.engine import Batch, Corpus, DynamicOptions, Engine, JoinOptions, Matches
from fuzzbow.fuzzy import Pooling, Universe, pool
from fuzzbow.measures.decomposition import Decomposition, Parts, places_of, split_score
from fuzzbow.measures.frequencies import Counting, count_words
from fuzzbow.measures.measure import Ability, part_of
from fuzzbow.measures.searcher import CorpusMeasure, CorpusSearcher
from fuzzbow.measures.word_matches import WordMatches
from fuzzbow.measures.words import Words


@dataclass(frozen=True)
class DynamicMeasure(CorpusMeasure):
    """Measure over the words of the two texts."""

    name: str
    words: Words = field(repr=False)
    engine: Engine = field(repr=False)
    options: DynamicOptions
    counting: Counting = Counting.REPEAT

    uses_collection = part_of("words.uses_collection")
    uses_vectors = part_of("words.uses_vectors")
    symmetric = part_of("options.symmetric")

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

    def pairs(self, texts: Texts, left: Integers, right: Integers) -> Floats:
        """Compare text left[i] with text right[i]: (n,), (n,) -> (n,)."""
        return self.engine.pairs(self.prepare(texts), left, right, self.options)

    def matrix(self, texts: Texts, rows: Integers, columns: Integers) -> Floats:
        """Compare every row text with every column text: (n,), (m,) -> (n, m)."""
        return self.engine.matrix(self.prepare(texts), rows, columns, self.options)

    def prepare(self, texts: Texts, trigram_ids: TrigramIds | None = None) -> Batch:
        """Return the words as they are compared, and the texts as bags of them."""
        table, rows = self.words.prepare(texts, self.engine.precision, trigram_ids)
        return Batch(table, count_words(rows, self.counting))

    def word_cache(self, encoder: Encoder) -> WordCache | None:
        """Return a cache over a lexicon of the engine; None for sets and bags."""
        if self.counting is not Counting.REPEAT:
            return None
        engine, options = self.engine, self.options
        return WordCache(
            encoder,
            self.prepare,
            lambda table, splitting: engine.lexicon(table, options, splitting),
        )

    def searcher(self, encoder: Encoder) -> CorpusSearcher:
        """Return documents in the engine's corpus."""
        return CorpusSearcher(self, encoder)

    def corpus(self, documents: Batch) -> Corpus:
        """Return documents in the engine."""
        return self.engine.corpus(documents, self.options)

    def join(self, texts: Texts, options: JoinOptions) -> Iterator[Matches]:
        """Yield pairs i < j at or above the threshold, by the engine's join."""
        self.require(Ability.JOIN)
        return self.engine.join(self.prepare(texts), self.options, options)

    def word_matches(self, texts: Texts) -> WordMatches:
        """Return words compared as in a score."""
        batch = self.prepare(texts)

        def scores(left: Integers, right: Integers) -> Floats:
            used, position = np.unique([left, right], return_inverse=True)
            a, b = position.reshape(2, -1)
            return self.engine.pairs(Batch(batch.table, batch.texts.take(used)), a, b, self.options)

        return WordMatches.of(self.engine, batch, self.options, scores)

    def decompose(self, texts: Texts, left: int, right: int, *, dimensions: int) -> Decomposition:
        """Split the score of two texts into exact shares of their words."""
        self.require(Ability.EXPLAIN)
        return decompose(self, texts, left, right)

    def identity(self) -> dict[str, Any]:
        """Return the words and the options."""
        options = self.options
        parts = {
            "universe": options.universe.value,
            "pooling": options.pooling.value,
            "similarity": options.similarity.name,
            "word_similarity": options.word_similarity.value,
            "element weights": None,
            "counting": self.counting.value,
        }
        return self.words.measure_identity(self.name, parts)


def decompose(measure: DynamicMeasure, texts: Texts, left: int, right: int) -> Decomposition:
    """Split the score of two texts of the batch into shares of their words, in float64.

    If the universe is the words of the first text, those of the second have weight 0.
    """
    batch = measure.prepare(texts)
    table, bags = batch.table, batch.texts
    engine, options = measure.engine, measure.options
    A, B = bags.rows[left], bags.rows[right]
    places = places_of(texts.rows[left], A), places_of(texts.rows[right], B)
    between = engine.similarities(table, A, B, options)  # (k, l)
    place_left, similar_left, left_in_right = _matches(between.T, bags.counts_of(right), places[1])
    place_right, similar_right, right_in_left = _matches(between, bags.counts_of(left), places[0])

    def own(text: int, words: Integers) -> Floats:
        inside = engine.similarities(table, words, words, options)
        return pool(inside, Pooling.MAX, bags.counts_of(text))

    in_left = np.concatenate([own(left, A), right_in_left])
    in_right = np.concatenate([left_in_right, own(right, B)])
    words = np.concatenate([A, B])
    weights = np.ones(len(words)) if table.weights is None else table.weights[words]
    if options.universe is Universe.QUERY:  # words of the right text are no elements
        weights = np.concatenate([weights[: len(A)], np.zeros(len(B))])
    shares = split_score(in_left, in_right, weights, options.similarity)

    def parts(own_places: Integers, place: Integers, similarity: Floats, own: slice) -> Parts:
        return Parts(
            own_places,
            place,
            similarity,
            shares.intersection[own],
            shares.union[own],
            shares.score[own],
            weights[own],
            in_left[own],
            in_right[own],
        )

    first, second = slice(None, len(A)), slice(len(A), None)
    return Decomposition(
        options.similarity.formula,
        shares,
        measure.words.treatments(texts),
        parts(places[0], place_left, similar_left, first),
        parts(places[1], place_right, similar_right, second),
    )


def _matches(
    rows: Floats, counts: Floats | None, places: Integers
) -> tuple[Integers, Floats, Floats]:
    """Find the best row for each column: (l, k), counts and places of the rows (l,).

    Returns its place, or -1 for none above 0, its similarity and the membership: (k,) each.
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
