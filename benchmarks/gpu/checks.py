"""The functions of `fuzzbow.torch` on a GPU held against the plain path."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from itertools import product

import torch

from fuzzbow import torch as fuzzy_torch
from fuzzbow.fuzzy import SET_SIMILARITIES
from fuzzbow.torch import fused
from fuzzbow.torch.blocks import plain_scores
from fuzzbow.torch.measure import parse_measure
from fuzzbow.torch.sets import read_sets

TOLERANCE = {torch.bfloat16: 1e-3, torch.float16: 1e-3, torch.float32: 1e-4}


def run_checks() -> Iterator[dict[str, object]]:
    """Each check with its largest error, or with what was raised."""
    checks = [
        *product(TOLERANCE, (64, 384, 768), ("jaccard",), ("dynamic", "query"), (False, True)),
        *product((torch.bfloat16,), (48,), SET_SIMILARITIES, ("dynamic",), (False, True)),
        (torch.bfloat16, 300, "tversky(0.3,0.9)", "dynamic", True),
    ]
    for dtype, d, sets, universe, weighted in checks:
        named = {
            "dtype": str(dtype),
            "d": d,
            "sets": sets,
            "universe": universe,
            "weighted": weighted,
        }
        yield _guarded(
            "matrix", named, TOLERANCE[dtype], _matrix, dtype, d, sets, universe, weighted
        )
    for name, check in (("gradient", _gradient), ("above", _above), ("top_k", _top_k)):
        yield _guarded(name, {}, 1e-3, check)


def _guarded(name, named, tolerance, check, *arguments) -> dict[str, object]:
    """A check's error; what it raises is a result as well."""
    try:
        error = check(*arguments)
        return {"check": name, **named, "error": error, "holds": error <= tolerance}
    except Exception:
        return {"check": name, **named, "holds": False, "raised": traceback.format_exc()[-600:]}


def _batch(seed: int, n: int, d: int, dtype: torch.dtype):
    """Ragged sets of up to 64 words, some of them empty, with weights."""
    random = torch.Generator("cuda").manual_seed(seed)
    words = torch.randn((n, 64, d), generator=random, device="cuda")
    words += torch.randn((n, 1, d), generator=random, device="cuda")
    lengths = torch.randint(0, 65, (n, 1), generator=random, device="cuda")
    lengths[::3] = lengths[::3] // 4
    mask = torch.arange(64, device="cuda") < lengths
    weights = torch.rand((n, 64), generator=random, device="cuda")
    return (words / d**0.5).to(dtype), mask, weights


def _matrix(dtype: torch.dtype, d: int, sets: str, universe: str, weighted: bool) -> float:
    """The largest error of a matrix of ragged sets."""
    (X, x_mask, wx), (Y, y_mask, wy) = _batch(1, 301, d, dtype), _batch(2, 203, d, dtype)
    measure = parse_measure(universe, "max", sets, "dot", 0)
    weights = ((wx, wy) if universe == "dynamic" else wx) if weighted else None
    got = fuzzy_torch.matrix(
        X, Y, x_mask=x_mask, y_mask=y_mask, weights=weights, universe=universe, set_similarity=sets
    )
    left = read_sets(X.double(), x_mask, wx if weighted else None, None, "X")
    right = read_sets(
        Y.double(), y_mask, wy if weighted and universe == "dynamic" else None, None, "Y"
    )
    if not fused.can_fuse(
        *(read_sets(*side, None, None, "X") for side in ((X, x_mask), (Y, y_mask))), measure
    ):
        raise RuntimeError("the kernel was not used")
    return float((got - plain_scores(left, right, None, measure)).abs().max())


def _gradient() -> float:
    """The error of the gradient through the kernel, relative to its largest part."""
    (X, x_mask, _), (Y, y_mask, _) = (_batch(seed, 40, 64, torch.float32) for seed in (1, 2))
    found = []
    for words in (X, X.double()):
        words = words.clone().requires_grad_()
        scores = fuzzy_torch.matrix(words, Y.to(words.dtype), x_mask=x_mask, y_mask=y_mask)
        found.append(torch.autograd.grad((scores * scores).sum(), words)[0].double())
    return float((found[0] - found[1]).abs().max() / found[1].abs().max())


def _above() -> float:
    """Pairs at or above a threshold: the share that differs."""
    (X, x_mask, _), (Y, y_mask, _) = (_batch(seed, 500, 64, torch.bfloat16) for seed in (1, 2))
    scores = fuzzy_torch.matrix(X, Y, x_mask=x_mask, y_mask=y_mask)
    threshold = float(scores.flatten().kthvalue(scores.numel() * 9 // 10).values)
    rows, columns, found = fuzzy_torch.above(X, Y, threshold, x_mask=x_mask, y_mask=y_mask)
    same = torch.equal(torch.stack([rows, columns]), (scores >= threshold).nonzero().T)
    return float((found - scores[rows, columns]).abs().max()) if same else float("inf")


def _top_k() -> float:
    """The ten best of 9,000: the largest difference of scores from those of the matrix."""
    (X, x_mask, _), (Y, y_mask, _) = (
        _batch(seed, n, 64, torch.bfloat16) for seed, n in ((1, 100), (2, 9000))
    )
    scores, places = fuzzy_torch.top_k(X, Y, 10, x_mask=x_mask, y_mask=y_mask)
    everything = fuzzy_torch.matrix(X, Y, x_mask=x_mask, y_mask=y_mask)
    wanted = everything.sort(dim=1, descending=True, stable=True).values[:, :10]
    moved = (everything.gather(1, places) - scores).abs().max()
    return float(torch.maximum((scores - wanted).abs().max(), moved))
