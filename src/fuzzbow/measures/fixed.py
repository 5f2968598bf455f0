"""Measures over a universe that does not depend on the texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Integers, blocks
from fuzzbow.encoding import Encoder, TextList, Texts, TokenIds
from fuzzbow.engine import (
    Bags,
    Batch,
    DynamicOptions,
    Engine,
    Found,
    JoinOptions,
    Matches,
    SetOptions,
    TopK,
    WordTable,
)
from fuzzbow.fuzzy import (
    JACCARD,
    Pooling,
    SetSimilarity,
    Universe,
    WordSimilarity,
    word_similarities,
)
from fuzzbow.measures.blockwise_join import join_by_blocks
from fuzzbow.measures.decomposition import Decomposition
from fuzzbow.measures.fixed_explanation import decompose, element_names
from fuzzbow.measures.frequencies import Counting, count_words
from fuzzbow.measures.measure import Ability, Measure, part_of
from fuzzbow.measures.searcher import Searcher
from fuzzbow.measures.word_matches import WordMatches
from fuzzbow.measures.words import Words
from fuzzbow.measures.words.base import digest

SAMPLE_ROWS = 16  # of a universe, for its identity
ROW_BUDGET = 32_000_000  # membership values held together: 256 MB of float64
KEPT_UNIVERSE = 1024  # rows over a larger universe are computed for each search
BLOCK_ROWS = 16_384
SCORE_BLOCK = 16_000_000  # queries × texts


@dataclass(frozen=True)
class FixedMeasure(Measure):
    """Measure of membership rows over one universe."""

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

    uses_collection = part_of("words.uses_collection")
    symmetric = part_of("similarity.symmetric")

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

    @cached_property
    def universe(self) -> Floats:
        """The universe: (u, d)."""
        return self.universe_of(self.words)

    @cached_property
    def weights(self) -> Floats | None:
        """Weights of the elements, (u,): given, or those of the words in a universe of words."""
        if self.given_weights is None and self.kind is Universe.VOCABULARY:
            return self.words.vocabulary_weights()
        return self.given_weights

    def pairs(self, texts: Texts, left: Integers, right: Integers) -> Floats:
        """Compare text left[i] with text right[i]: (n,), (n,) -> (n,)."""
        scores = np.zeros(len(left))
        for part in blocks(len(left), self._block // 2 or 1):
            used, places = np.unique([left[part], right[part]], return_inverse=True)
            rows, filled = self.memberships(texts.take(used))
            a, b = places.reshape(2, -1)
            found = self.engine.row_pairs(rows[a], rows[b], self._options)
            scores[part] = found * (filled[a] & filled[b])
        return self._bounded(scores)

    def matrix(self, texts: Texts, rows: Integers, columns: Integers) -> Floats:
        """Compare every row text with every column text: (n,), (m,) -> (n, m)."""
        scores = np.zeros((len(rows), len(columns)))
        for part in blocks(len(columns), self._block):
            b, filled_b = self.memberships(texts.take(columns[part]))
            for some in blocks(len(rows), self._block):
                a, filled_a = self.memberships(texts.take(rows[some]))
                scores[some, part] = self.row_scores(a, filled_a, b, filled_b)
        return scores

    def row_scores(self, a: Floats, filled_a: Booleans, b: Floats, filled_b: Booleans) -> Floats:
        """Score membership rows; a text without words scores 0: (n, u), (m, u) -> (n, m)."""
        found = self.engine.row_matrix(a, b, self._options)
        return self._bounded(found * (filled_a[:, None] & filled_b[None, :]))

    def memberships(self, texts: Texts) -> tuple[Floats, Booleans]:
        """Return the membership row of each text, and mark texts with words: (texts, u), (texts,).

        A text has the same row in any batch, in the engine's precision, or in float64 where sums
        may cancel, as for averages under Jaccard.
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
        """Name the elements: the words of a universe of words, else such as "axis 3"."""
        return element_names(self, np.arange(len(self.universe)))

    def searcher(self, encoder: Encoder) -> FixedSearcher:
        """Return membership rows of all documents."""
        return FixedSearcher(self, encoder)

    def join(self, texts: Texts, options: JoinOptions) -> Iterator[Matches]:
        """Yield pairs i < j at or above the threshold, by all scores, a block at a time."""
        self.require(Ability.JOIN)
        return join_by_blocks(self, texts, options)

    def word_matches(self, texts: Texts) -> WordMatches:
        """Return words compared by clipped cosine, as the measure does not compare words."""
        vectors, rows = self.words.vectors(texts)
        options = DynamicOptions(word_similarity=WordSimilarity.CLIPPED_COSINE)
        batch = Batch(WordTable(vectors), Bags(rows))
        return WordMatches.of(self.engine, batch, options, partial(self.pairs, texts))

    def decompose(self, texts: Texts, left: int, right: int, *, dimensions: int) -> Decomposition:
        """Split the score of two texts into exact shares of dimensions and words."""
        self.require(Ability.EXPLAIN)
        return decompose(self, texts, left, right, dimensions)

    def identity(self) -> dict[str, Any]:
        """Return the words, the universe and the options."""
        parts = {
            "pooling": self.pooling.value,
            "similarity": self.similarity.name,
            "word_similarity": self.word_similarity.value,
            "element weights": None if self.weights is None else digest(self.weights),
            "counting": self.counting.value,
        }
        universe = self.universe
        rows = np.linspace(0, len(universe) - 1, min(SAMPLE_ROWS, len(universe))).astype(int)
        sample = np.asarray(universe[rows, :SAMPLE_ROWS], dtype=np.float64).round(6).tolist()
        shape = list(universe.shape)
        return self.words.measure_identity(self.name, parts, {"shape": shape, "sample": sample})

    @property
    def _signed(self) -> bool:
        """Return whether rows may be negative: averages, sums and minima."""
        return self.pooling is not Pooling.MAX

    @property
    def _options(self) -> SetOptions:
        return SetOptions(self.similarity, self.weights, self._signed)

    @property
    def _block(self) -> int:
        """Return the number of membership rows that fit into the budget."""
        return max(ROW_BUDGET // (16 * len(self.universe)), 1)

    def _bounded(self, scores: Floats) -> Floats:
        """Clip max-pooled scores to 1, which rounding may exceed."""
        return scores if self._signed else np.minimum(scores, 1.0)


class FixedSearcher(Searcher):
    """Membership rows of all texts, in blocks."""

    def __init__(self, measure: FixedMeasure, encoder: Encoder) -> None:
        self._measure, self._encoder = measure, encoder
        universe = len(measure.universe)
        self._kept = universe <= KEPT_UNIVERSE
        self._block_rows = min(BLOCK_ROWS, max(ROW_BUDGET // (16 * universe), 1))
        self._blocks: list[Texts | tuple[Floats, Booleans]] = []  # membership rows where kept
        self._alive = np.zeros(0, dtype=np.bool_)

    def append(self, tokens: TokenIds) -> None:
        """Add texts."""
        for part in blocks(len(tokens), self._block_rows):
            chosen = tokens.take(np.arange(part.start, part.stop))
            texts = self._encoder.batch(chosen)
            self._blocks.append(self._measure.memberships(texts) if self._kept else texts)
        self._alive = np.concatenate([self._alive, np.ones(len(tokens), dtype=np.bool_)])

    def delete(self, documents: Integers) -> None:
        """Delete documents."""
        self._alive[documents] = False

    def search(self, texts: TextList, options: TopK) -> Found:
        """Find the k best documents of each query."""
        allowed = options.allowed
        usable = self._alive if allowed is None else self._alive & allowed
        queries = self._measure.memberships(self._encoder.batch(self._encoder.word_ids(texts)))
        step = min(max(SCORE_BLOCK // max(len(usable), 1), 1), self._block_rows)
        found = [
            best_documents(self._scores(queries[0][part], queries[1][part]), usable, options)
            for part in blocks(len(texts), step)
        ]
        return Found(
            np.concatenate([part.documents for part in found]),
            np.concatenate([part.scores for part in found]),
        )

    def measure(self) -> Measure:
        """Return the measure, which does not depend on the documents."""
        return self._measure

    def memory_bytes(self) -> int:
        """Return the memory of the documents."""
        total = self._alive.nbytes
        for block in self._blocks:
            one, other = (
                (block.rows.values, block.rows.offsets) if isinstance(block, Texts) else block
            )
            total += one.nbytes + other.nbytes
        return total

    def _scores(self, rows: Floats, filled: Booleans) -> Floats:
        """Score every query with every text: (q, u) -> (q, documents)."""
        parts: list[Floats] = [np.zeros((len(rows), 0))]
        for block in self._blocks:
            made = self._measure.memberships(block) if isinstance(block, Texts) else block
            parts.append(self._measure.row_scores(rows, filled, *made))
        return np.concatenate(parts, axis=1)


def best_documents(scores: Floats, usable: Booleans, options: TopK) -> Found:
    """Find the k best usable documents of each row, ties by insertion: (q, n) -> (q, k).

    >>> some = np.array([[0.5, 0.9, 0.5]])
    >>> found = best_documents(some, np.ones(3, bool), TopK(2))
    >>> found.documents.tolist(), found.scores.tolist()
    ([[1, 0]], [[0.9, 0.5]])
    """
    width = min(options.k, scores.shape[1])
    documents = np.full((len(scores), width), -1, dtype=np.int64)
    best = np.zeros((len(scores), width))
    for query, row in enumerate(scores):
        chosen = np.flatnonzero(usable & (row >= options.min_score))
        if len(chosen) > width > 0:
            worst = np.partition(row[chosen], len(chosen) - width)[len(chosen) - width]
            chosen = chosen[row[chosen] >= worst]
        order = chosen[np.argsort(-row[chosen], kind="stable")][:width]
        documents[query, : len(order)] = order
        best[query, : len(order)] = row[order]
    return Found(documents, best)
