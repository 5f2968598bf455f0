"""Search the slow way: score everything, sort, cut."""

from __future__ import annotations

import numpy as np
import pytest

import fuzzbow
from fuzzbow.errors import InputError

NEAR = 1e-6  # whitening rounds a word's vector by the batch that it is in


class Brute:
    """What an index must agree with."""

    def __init__(self, model: fuzzbow.Model) -> None:
        self.model = model
        self.rows: dict[int | str, str] = {}

    def assert_same(self, hits, query: str, k: int, min_score: float = 0.0) -> bool:
        """Same scores, same ids, same order with ties by insertion; False if rounding decides."""
        names = list(self.rows)
        scores = np.zeros(0)
        if names:
            scores = self.model.matrix([query], list(self.rows.values()))[0]
        return same_hits(hits, names, scores, k, min_score)


def same_hits(hits, names, scores: np.ndarray, k: int, min_score: float = 0.0) -> bool:
    """Check hits against the scores of all rows; False where rounding decides ids or order."""
    if np.any((np.abs(scores - min_score) < NEAR) & (scores != min_score)):
        return False
    order = [n for n in np.argsort(-scores, kind="stable") if scores[n] >= min_score]
    np.testing.assert_allclose(hits.scores, scores[order][:k], rtol=NEAR, atol=NEAR)
    gaps = -np.diff(scores[order][: k + 1])
    if np.any((gaps > 0) & (gaps < NEAR)):
        return False
    assert hits.ids == [names[n] for n in order][:k]
    return True


def assert_two_writers_agree(reopen) -> None:
    """Check that two writers of an index of six texts see changes of each other."""
    one, other = reopen(), reopen()
    assert one.add(["a dog ran"]) == [6]
    assert other.add(["a cat ran"]) == [7]
    with pytest.raises(InputError, match="has 7 already"):
        one.add(["x"], ids=[7])
    one.delete([6])
    assert other.delete([7]) == 1
    assert one.add(["y"]) == [8]
    assert one.ids == reopen().ids == [0, 1, 2, 3, 4, 5, 8]
