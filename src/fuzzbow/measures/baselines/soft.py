"""Baselines with crisp sets and soft equality of words: soft cardinality and soft cosine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from fuzzbow.arrays import Floats
from fuzzbow.encoding import Texts
from fuzzbow.fuzzy import WordSimilarity, word_similarities
from fuzzbow.measures.baselines.loops import LoopMeasure
from fuzzbow.measures.words import Words


@dataclass(frozen=True)
class SoftCardinality(LoopMeasure):
    """Jaccard of soft cardinalities: |A| = Σ_i 1 / Σ_j sim(i, j), clipped cosine, p = 1.

    A text is a multiset. A word of the union stands there as often as in the text that
    has it more often; the intersection is |A| + |B| - |A ∪ B|.
    """

    words: Words = field(repr=False)
    name: str = "soft-cardinality"

    def scorer(self, texts: Texts) -> Callable[[int, int], float]:
        """Cardinality of each text of the batch, then of each union."""
        vectors, rows = self.words.vectors(texts)
        bags = [Counter(words.tolist()) for words in rows]
        sizes = [_cardinality(vectors, bag) for bag in bags]

        def score(a: int, b: int) -> float:
            union = _cardinality(vectors, bags[a] | bags[b])
            return (sizes[a] + sizes[b] - union) / union if bags[a] and bags[b] and union else 0.0

        return score


def _cardinality(vectors: Floats, bag: Counter[int]) -> float:
    """Words that resemble each other count for less than one each: (m, d), bag -> float."""
    counts = np.fromiter(bag.values(), dtype=np.float64, count=len(bag))
    words = vectors[list(bag)]
    totals = word_similarities(words, words, WordSimilarity.CLIPPED_COSINE) @ counts
    return float((counts[totals > 0] / totals[totals > 0]).sum())


@dataclass(frozen=True)
class SoftCosine(LoopMeasure):
    """Cosine of bags of words whose axes are not orthogonal: clipped cosine between words.

    With cosines left unclipped this is the cosine of averaged unit vectors.
    """

    words: Words = field(repr=False)
    name: str = "soft-cosine"

    def scorer(self, texts: Texts) -> Callable[[int, int], float]:
        """Soft length of each text of the batch, then of each product."""
        vectors, texts_words = self.words.vectors(texts)
        rows = [vectors[words] for words in texts_words]
        squares = [_product(row, row) for row in rows]

        def score(a: int, b: int) -> float:
            lengths = float(np.sqrt(squares[a] * squares[b]))
            return min(_product(rows[a], rows[b]) / lengths, 1.0) if lengths else 0.0

        return score


def _product(X: Floats, Y: Floats) -> float:
    """Sum of the similarities of every word with every other: (k, d), (l, d) -> float."""
    return float(word_similarities(X, Y, WordSimilarity.CLIPPED_COSINE).sum())
