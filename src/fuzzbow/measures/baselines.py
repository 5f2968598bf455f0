"""Baselines without a batch form: crisp sets, soft sets, optimal transport."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from fuzzbow.arrays import Floats, Integers
from fuzzbow.encoding import Texts
from fuzzbow.errors import MissingExtraError
from fuzzbow.fuzzy import WordSimilarity, word_similarities
from fuzzbow.measures.frequencies import distinct_words
from fuzzbow.measures.measure import Measure
from fuzzbow.measures.words import Words

Score = Callable[[int, int], float]  # of two texts of a batch


@dataclass(frozen=True)
class LoopMeasure(Measure):
    """Measure by a function that scores one pair of texts at a time."""

    name: str
    scorer: Callable[[Texts], Score] = field(repr=False)  # for the texts of a batch
    uses_vectors: bool = True

    def pairs(self, texts: Texts, left: Integers, right: Integers) -> Floats:
        """Compare text left[i] with text right[i]: (n,), (n,) -> (n,)."""
        score = self.scorer(texts)
        pairs = zip(left.tolist(), right.tolist(), strict=True)
        return np.array([score(a, b) for a, b in pairs], dtype=np.float64)

    def matrix(self, texts: Texts, rows: Integers, columns: Integers) -> Floats:
        """Compare every row text with every column text: (n,), (m,) -> (n, m)."""
        score = self.scorer(texts)
        scores = [[score(a, b) for b in columns.tolist()] for a in rows.tolist()]
        return np.array(scores, dtype=np.float64).reshape(len(rows), len(columns))


def crisp_jaccard(texts: Texts, *, bag: bool) -> Score:
    """Score by shared words over all words, counted once for a set; none needs a vector."""
    rows = (row.tolist() for row in texts.rows)
    bags = [Counter(row if bag else set(row)) for row in rows]

    def score(a: int, b: int) -> float:
        shared = (bags[a] & bags[b]).total()
        whole = bags[a].total() + bags[b].total() - shared
        return shared / whole if whole else 0.0

    return score


def soft_cardinality(words: Words, texts: Texts) -> Score:
    """Score by Jaccard of soft cardinalities: |A| = Σ_i 1 / Σ_j sim(i, j), with clipped cosines and
    p = 1.

    A text is a multiset. The union has a word as often as the text that
    has it more often; the intersection is |A| + |B| - |A ∪ B|.
    """
    vectors, rows = words.vectors(texts)
    bags = [Counter(row.tolist()) for row in rows]
    sizes = [_cardinality(vectors, bag) for bag in bags]

    def score(a: int, b: int) -> float:
        union = _cardinality(vectors, bags[a] | bags[b])
        return (sizes[a] + sizes[b] - union) / union if bags[a] and bags[b] and union else 0.0

    return score


def _cardinality(vectors: Floats, bag: Counter[int]) -> float:
    """Compute the soft cardinality, where similar words count less: (m, d), bag -> float."""
    counts = np.fromiter(bag.values(), dtype=np.float64, count=len(bag))
    words = vectors[list(bag)]
    totals = word_similarities(words, words, WordSimilarity.CLIPPED_COSINE) @ counts
    return float((counts[totals > 0] / totals[totals > 0]).sum())


def soft_cosine(words: Words, texts: Texts) -> Score:
    """Score by the cosine of bags of words with clipped cosines between their axes.

    With cosines left unclipped this is the cosine of averaged unit vectors.
    """
    vectors, texts_words = words.vectors(texts)
    rows = [vectors[row] for row in texts_words]
    squares = [_product(row, row) for row in rows]

    def score(a: int, b: int) -> float:
        lengths = float(np.sqrt(squares[a] * squares[b]))
        return min(_product(rows[a], rows[b]) / lengths, 1.0) if lengths else 0.0

    return score


def _product(X: Floats, Y: Floats) -> float:
    """Sum the similarities of every word with every other: (k, d), (l, d) -> float."""
    return float(word_similarities(X, Y, WordSimilarity.CLIPPED_COSINE).sum())


def word_movers(words: Words, texts: Texts) -> Score:
    """Score by 1 / (1 + distance): nBoW weights, Euclidean costs, optimal transport by POT.

    The map is monotone, so ranks are those of the distance; equal texts score 1.
    """
    transport = _transport()
    vectors, known = words.vectors(texts)
    rows, counts = distinct_words(known)

    def score(a: int, b: int) -> float:
        A, B = (slice(rows.offsets[text], rows.offsets[text + 1]) for text in (a, b))
        if A.start == A.stop or B.start == B.stop:
            return 0.0
        X, Y = vectors[rows.values[A]], vectors[rows.values[B]]
        costs = np.asarray(np.linalg.norm(X[:, None, :] - Y[None, :, :], axis=2))  # (k, l)
        share_a, share_b = counts[A] / counts[A].sum(), counts[B] / counts[B].sum()
        return 1.0 / (1.0 + max(transport(share_a, share_b, costs), 0.0))

    return score


def _transport() -> Callable[[Floats, Floats, Floats], float]:
    """Return the exact solver of POT: cost of moving one distribution onto another."""
    try:
        from ot.lp import emd2
    except ImportError as error:
        raise MissingExtraError("POT", "wmd") from error
    return lambda a, b, costs: float(emd2(a, b, costs))
