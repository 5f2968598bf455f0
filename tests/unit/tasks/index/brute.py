"""Search the slow way: score everything, sort, cut."""

from __future__ import annotations

import numpy as np

import fuzzbow

NEAR = 1e-6  # whitening rounds a word's vector by the batch that it is in


class Brute:
    """What an index must agree with."""

    def __init__(self, model: fuzzbow.Model) -> None:
        self.model = model
        self.rows: dict[int | str, str] = {}

    def check(self, hits, query: str, k: int, min_score: float = 0.0, keep=lambda name: True):
        """Same ids, same order with ties by insertion, same scores."""
        names = [name for name in self.rows if keep(name)]
        scores = np.zeros(0)
        if names:
            scores = self.model.matrix([query], [self.rows[name] for name in names])[0]
        order = [n for n in np.argsort(-scores, kind="stable") if scores[n] >= min_score]
        if np.any(np.abs(scores - min_score)[scores != min_score] < NEAR):
            return  # rounding decides who takes part
        np.testing.assert_allclose(hits.scores, scores[order][:k], rtol=NEAR, atol=NEAR)
        gaps = -np.diff(scores[order])
        if not np.any((gaps > 0) & (gaps < NEAR)):  # else rounding decides the order
            assert hits.ids == [names[n] for n in order][:k]
