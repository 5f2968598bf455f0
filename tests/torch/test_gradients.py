from __future__ import annotations

import pytest
import torch

from fuzzbow.fuzzy import SET_SIMILARITIES, Pooling
from fuzzbow.torch import FuzzySimilarity, matrix, plain, similarity
from tests.torch.batches import batch, numbers

MASKS = {"x_mask": torch.tensor([[True, False], [True, True]]), "y_mask": torch.ones(2, 2) > 0}


def words(seed: int) -> torch.Tensor:
    return batch([2, 2], d=2, seed=seed)[0].requires_grad_()


@pytest.mark.parametrize("universe", ["dynamic", "query", "identity"])
@pytest.mark.parametrize("pooling", [pooling.value for pooling in Pooling])
def test_gradients_are_those_of_finite_differences(universe, pooling):
    options = {"universe": universe, "pooling": pooling, **MASKS}
    for sets in (*SET_SIMILARITIES, "tversky(0.3,0.9)"):
        assert torch.autograd.gradcheck(
            lambda X, Y, sets=sets: similarity(X, Y, set_similarity=sets, **options),
            (words(3), words(4)),
        )


def test_weights_counts_and_matrices_have_gradients():
    wx, wy = (numbers(torch.ones(2, 2), seed=seed).requires_grad_() for seed in (1, 2))

    def scores(X, Y, wx, wy):
        return matrix(X, Y, weights=(wx, wy), counts_x=wx, counts_y=wy, **MASKS)

    assert torch.autograd.gradcheck(scores, (words(1), words(2), wx, wy))


@pytest.mark.parametrize("sets", SET_SIMILARITIES)
@pytest.mark.parametrize("pooling", [pooling.value for pooling in Pooling])
def test_sets_without_words_and_words_of_zeros_have_finite_gradients(sets, pooling):
    X, Y = (torch.zeros(3, 2, 2, requires_grad=True) for _ in range(2))
    mask = torch.tensor([[False, False], [True, False], [True, True]])
    for universe in ("dynamic", "identity"):
        options = {"universe": universe, "set_similarity": sets, "pooling": pooling}
        scores = similarity(X, Y, x_mask=mask, y_mask=mask.flip(0), **options)
        gradients = torch.autograd.grad(scores.sum(), (X, Y))
        assert scores.tolist() == [0.0] * 3
        assert all(bool(torch.isfinite(gradient).all()) for gradient in gradients)


def test_padding_has_no_gradient():
    X, mask = batch([1, 2], seed=1)
    X.requires_grad_()
    gradient = torch.autograd.grad(similarity(X, X.detach() + 1, x_mask=mask).sum(), X)[0]
    assert bool((gradient[~mask] == 0).all())
    assert bool((gradient[mask] != 0).any())


def test_blocks_change_neither_scores_nor_gradients(monkeypatch):
    (X, x_mask), (Y, y_mask) = batch([3, 2, 4, 1, 5], seed=1), batch([2, 5, 1], seed=2)
    found = []
    for at_once in (plain.BLOCK_PRODUCTS, 60):
        monkeypatch.setattr(plain, "BLOCK_PRODUCTS", at_once)
        left, right = X.clone().requires_grad_(), Y.clone().requires_grad_()
        scores = matrix(left, right, x_mask=x_mask, y_mask=y_mask)
        found.append([scores, *torch.autograd.grad((scores**2).sum(), (left, right))])
    for whole, parts in zip(*found, strict=True):
        torch.testing.assert_close(whole, parts)


def test_a_matrix_keeps_no_products_for_its_gradient():
    X, kept = torch.randn(20, 8, 4, requires_grad=True), []
    with torch.autograd.graph.saved_tensors_hooks(
        lambda tensor: kept.append(tensor.numel()) or tensor, lambda tensor: tensor
    ):
        matrix(X, X)
    assert max(kept) < (20 * 8) ** 2


@pytest.mark.parametrize("universe", ["dynamic", "random"])
def test_a_compiled_layer_is_one_graph_with_the_same_scores_and_gradients(universe):
    torch._dynamo.reset()
    layer, found = FuzzySimilarity(universe=universe, set_similarity="otsuka"), []
    for run in (layer, torch.compile(layer, fullgraph=True, backend="aot_eager")):
        X, Y = words(1), words(2)
        scores = run(X, Y, **MASKS)
        found.append([scores, *torch.autograd.grad(scores.sum(), (X, Y))])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other)
