"""Measures that have no batch form: one pair at a time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

import numpy as np

from fuzzbow.arrays import Floats, Integers
from fuzzbow.encoding import Texts
from fuzzbow.measures.measure import Measure


class LoopMeasure(Measure):
    """Pairs and matrix from a function that scores two texts of the batch."""

    @abstractmethod
    def scorer(self, texts: Texts) -> Callable[[int, int], float]:
        """Prepare a batch; the result scores two of its texts."""

    def pairs(self, texts: Texts, left: Integers, right: Integers) -> Floats:
        """Text left[i] with text right[i]: (n,), (n,) -> (n,)."""
        score = self.scorer(texts)
        pairs = zip(left.tolist(), right.tolist(), strict=True)
        return np.array([score(a, b) for a, b in pairs], dtype=np.float64)

    def matrix(self, texts: Texts, rows: Integers, columns: Integers) -> Floats:
        """Every row text with every column text: (n,), (m,) -> (n, m)."""
        score = self.scorer(texts)
        scores = [[score(a, b) for b in columns.tolist()] for a in rows.tolist()]
        return np.array(scores, dtype=np.float64).reshape(len(rows), len(columns))
