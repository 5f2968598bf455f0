"""Measures over a universe that does not depend on the texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Integers, blocks
from fuzzbow.encoding import Encoder, TextList, Texts, TokenIds
from fuzzbow.engine import DynamicOptions, Engine, Found, JoinOptions, Matches, SetOptions, TopK
from fuzzbow.fuzzy import Pooling, Universe, word_similarities
from fuzzbow.measures.blockwise_join import join_by_blocks
from fuzzbow.measures.decomposition import Decomposition
from fuzzbow.measures.fixed_explanation import decompose, element_names
from fuzzbow.measures.frequencies import Counting, count_words
from fuzzbow.measures.measure import Ability, WordsMeasure, option_names, part_of
from fuzzbow.measures.searcher import CollectionSearcher, Searcher
from fuzzbow.measures.word_matches import WordMatches, cosine_matches
from fuzzbow.measures.words import Words, digest

SAMPLE_ROWS = 16  # of a universe, for its identity
ROW_BUDGET = 32_000_000  # membership values held together: 256 MB of float64
KEPT_UNIVERSE = 1024  # rows over a larger universe are computed for each search
BLOCK_ROWS = 16_384
SCORE_BLOCK = 16_000_000  # queries × texts


@dataclass(frozen=True)
class FixedMeasure(WordsMeasure):
    """Measure of membership rows over one universe."""

    name: str
    words: Words = field(repr=False)
    engine: Engine = field(repr=False)
    universe_of: Callable[[Words], Floats] = field(repr=False)
    options: DynamicOptions
    counting: Counting = Counting.REPEAT
    given_weights: Floats | None = field(default=None, repr=False)
    kind: Universe | None = None  # None for one that the caller gave

    symmetric = part_of("options.similarity.symmetric")

    @property
    def all_abilities(self) -> frozenset[Ability]:  # type: ignore[override]
        """Return the abilities of a measure with these options."""
        return fixed_abilities(self.options)

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
        return self._clip(scores)

    def matrix(self, texts: Texts, rows: Integers, columns: Integers) -> Floats:
        """Compare every row text with every column text: (n,), (m,) -> (n, m)."""
        scores, measure = np.zeros((len(rows), len(columns))), self.for_columns(texts, columns)
        for part in blocks(len(columns), self._block):
            b = measure.memberships(texts.take(columns[part]))
            for some in blocks(len(rows), self._block):
                a = measure.memberships(texts.take(rows[some]))
                scores[some, part] = measure.row_scores(*a, *b)
        return scores

    def row_scores(self, a: Floats, filled_a: Booleans, b: Floats, filled_b: Booleans) -> Floats:
        """Score membership rows; a text without words scores 0: (n, u), (m, u) -> (n, m)."""
        found = self.engine.row_matrix(a, b, self._options)
        return self._clip(found * (filled_a[:, None] & filled_b[None, :]))

    def memberships(self, texts: Texts) -> tuple[Floats, Booleans]:
        """Return the membership row of each text, and mark texts with words: (texts, u), (texts,).

        A text has the same row in any batch, in the engine's precision, or in float64 where sums
        may cancel, as for averages under Jaccard.
        """
        vectors, known = self.words.vectors(texts)
        kind, bags = self.options.word_similarity, count_words(known, self.counting)
        word_rows = word_similarities(vectors, self.universe, kind, self.engine.products)
        rows = self.engine.memberships(word_rows, bags, self.options.pooling)
        if not self._signed or self.options.similarity.squares:
            rows = rows.astype(self.engine.precision, copy=False)
        return rows, bags.rows.lengths > 0

    def element_names(self) -> list[str]:
        """Name the elements: the words of a universe of words, or names such as "axis 3"."""
        self.require(Ability.MEMBERSHIPS)
        return element_names(self, np.arange(len(self.universe)))

    def searcher(self, encoder: Encoder) -> Searcher:
        """Return a searcher with the membership rows of documents."""
        kind = CollectionSearcher if self.depends_on_batch else FixedSearcher
        return kind(self, encoder)

    def join(self, texts: Texts, options: JoinOptions) -> Iterator[Matches]:
        """Yield pairs i < j at or above the threshold, scoring all pairs block by block."""
        self.require(Ability.JOIN)
        return join_by_blocks(self, texts, options)

    def word_matches(self, texts: Texts) -> WordMatches:
        """Return words compared by clipped cosine, as the measure does not compare words."""
        return cosine_matches(self.engine, *self.words.vectors(texts), partial(self.pairs, texts))

    def decompose(self, texts: Texts, left: int, right: int, *, dimensions: int) -> Decomposition:
        """Split the score of two texts into exact shares of dimensions and words."""
        self.require(Ability.EXPLAIN)
        return decompose(self, texts, left, right, dimensions)

    def identity(self) -> dict[str, Any]:
        """Return the words, the universe and the options."""
        parts = option_names(self.options, self.counting)
        parts["element weights"] = None if self.weights is None else digest(self.weights)
        universe = self.universe
        rows = np.linspace(0, len(universe) - 1, min(SAMPLE_ROWS, len(universe))).astype(int)
        sample = np.asarray(universe[rows, :SAMPLE_ROWS], dtype=np.float64).round(6).tolist()
        shape = list(universe.shape)
        return self.words.measure_identity(self.name, parts, {"shape": shape, "sample": sample})

    @property
    def _signed(self) -> bool:
        """Return whether rows may be negative: averages, sums and minima."""
        return self.options.pooling is not Pooling.MAX

    @property
    def _options(self) -> SetOptions:
        return SetOptions(self.options.similarity, self.weights, self._signed)

    @property
    def _block(self) -> int:
        """Return the number of membership rows that fit into the memory budget."""
        return max(ROW_BUDGET // (16 * len(self.universe)), 1)

    def _clip(self, scores: Floats) -> Floats:
        """Clip max-pooled scores to 1, which rounding may exceed."""
        return scores if self._signed else np.minimum(scores, 1.0)


def fixed_abilities(options: DynamicOptions) -> frozenset[Ability]:
    """Return the abilities of a measure over a fixed universe with these options."""
    explains = {Ability.EXPLAIN} if options.pooling is Pooling.MAX else set()
    joins = {Ability.JOIN} if options.similarity.symmetric else set()
    return frozenset({Ability.SEARCH, Ability.MEMBERSHIPS} | explains | joins)


class FixedSearcher(Searcher):
    """Searcher over the membership rows of all texts, in blocks."""

    def __init__(self, measure: FixedMeasure, encoder: Encoder) -> None:
        super().__init__(measure, encoder)
        self._fixed, universe = measure, len(measure.universe)
        self._kept = universe <= KEPT_UNIVERSE
        self._block_rows = min(BLOCK_ROWS, max(ROW_BUDGET // (16 * universe), 1))
        self._blocks: list[Texts | tuple[Floats, Booleans]] = []  # membership rows where kept
        self._alive = np.zeros(0, dtype=np.bool_)

    def append(self, tokens: TokenIds) -> None:
        """Add texts."""
        for part in blocks(len(tokens), self._block_rows):
            chosen = tokens.take(np.arange(part.start, part.stop))
            texts = self._encoder.batch(chosen)
            self._blocks.append(self._fixed.memberships(texts) if self._kept else texts)
        self._alive = np.concatenate([self._alive, np.ones(len(tokens), dtype=np.bool_)])

    def delete(self, documents: Integers) -> None:
        """Delete documents."""
        self._alive[documents] = False

    def search(self, texts: TextList, options: TopK) -> Found:
        """Find the k best documents of each query."""
        allowed = options.allowed
        usable = self._alive if allowed is None else self._alive & allowed
        queries, filled = self._rows(self._encoder.batch(self._encoder.word_ids(texts)))
        step = min(max(SCORE_BLOCK // max(len(usable), 1), 1), self._block_rows)
        found = []
        for part in blocks(len(texts), step):
            scores = [np.zeros((part.stop - part.start, 0))]
            for block in self._blocks:
                scores.append(
                    self._fixed.row_scores(queries[part], filled[part], *self._rows(block))
                )
            found.append(best_documents(np.concatenate(scores, axis=1), usable, options))
        return Found(
            np.concatenate([part.documents for part in found]),
            np.concatenate([part.scores for part in found]),
        )

    def memory_bytes(self) -> int:
        """Return the memory used by the documents, in bytes."""
        held = [
            (block.rows.values, block.rows.offsets) if isinstance(block, Texts) else block
            for block in self._blocks
        ]
        return self._alive.nbytes + sum(one.nbytes + other.nbytes for one, other in held)

    def _rows(self, block: Texts | tuple[Floats, Booleans]) -> tuple[Floats, Booleans]:
        """Return the membership rows of a block, and mark texts with words."""
        return self._fixed.memberships(block) if isinstance(block, Texts) else block


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
