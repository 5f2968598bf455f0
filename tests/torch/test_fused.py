"""The all-pairs kernel against the plain path, in Triton's interpreter where there is no GPU."""

from __future__ import annotations

from itertools import product

import pytest
import torch

pytest.importorskip("triton")

from fuzzbow.engine import device_texts
from fuzzbow.fuzzy import SET_SIMILARITIES
from fuzzbow.torch import above, fused, matrix, top_k
from fuzzbow.torch.measure import parse_measure
from fuzzbow.torch.plain import plain_scores
from fuzzbow.torch.sets import read_sets
from fuzzbow.torch.tiles import SHARED_MEMORY, Tile, padded_dimension, tile_for
from tests.torch.batches import batch, numbers

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def sides(left: list[int], right: list[int], *, d: int = 20, dtype=torch.float16, weighted=False):
    """Two batches as the kernel takes them."""
    made = []
    for name, lengths, seed in (("X", left, 1), ("Y", right, 2)):
        words, mask = batch(lengths, d=d, dtype=dtype, seed=seed)
        weights = numbers(mask, seed=seed).float().to(DEVICE) if weighted else None
        made.append(read_sets(words.to(DEVICE), mask.to(DEVICE), weights, None, name))
    return made


@pytest.mark.parametrize("sets", [*SET_SIMILARITIES, "tversky(0.3,0.9)"])
@pytest.mark.parametrize(
    ("universe", "weighted"), [("dynamic", False), ("dynamic", True), ("query", True)]
)
def test_every_formula_is_that_of_the_plain_path(sets, universe, weighted):
    measure = parse_measure(universe, "max", sets, "dot", 0)
    left, right = sides([7, 0, 9], [5, 8, 3, 0], weighted=weighted)
    found = fused.fused_matrix(left, right, measure, torch.float16)
    torch.testing.assert_close(found, plain_scores(left, right, None, measure))


@pytest.mark.parametrize(("dtype", "d"), [(torch.float16, 48), (torch.float32, 3)])
def test_texts_of_every_bucket_and_dimension_are_compared(dtype, d):
    measure = parse_measure("dynamic", "max", "jaccard", "dot", 0)
    left, right = sides([1, 8, 20, 64], [16, 33, 0], d=d, dtype=dtype)
    found = fused.fused_matrix(left, right, measure, dtype)
    torch.testing.assert_close(
        found, plain_scores(left, right, None, measure), atol=1e-4, rtol=1e-4
    )


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize(
    ("warps", "repeats", "lanes"), [(4, 1, 1), (4, 2, 4), (8, 2, 1), (4, 4, 2)]
)
def test_every_tile_computes_the_same(monkeypatch, warps, repeats, lanes, groups):
    measure = parse_measure("dynamic", "max", "jaccard", "dot", 0)
    left, right = sides([9, 16], [16, 11, 12])
    for step in (0, 16):
        tile = Tile(16, 16, warps, repeats, groups, lanes, 2, step)
        assert tile.usable
        monkeypatch.setattr(fused, "tile_for", lambda *_, tile=tile: tile)
        found = fused.fused_matrix(left, right, measure, torch.float16)
        torch.testing.assert_close(found, plain_scores(left, right, None, measure))


def test_hits_that_do_not_fit_are_found_in_a_second_pass(monkeypatch):
    measure = parse_measure("dynamic", "max", "jaccard", "dot", 0)
    left, right = sides([7, 9, 3], [5, 8, 3])
    monkeypatch.setattr(fused, "LEAST_ROOM", 1)
    monkeypatch.setattr(fused, "ROOM_EACH", 0)
    floors = torch.full((3,), 0.01, device=DEVICE)
    rows, columns, found = fused.fused_above(left, right, floors, measure, torch.float16)
    wanted = plain_scores(left, right, None, measure)
    hits = sorted(map(list, zip(rows.tolist(), columns.tolist(), strict=True)))
    assert hits == (wanted >= 0.01).nonzero().tolist()
    torch.testing.assert_close(found, wanted[rows, columns])


@pytest.fixture
def kernels_on_any_device(monkeypatch):
    """Have the public functions take the kernel's path here."""
    monkeypatch.setattr(fused, "on_a_device", lambda words: True)


def test_the_public_functions_take_the_kernel_and_agree(kernels_on_any_device, monkeypatch):
    (X, x_mask), (Y, y_mask) = (
        batch(lengths, d=16, dtype=torch.float32, seed=seed)
        for lengths, seed in (([3, 0, 9], 1), ([2, 8, 16, 0, 4], 2))
    )
    X, x_mask, Y, y_mask = (part.to(DEVICE) for part in (X, x_mask, Y, y_mask))
    masks = {"x_mask": x_mask, "y_mask": y_mask}
    wanted = plain_scores(
        read_sets(X, x_mask, None, None, "X"),
        read_sets(Y, y_mask, None, None, "Y"),
        None,
        parse_measure("dynamic", "max", "jaccard", "dot", 0),
    )
    calls = []
    real = fused.Launch.run
    monkeypatch.setattr(fused.Launch, "run", lambda *both: calls.append(1) or real(*both))
    torch.testing.assert_close(matrix(X, Y, **masks), wanted)
    rows, columns, _ = above(X, Y, 0.1, **masks)
    assert torch.equal(torch.stack([rows, columns]), (wanted >= 0.1).nonzero().T)
    scores, _ = top_k(X, Y, 2, **masks)
    torch.testing.assert_close(scores, wanted.sort(dim=1, descending=True).values[:, :2])
    assert calls


def test_gradients_through_the_kernel_are_those_of_the_plain_path(kernels_on_any_device):
    X, Y = (batch([3, 5], d=4, dtype=torch.float32, seed=seed)[0].to(DEVICE) for seed in (1, 2))
    x_mask, weights = batch([3, 5])[1].to(DEVICE), numbers(torch.ones(2, 5)).float().to(DEVICE)
    found = []
    for dtype in (torch.float32, torch.float64):  # the kernel has no float64
        inputs = [part.to(dtype, copy=True).requires_grad_() for part in (X, Y, weights)]
        pair = (inputs[2], weights.to(dtype))
        scores = matrix(*inputs[:2], x_mask=x_mask, y_mask=x_mask, weights=pair)
        found.append(torch.autograd.grad((scores**2).sum(), inputs))
    for single, double in zip(*found, strict=True):
        torch.testing.assert_close(single, double.float(), atol=1e-5, rtol=1e-4)


def test_what_the_kernel_cannot_do_is_left_to_the_plain_path(kernels_on_any_device):
    left, right = sides([7], [5])
    usual = ("dynamic", "max", "jaccard", "dot", 0)
    assert fused.can_fuse(left, right, parse_measure(*usual))
    for place, choice in enumerate(("identity", "avg")):
        other = [*usual[:place], choice, *usual[place + 1 :]]
        assert not fused.can_fuse(left, right, parse_measure(*other))
    long = sides([65], [5])[0]
    assert not fused.can_fuse(long, right, parse_measure(*usual))


@pytest.mark.parametrize("side", ["order_left", "order_right"])
def test_an_order_holds_every_word_once(side):
    for warps, repeats, lanes in product((4, 8), (1, 2, 4), (1, 2, 4)):
        tile = Tile(16, 16, warps, repeats, 2, lanes)
        if tile.usable:
            texts = tile.left_texts if side == "order_left" else tile.right_texts
            numbers = torch.arange(2 * texts * 16).view(-1, 16)
            assert sorted(getattr(tile, side)(numbers).tolist()) == list(range(2 * texts * 16))


def test_there_is_a_tile_for_every_bucket_and_dimension():
    for k in fused.BUCKETS:
        for right in fused.BUCKETS:
            for d in (1, 50, 384, 4096):
                for item in (2, 4):
                    tile = tile_for(k, right, d, item)
                    assert tile.usable
                    size = padded_dimension(d)[0]
                    assert (
                        size % tile.step == 0
                        if tile.step
                        else tile.held(size, item) <= SHARED_MEMORY
                    )


@pytest.mark.parametrize("sets", device_texts.SLOPES)
@pytest.mark.parametrize("words", [1, 8])
def test_half_precision_is_within_the_error_that_engines_allow_for(sets, words):
    """The worst unit vectors: every part is rounded by half a unit, all the same way."""
    up, down = 2**-3 * (1 + 2**-11 + 2**-20), 2**-3 * (1 + 2**-11 - 2**-20)
    x = torch.tensor([up, down] * 32, dtype=torch.float64)
    x[-1] = (1 - (x[:-1] ** 2).sum()).sqrt()
    y = x * torch.tensor([1.0, -1.0]).repeat(32)
    measure = parse_measure("dynamic", "max", sets, "dot", 0)
    others = torch.eye(64, dtype=torch.float64)[: words - 1] * -1
    left, right = (
        read_sets(torch.cat([row[None], others])[None].float().to(DEVICE), None, None, None, name)
        for row, name in ((x, "X"), (y, "Y"))
    )
    half = fused.fused_matrix(left, right, measure, torch.float16)
    error = float((half - plain_scores(left, right, None, measure)).abs())
    assert error <= device_texts.HALF_ERROR * device_texts.SLOPES[sets]
    if words == 1:
        assert error > 0.9 * 2**-10 * device_texts.SLOPES[sets]
