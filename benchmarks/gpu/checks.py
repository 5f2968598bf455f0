"""The functions of `fuzzbow.torch` on a GPU held against the plain path in float64.

    PYTHONPATH=src python -m benchmarks.gpu.checks --output DIR

Most checks compare sets of one bucket, so that each compiles the kernel once.
"""

from __future__ import annotations

import json
import time
import traceback
from collections.abc import Iterator

import torch

from benchmarks.gpu.timing import machine, output_file
from fuzzbow import torch as fuzzy_torch
from fuzzbow.torch import fused
from fuzzbow.torch.measure import parse_measure
from fuzzbow.torch.plain import plain_scores
from fuzzbow.torch.sets import read_sets

TOLERANCE = 1e-3
BF16, FP16, FP32 = torch.bfloat16, torch.float16, torch.float32

# type, dimensions, set similarity, universe, weighted, least and most words
MATRICES = (
    (BF16, 256, "jaccard", "dynamic", False, 9, 16),
    (BF16, 256, "tversky(0.3,0.9)", "dynamic", True, 9, 16),  # as much memory as a tile may take
    (FP16, 128, "jaccard", "dynamic", False, 9, 16),
    (FP32, 64, "jaccard", "dynamic", False, 9, 16),
    (BF16, 48, "dice", "dynamic", False, 9, 16),
    (BF16, 48, "otsuka", "dynamic", True, 9, 16),
    (BF16, 48, "cosine", "dynamic", False, 9, 16),
    (BF16, 48, "jaccard", "query", True, 9, 16),
    (BF16, 300, "jaccard", "dynamic", False, 17, 32),
    (BF16, 768, "jaccard", "dynamic", False, 9, 16),
    (FP16, 384, "jaccard", "dynamic", False, 33, 64),
    (BF16, 64, "jaccard", "dynamic", False, 1, 64),  # all buckets
)


def main() -> None:
    """Check, print, write DIR/checks.json after each check."""
    file = output_file(__doc__, "checks.json")
    report = {"command": "python -m benchmarks.gpu.checks", **machine(), "checks": []}
    for check in _checks():
        report["checks"].append(check)
        file.write_text(json.dumps(report, indent=1))
        if not check["holds"]:
            print("does not hold:", json.dumps(check), flush=True)
    print(sum(check["holds"] for check in report["checks"]), "of", len(report["checks"]), "hold")


def _checks() -> Iterator[dict[str, object]]:
    """Each check with its largest error, or with what was raised."""
    for case in MATRICES:
        names = ("dtype", "dimensions", "sets", "universe", "weighted", "least", "most")
        named = dict(zip(names, (str(case[0]), *case[1:]), strict=True))
        yield _guarded("matrix", named, _matrix, *case)
    for name, check in (("gradient", _gradient), ("above", _above), ("top_k", _top_k)):
        yield _guarded(name, {}, check)


def _guarded(name, named, check, *arguments) -> dict[str, object]:
    """A check's error; what it raises is a result as well."""
    start, result = time.monotonic(), {"check": name, **named, "holds": False}
    try:
        result["error"] = check(*arguments)
        result["holds"] = result["error"] <= TOLERANCE
    except Exception:
        result["raised"] = traceback.format_exc()[-600:]
    return result | {"seconds": round(time.monotonic() - start, 2)}


def _batch(seed: int, n: int, d: int, dtype: torch.dtype, least: int = 9, most: int = 16):
    """Sets of at least and at most so many words, each seventh empty, with weights."""
    random = torch.Generator("cuda").manual_seed(seed)
    words = torch.randn((n, most, d), generator=random, device="cuda")
    words += torch.randn((n, 1, d), generator=random, device="cuda")
    lengths = torch.randint(least, most + 1, (n, 1), generator=random, device="cuda")
    lengths[::7] = 0
    mask = torch.arange(most, device="cuda") < lengths
    weights = torch.rand((n, most), generator=random, device="cuda")
    return (words / d**0.5).to(dtype), mask, weights


def _matrix(
    dtype: torch.dtype, d: int, sets: str, universe: str, weighted: bool, least: int, most: int
) -> float:
    """The largest error of a matrix."""
    X, x_mask, wx = _batch(1, 301, d, dtype, least, most)
    Y, y_mask, wy = _batch(2, 203, d, dtype, least, most)
    measure = parse_measure(universe, "max", sets, "dot", 0)
    both = universe == "dynamic"
    weights = ((wx, wy) if both else wx) if weighted else None
    sides = [read_sets(*side, None, None, "X") for side in ((X, x_mask), (Y, y_mask))]
    if not fused.can_fuse(*sides, measure):
        raise RuntimeError("the kernel was not used")
    got = fuzzy_torch.matrix(
        X, Y, x_mask=x_mask, y_mask=y_mask, weights=weights, universe=universe, set_similarity=sets
    )
    left = read_sets(X.double(), x_mask, wx if weighted else None, None, "X")
    right = read_sets(Y.double(), y_mask, wy if weighted and both else None, None, "Y")
    return float((got - plain_scores(left, right, None, measure)).abs().max())


def _gradient() -> float:
    """The error of the gradient through the kernel, relative to its largest part."""
    (X, x_mask, _), (Y, y_mask, _) = (_batch(seed, 40, 64, FP32) for seed in (1, 2))
    found = []
    for words in (X, X.double()):
        words = words.clone().requires_grad_()
        scores = fuzzy_torch.matrix(words, Y.to(words.dtype), x_mask=x_mask, y_mask=y_mask)
        found.append(torch.autograd.grad((scores * scores).sum(), words)[0].double())
    return float((found[0] - found[1]).abs().max() / found[1].abs().max())


def _above() -> float:
    """Pairs at or above a threshold: the largest difference of scores, if the pairs are right."""
    (X, x_mask, _), (Y, y_mask, _) = (_batch(seed, 500, 256, BF16) for seed in (1, 2))
    scores = fuzzy_torch.matrix(X, Y, x_mask=x_mask, y_mask=y_mask)
    threshold = float(scores.flatten().kthvalue(scores.numel() * 9 // 10).values)
    rows, columns, found = fuzzy_torch.above(X, Y, threshold, x_mask=x_mask, y_mask=y_mask)
    same = torch.equal(torch.stack([rows, columns]), (scores >= threshold).nonzero().T)
    return float((found - scores[rows, columns]).abs().max()) if same else float("inf")


def _top_k() -> float:
    """The ten best of 9,000: the largest difference of scores from those of the matrix."""
    (X, x_mask, _), (Y, y_mask, _) = (
        _batch(seed, n, 256, BF16) for seed, n in ((1, 100), (2, 9000))
    )
    scores, places = fuzzy_torch.top_k(X, Y, 10, x_mask=x_mask, y_mask=y_mask)
    everything = fuzzy_torch.matrix(X, Y, x_mask=x_mask, y_mask=y_mask)
    wanted = everything.sort(dim=1, descending=True, stable=True).values[:, :10]
    moved = (everything.gather(1, places) - scores).abs().max()
    return float(torch.maximum((scores - wanted).abs().max(), moved))


if __name__ == "__main__":
    main()
