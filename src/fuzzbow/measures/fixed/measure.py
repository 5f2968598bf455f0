"""Measures over a fixed universe: each text has one membership row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Integers, blocks
from fuzzbow.encoding import Encoder, Texts
from fuzzbow.engine import WHOLE, Bags, DynamicOptions, Engine, Matches, Share, WordTable
from fuzzbow.fuzzy import (
    JACCARD,
    Pooling,
    SetSimilarity,
    Universe,
    WordSimilarity,
    word_similarities,
)
from fuzzbow.measures.blockwise_join import join_by_blocks
from fuzzbow.measures.counting import Counting, count_words
from fuzzbow.measures.decomposition import Decomposition
from fuzzbow.measures.fixed.dimensions import element_names
from fuzzbow.measures.fixed.explanation import decompose
from fuzzbow.measures.fixed.searcher import ROW_BUDGET, FixedSearcher
from fuzzbow.measures.measure import Ability, Measure
from fuzzbow.measures.word_matches import WordMatches
from fuzzbow.measures.words import Words
from fuzzbow.measures.words.base import digest
from fuzzbow.progress import Progress

SAMPLE_ROWS = 16  # of a universe, for its identity


@dataclass(frozen=True)
class FixedMeasure(Measure):
    """Texts are membership rows over a universe that does not depend on them."""

    name: str
    words: Words = field(repr=False)
    engine: Engine = field(repr=False)
    universe_of: Callable[[Words], Floats] = field(repr=False)
    pooling: Pooling = Pooling.MAX
    similarity: SetSimilarity = JACCARD
    word_similarity: WordSimilarity = WordSimilarity.DOT
    counting: Counting = Counting.REPEAT
    given_weights: Floats | None = field(default=None, repr=False)
    kind: Universe | None = None  # None for one that the caller gave

    @staticmethod
    def abilities_of(pooling: Pooling, similarity: SetSimilarity) -> frozenset[Ability]:
        """Return the abilities of a measure with these parts."""
        explains = {Ability.EXPLAIN} if pooling is Pooling.MAX else set()
        joins = {Ability.JOIN} if similarity.symmetric else set()
        return frozenset({Ability.SEARCH, Ability.MEMBERSHIPS} | explains | joins)

    @property
    def abilities(self) -> frozenset[Ability]:  # type: ignore[override]
        """Return the abilities of this measure."""
        return self.abilities_of(self.pooling, self.similarity)

    @property
    def uses_collection(self) -> bool:  # type: ignore[override]
        """Return whether a collection may decide the weights of words."""
        return self.words.uses_collection

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """Return whether both orders of two texts score the same."""
        return self.similarity.symmetric

    @cached_property
    def universe(self) -> Floats:
        """The universe, made when it is first needed: (u, d)."""
        return self.universe_of(self.words)

    @cached_property
    def weights(self) -> Floats | None:
        """Weights of its elements, (u,): given, or where they are words, those of the words."""
        if self.given_weights is None and self.kind is Universe.VOCABULARY:
            return self.words.vocabulary_weights()
        return self.given_weights

    def pairs(self, texts: Texts, left: Integers, right: Integers) -> Floats:
        """Text left[i] with text right[i]: (n,), (n,) -> (n,)."""
        scores = np.zeros(len(left))
        for part in blocks(len(left), self._block // 2 or 1):
            used, places = np.unique([left[part], right[part]], return_inverse=True)
            rows, filled = self.memberships(texts.take(used))
            a, b = places.reshape(2, -1)
            found = self.engine.row_pairs(
                rows[a], rows[b], self.similarity, self.weights, signed=self._signed
            )
            scores[part] = found * (filled[a] & filled[b])
        return self._bounded(scores)

    def matrix(self, texts: Texts, rows: Integers, columns: Integers) -> Floats:
        """Every row text with every column text: (n,), (m,) -> (n, m)."""
        scores = np.zeros((len(rows), len(columns)))
        for part in blocks(len(columns), self._block):
            b, filled_b = self.memberships(texts.take(columns[part]))
            for some in blocks(len(rows), self._block):
                a, filled_a = self.memberships(texts.take(rows[some]))
                scores[some, part] = self.row_scores(a, filled_a, b, filled_b)
        return scores

    def row_scores(self, a: Floats, filled_a: Booleans, b: Floats, filled_b: Booleans) -> Floats:
        """Scores of membership rows, 0 with a text without words: (n, u), (m, u) -> (n, m)."""
        found = self.engine.row_matrix(a, b, self.similarity, self.weights, signed=self._signed)
        return self._bounded(found * (filled_a[:, None] & filled_b[None, :]))

    def memberships(self, texts: Texts) -> tuple[Floats, Booleans]:
        """The membership row of each text, and which texts have words: (texts, u), (texts,).

        A text has the same row in any batch, in the engine's precision; but ratios of sums
        that may cancel, as of averages under Jaccard, need all the digits.
        """
        vectors, known = self.words.vectors(texts)
        word_rows = word_similarities(
            vectors, self.universe, self.word_similarity, self.engine.products
        )
        bags = count_words(known, self.counting)
        rows = self.engine.memberships(word_rows, bags, self.pooling)
        if not self._signed or self.similarity.squares:
            rows = rows.astype(self.engine.precision, copy=False)
        return rows, bags.rows.lengths > 0

    def element_names(self) -> list[str]:
        """The words of a universe of words, else such as "axis 3": u names."""
        return element_names(self, np.arange(len(self.universe)))

    def searcher(self, encoder: Encoder) -> FixedSearcher:
        """Membership rows of all documents."""
        return FixedSearcher(self, encoder)

    def join(
        self,
        texts: Texts,
        *,
        threshold: float,
        boundary: int | None,
        progress: Progress,
        share: Share = WHOLE,
    ) -> Iterator[Matches]:
        """Pairs i < j at or above the threshold, by all scores, a block at a time."""
        self.require(Ability.JOIN)
        return join_by_blocks(self, texts, threshold, boundary, share, progress)

    def word_matches(self, texts: Texts) -> WordMatches:
        """Words compared by clipped cosine: they have no similarity of their own here."""
        vectors, rows = self.words.vectors(texts)
        options = DynamicOptions(word_similarity=WordSimilarity.CLIPPED_COSINE)
        scores = partial(self.pairs, texts)
        return WordMatches.of(self.engine, WordTable(vectors), Bags(rows), options, scores)

    def decompose(self, texts: Texts, left: int, right: int, *, dimensions: int) -> Decomposition:
        """The score of two texts as a sum of exact shares of dimensions and words."""
        self.require(Ability.EXPLAIN)
        return decompose(self, texts, left, right, dimensions)

    def identity(self) -> dict[str, Any]:
        """The words, the universe, and how rows are compared."""
        return {
            "measure": {
                "name": self.name,
                "words": self.words.name,
                "pooling": self.pooling.value,
                "similarity": self.similarity.name,
                "word_similarity": self.word_similarity.value,
                "element weights": None if self.weights is None else digest(self.weights),
                "counting": self.counting.value,
                **self.words.options(),
            },
            "universe": _sample(self.universe),
            **self.words.identity(),
        }

    @property
    def _signed(self) -> bool:
        """Averages, sums and minima may be negative."""
        return self.pooling is not Pooling.MAX

    @property
    def _block(self) -> int:
        """Return the number of membership rows that fit into the budget."""
        return max(ROW_BUDGET // (16 * len(self.universe)), 1)

    def _bounded(self, scores: Floats) -> Floats:
        """Rounding must not lift a max-pooled score above 1."""
        return scores if self._signed else np.minimum(scores, 1.0)


def _sample(universe: Floats) -> dict[str, Any]:
    """The shape of a universe and some of its numbers."""
    rows = np.linspace(0, len(universe) - 1, min(SAMPLE_ROWS, len(universe))).astype(int)
    sample = np.asarray(universe[rows, :SAMPLE_ROWS], dtype=np.float64)
    return {"shape": list(universe.shape), "sample": sample.round(6).tolist()}
