"""A step of training on pairs: scores and gradients by the kernel and by the plain path.

    PYTHONPATH=src python -m benchmarks.gpu.training --output DIR

Both compute in float32. Memory is the most that a step took beyond the words themselves and
their gradients. The gradients of both are compared with those in float64.
"""

from __future__ import annotations

import json

import torch

from benchmarks.gpu.timing import machine, output_file, seconds
from fuzzbow.torch import fused, similarity

SHAPES = (  # pairs, words, dimensions
    (16384, 16, 256),
    (8192, 32, 256),
    (4096, 64, 384),
    (2048, 128, 768),
)


def main() -> None:
    """Check, time, write DIR/training.json."""
    file = output_file(__doc__, "training.json")
    report = {"command": "python -m benchmarks.gpu.training", **machine(), "shapes": []}
    for shape in SHAPES:
        report["shapes"].append(_measured(*shape))
        print(report["shapes"][-1], flush=True)
        file.write_text(json.dumps(report, indent=1))


def _measured(pairs: int, words: int, dimensions: int) -> dict[str, object]:
    """Times, memory and errors of one shape."""
    random = torch.Generator("cuda").manual_seed(words)
    shape = (pairs, words, dimensions)
    X, Y = (
        (torch.randn(shape, generator=random, device="cuda") / dimensions**0.5).requires_grad_()
        for _ in range(2)
    )
    found: dict[str, object] = {"pairs": pairs, "words": words, "dimensions": dimensions}
    for name, on in (("kernel", True), ("plain", False)):
        fused.on_a_device = lambda tensor, on=on: on and tensor.dtype == torch.float32
        error = _error(X, Y)
        step = lambda: torch.autograd.grad(similarity(X, Y).sum(), (X, Y))  # noqa: E731
        taken = seconds(step)
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated() + 2 * X.nbytes
        step()
        most = torch.cuda.max_memory_allocated() - before
        found[name] = {"seconds": taken, "bytes": most, "error": error}
    return found


def _error(X: torch.Tensor, Y: torch.Tensor, pairs: int = 256) -> float:
    """The largest error of the gradients of some pairs, relative to the largest of them."""
    gradients = []
    for dtype in (torch.float32, torch.float64):
        a, b = (side.detach()[:pairs].to(dtype).requires_grad_() for side in (X, Y))
        gradients.append(torch.cat(torch.autograd.grad(similarity(a, b).sum(), (a, b))))
    exact = gradients[1]
    return float((gradients[0] - exact).abs().max() / exact.abs().max())


if __name__ == "__main__":
    main()
