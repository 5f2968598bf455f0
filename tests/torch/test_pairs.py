from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import fuzzbow
from fuzzbow.fuzzy import SET_SIMILARITIES, Pooling, WordSimilarity
from fuzzbow.torch import FuzzySimilarity, matrix, similarity
from tests.torch.batches import batch, numbers

UNIVERSES = ("dynamic", "query", "identity", "random", "given")
SETS = (*SET_SIMILARITIES, "tversky(0.3,0.9)")
GIVEN = torch.randn((5, 3), generator=torch.Generator().manual_seed(9), dtype=torch.float64)


def options_of(universe, x_mask, y_mask, *, weighted, counted):
    """Arguments for `similarity` over that universe."""
    wx, wy = numbers(x_mask, seed=1), numbers(y_mask, seed=2)
    fixed = numbers(torch.ones(5 if universe == "given" else 3))
    weights = {"dynamic": (wx, wy), "query": wx}.get(universe, fixed) if weighted else None
    counts = (
        {"counts_x": numbers(x_mask, seed=3), "counts_y": numbers(y_mask, seed=4)}
        if counted
        else {}
    )
    chosen = GIVEN if universe == "given" else universe
    return {"x_mask": x_mask, "y_mask": y_mask, "weights": weights, "universe": chosen, **counts}


def oracle(X, Y, i, j, options, **choices):
    """The similarity of X[i] and Y[j] by `fuzzbow.set_similarity`."""
    rows, columns = options["x_mask"][i], options["y_mask"][j]
    weights, universe = options["weights"], options["universe"]
    if isinstance(weights, tuple):
        weights = torch.cat([weights[0][i][rows], weights[1][j][columns]])
    elif weights is not None and weights.dim() == 2:
        weights = weights[i][rows]
    counts = {}
    if "counts_x" in options:
        counts["counts_x"] = options["counts_x"][i][rows].numpy()
        counts["counts_y"] = options["counts_y"][j][columns].numpy()
    return fuzzbow.set_similarity(
        X[i][rows].detach().double().numpy(),
        Y[j][columns].detach().double().numpy(),
        universe=universe.numpy() if isinstance(universe, torch.Tensor) else universe,
        weights=None if weights is None else weights.numpy(),
        **counts,
        **choices,
    )


@pytest.mark.parametrize("universe", UNIVERSES)
@pytest.mark.parametrize("pooling", [pooling.value for pooling in Pooling])
def test_every_measure_is_that_of_the_oracle_for_pairs_and_matrices(universe, pooling):
    (X, x_mask), (Y, y_mask) = batch([3, 0, 2], seed=1), batch([2, 3, 1], seed=2)
    for sets, words, weighted, counted in product(SETS, WordSimilarity, (0, 1), (0, 1)):
        options = options_of(universe, x_mask, y_mask, weighted=weighted, counted=counted)
        choices = {"pooling": pooling, "word_similarity": words}
        scores = similarity(X, Y, set_similarity=sets, **options, **choices)
        for i in range(len(X)):
            wanted = oracle(X, Y, i, i, options, similarity=sets, **choices)
            assert scores[i].item() == pytest.approx(wanted, rel=1e-6, abs=1e-6), (sets, words, i)
        if words is WordSimilarity.DOT:
            grid = matrix(X, Y, set_similarity=sets, **options, **choices)
            for i, j in product(range(len(X)), range(len(Y))):
                wanted = oracle(X, Y, i, j, options, similarity=sets, **choices)
                assert grid[i, j].item() == pytest.approx(wanted, rel=1e-6, abs=1e-6), (sets, i, j)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=4), st.integers(0, 2**20))
def test_ragged_batches_are_those_of_the_oracle(lengths, seed):
    X, x_mask = batch([left for left, _ in lengths], seed=seed)
    Y, y_mask = batch([right for _, right in lengths], seed=seed + 1)
    options = {"x_mask": x_mask, "y_mask": y_mask, "weights": None, "universe": "dynamic"}
    scores = similarity(X, Y, **options)
    wanted = [oracle(X, Y, i, i, options) for i in range(len(X))]
    np.testing.assert_allclose(scores.numpy(), wanted, rtol=1e-9, atol=1e-12)


def test_bf16_is_computed_in_float32():
    (X, x_mask), (Y, y_mask) = (
        batch([9, 5, 16], d=64, dtype=torch.bfloat16, seed=seed) for seed in (1, 2)
    )
    options = {"x_mask": x_mask, "y_mask": y_mask, "weights": None, "universe": "dynamic"}
    scores = similarity(X, Y, **options)
    assert scores.dtype == torch.float32
    wanted = [oracle(X, Y, i, i, options) for i in range(3)]
    np.testing.assert_allclose(scores.numpy(), wanted, atol=1e-5)


def test_autocast_does_not_lower_the_precision():
    X, Y = (batch([4, 4], d=8, dtype=torch.float32, seed=seed)[0] for seed in (1, 2))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        scores = similarity(X, Y)
        everything = matrix(X, Y)
    assert torch.equal(scores, similarity(X, Y))
    assert torch.equal(everything, matrix(X, Y))


def test_padding_never_beats_a_negative_similarity():
    X, mask = torch.tensor([[[-1.0], [0.0]]]), torch.tensor([[True, False]])
    universe = torch.tensor([[1.0]])
    for pooling in ("min", "avg", "sum"):
        options = {"universe": universe, "pooling": pooling, "set_similarity": "coverage"}
        assert similarity(X, X, x_mask=mask, y_mask=mask, **options).tolist() == [1.0]


@pytest.mark.parametrize("layout", [torch.jagged, torch.strided])
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_nested_tensors_are_padded_batches(layout):
    (X, x_mask), (Y, y_mask) = batch([2, 4], seed=1), batch([3, 1], seed=2)
    nested = [
        torch.nested.nested_tensor(
            [row[m] for row, m in zip(words, mask, strict=True)], layout=layout
        )
        for words, mask in ((X, x_mask), (Y, y_mask))
    ]
    wanted = similarity(X, Y, x_mask=x_mask, y_mask=y_mask)
    torch.testing.assert_close(similarity(*nested), wanted)
    everything = matrix(X, Y, x_mask=x_mask, y_mask=y_mask)
    torch.testing.assert_close(matrix(*nested), everything)


def test_gradients_reach_the_words_of_nested_tensors():
    seeded = torch.Generator().manual_seed(0)
    rows = [torch.randn(n, 3, generator=seeded, requires_grad=True) for n in (2, 3)]
    Y, y_mask = batch([3, 1], dtype=torch.float32)
    nested = torch.nested.as_nested_tensor(rows, layout=torch.jagged)
    similarity(nested, Y, y_mask=y_mask).sum().backward()
    assert all(bool((row.grad != 0).any()) for row in rows)


@pytest.mark.parametrize("shape", [(0, 3, 2), (2, 0, 2), (0, 0, 2)])
def test_nothing_gives_scores_of_0(shape):
    X = torch.zeros(shape)
    assert similarity(X, X).tolist() == [0.0] * shape[0]
    assert matrix(X, X).shape == (shape[0], shape[0])


def test_the_layer_computes_what_it_was_made_for():
    X, Y = batch([3, 3], seed=1)[0], batch([3, 3], seed=2)[0]
    choices = {"universe": GIVEN, "pooling": "avg", "set_similarity": "dice"}
    layer = FuzzySimilarity(**choices)
    assert torch.equal(layer(X, Y), similarity(X, Y, **choices))
    assert torch.equal(layer.matrix(X, Y), matrix(X, Y, **choices))


def test_the_layer_keeps_its_universe_among_its_buffers():
    assert torch.equal(FuzzySimilarity(universe=GIVEN).state_dict()["universe_rows"], GIVEN)
    assert not FuzzySimilarity().state_dict()
