"""Measures over a fixed universe: each text has one membership row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Integers, blocks
from fuzzbow.engine import Engine
from fuzzbow.fuzzy import Pooling, SetSimilarity, Universe, WordSimilarity, word_similarities
from fuzzbow.measures.counting import Counting, count_words
from fuzzbow.measures.space import Texts, WordSpace, known_rows

ROW_BUDGET = 32_000_000  # membership values held at once: 256 MB of float64


@dataclass(frozen=True)
class FixedMeasure:
    """Texts are membership rows over a universe that does not depend on them."""

    name: str
    space: WordSpace = field(repr=False)
    engine: Engine = field(repr=False)
    universe_of: Callable[[WordSpace], Floats] = field(repr=False)
    pooling: Pooling = Pooling.MAX
    similarity: SetSimilarity = SetSimilarity.JACCARD
    word_similarity: WordSimilarity = WordSimilarity.DOT
    counting: Counting = Counting.REPEAT
    weights: Floats | None = field(default=None, repr=False)
    kind: Universe | None = None  # None for one that the caller gave

    @cached_property
    def universe(self) -> Floats:
        """The universe, made when it is first needed: (u, d)."""
        return self.universe_of(self.space)

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
        vectors, known = self.space.word_vectors(texts)
        word_rows = word_similarities(
            vectors, self.universe, self.word_similarity, self.engine.products
        )
        bags = count_words(known_rows(texts, known), self.counting)
        rows = self.engine.memberships(word_rows, bags, self.pooling)
        if not self._signed or self.similarity is SetSimilarity.COSINE:
            rows = rows.astype(self.engine.precision, copy=False)
        return rows, bags.rows.lengths > 0

    @property
    def _signed(self) -> bool:
        """Averages, sums and minima may be negative."""
        return self.pooling is not Pooling.MAX

    @property
    def _block(self) -> int:
        """How many membership rows fit into the budget."""
        return max(ROW_BUDGET // (16 * len(self.universe)), 1)

    def _bounded(self, scores: Floats) -> Floats:
        """Rounding must not lift a max-pooled score above 1."""
        return scores if self._signed else np.minimum(scores, 1.0)
