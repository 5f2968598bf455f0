from __future__ import annotations

import pytest
import torch

from fuzzbow.torch import above, matrix, scores, top_k
from tests.torch.batches import batch


@pytest.fixture
def sides():
    X, x_mask = batch([3, 0, 2, 5], seed=1)
    Y, y_mask = batch([2, 4, 0, 1, 3, 3, 2, 6, 1, 2], seed=2)
    Y[5] = Y[4]  # a tie
    return X, Y, {"x_mask": x_mask, "y_mask": y_mask}


@pytest.mark.parametrize("threshold", [-1.0, 0.0, 0.3, 2.0])
def test_pairs_above_a_threshold_are_those_of_the_matrix(sides, threshold, monkeypatch):
    X, Y, masks = sides
    monkeypatch.setattr(scores, "BLOCK_PRODUCTS", 15)
    everything = matrix(X, Y, **masks)
    rows, columns, found = above(X, Y, threshold, **masks)
    assert torch.equal(torch.stack([rows, columns]), (everything >= threshold).nonzero().T)
    assert torch.equal(found, everything[rows, columns])


@pytest.mark.parametrize("k", [1, 3, 10, 99])
@pytest.mark.parametrize("first", [2, 4096])
def test_the_best_are_those_of_the_sorted_matrix(sides, k, first, monkeypatch):
    X, Y, masks = sides
    monkeypatch.setattr(scores, "FIRST_COLUMNS", first)
    monkeypatch.setattr(scores, "FIRST_ROWS", 3)
    wanted, order = matrix(X, Y, **masks).sort(dim=1, descending=True, stable=True)
    found, places = top_k(X, Y, k, **masks)
    torch.testing.assert_close(found, wanted[:, :k])
    assert torch.equal(places, order[:, :k])


def test_nothing_has_no_best():
    X, Y = torch.zeros(0, 2, 3), torch.zeros(4, 2, 3)
    assert [part.shape for part in top_k(X, Y, 2)] == [(0, 2)] * 2
    assert [part.shape for part in top_k(Y, X, 2)] == [(4, 0)] * 2
    assert [len(part) for part in above(X, Y, 0.0)] == [0, 0, 0]
