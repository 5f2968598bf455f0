"""Word Mover's Distance, exact, as a similarity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from fuzzbow.arrays import Floats
from fuzzbow.encoding import Texts
from fuzzbow.errors import MissingExtraError
from fuzzbow.measures.baselines.loops import LoopMeasure
from fuzzbow.measures.counting import distinct_words
from fuzzbow.measures.words import Words


@dataclass(frozen=True)
class WordMovers(LoopMeasure):
    """1 / (1 + distance): nBoW weights, Euclidean costs, optimal transport by POT.

    The map is monotone, so ranks are those of the distance; equal texts score 1.
    """

    words: Words = field(repr=False)
    name: str = "wmd"

    def scorer(self, texts: Texts) -> Callable[[int, int], float]:
        """Distinct words and their shares for each text of the batch."""
        transport = _transport()
        vectors, known = self.words.vectors(texts)
        rows, counts = distinct_words(known)

        def score(a: int, b: int) -> float:
            A, B = (slice(rows.offsets[text], rows.offsets[text + 1]) for text in (a, b))
            if A.start == A.stop or B.start == B.stop:
                return 0.0
            costs = _distances(vectors[rows.values[A]], vectors[rows.values[B]])
            share_a, share_b = counts[A] / counts[A].sum(), counts[B] / counts[B].sum()
            return 1.0 / (1.0 + max(transport(share_a, share_b, costs), 0.0))

        return score


def _distances(X: Floats, Y: Floats) -> Floats:
    """Euclidean distances: (k, d), (l, d) -> (k, l)."""
    return np.asarray(np.linalg.norm(X[:, None, :] - Y[None, :, :], axis=2))


def _transport() -> Callable[[Floats, Floats, Floats], float]:
    """The exact solver of POT: cost of moving one distribution onto another."""
    try:
        from ot.lp import emd2
    except ImportError as error:
        raise MissingExtraError("POT", "wmd") from error
    return lambda a, b, costs: float(emd2(a, b, costs))
