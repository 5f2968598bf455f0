"""Times on a GPU, and what else can be said about it."""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import torch

from benchmarks.gpu.problem import MEASURE, Problem
from fuzzbow.torch.plain import own_memberships

UNFUSED_WORDS = 2**14  # on each side, so that all products fit into memory
MAXSIM_ERROR = 1e-2  # of what sums up maxima in bf16


def seconds(run: Callable[[], object], *, least: float = 0.1, repeats: int = 5) -> float:
    """The median time of a run, after one to warm up, over at least some runs and seconds."""
    run()
    torch.cuda.synchronize()
    times: list[float] = []
    while len(times) < repeats or sum(times) < least:
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        run()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) / 1000)
    return statistics.median(times)


def gemm(size: int = 8192) -> float:
    """Operations a second of a large product of matrices in bf16."""
    a, b = (torch.randn(size, size, device="cuda").to(torch.bfloat16) for _ in range(2))
    return 2.0 * size**3 / seconds(lambda: a @ b)


def gemm_as(problem: Problem) -> float:
    """Operations a second of the problem's own products, written out, in parts of 16,384 words."""
    size = 2**14
    a, b = (
        sets.words.flatten(0, 1)[:size].to(torch.bfloat16).contiguous() for sets in problem.sides
    )
    return 2.0 * size**2 * problem.d / seconds(lambda: a @ b.T)


def unfused(problem: Problem) -> float:
    """Pairs a second in plain PyTorch: a product of matrices in bf16, then maxima and sums."""
    texts = UNFUSED_WORDS // problem.k
    left, right = (sets.select(slice(0, texts)) for sets in problem.sides)
    own_x, own_y = own_memberships(left, MEASURE), own_memberships(right, MEASURE)
    a, b = (sets.words.flatten(0, 1).to(torch.bfloat16) for sets in (left, right))

    def run() -> torch.Tensor:
        products = (a @ b.T).view(texts, problem.k, texts, problem.k)
        cross = products.amax(3).clamp(min=0).float().transpose(1, 2)
        back = products.amax(1).clamp(min=0).float()
        overlap = torch.minimum(cross, own_x[:, None]).sum(-1) + torch.minimum(back, own_y).sum(-1)
        sizes = cross.sum(-1) + back.sum(-1) + own_x.sum(-1)[:, None] + own_y.sum(-1)
        return overlap / (sizes - overlap)

    return texts**2 / seconds(run)


def maxsims(problem: Problem) -> dict[str, float]:
    """Pairs a second of MaxSim, which takes maxima one way only, in bf16.

    By the kernels of late-interaction libraries that are installed, and in plain PyTorch.
    """
    sides = [sets.words.to(torch.bfloat16).contiguous() for sets in problem.sides]
    part = UNFUSED_WORDS // problem.k
    small = [words[:part].contiguous() for words in sides]
    flat = [words.flatten(0, 1) for words in small]

    def plain() -> torch.Tensor:
        products = (flat[0] @ flat[1].T).view(part, problem.k, part, problem.k)
        return products.amax(3).float().sum(1)

    found = {"PyTorch": part**2 / seconds(plain)}
    wanted = plain()
    for name, score in _maxsim_kernels().items():
        try:
            error = float((score(*small) - wanted).abs().max() / wanted.abs().max())
            if error > MAXSIM_ERROR:
                raise ArithmeticError(f"off by {error}")
            found[name] = problem.texts**2 / seconds(lambda score=score: score(*sides))
        except Exception as raised:
            print(f"{name}: {type(raised).__name__}: {raised}"[:300], flush=True)
    return found


def _maxsim_kernels() -> dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]]:
    """Of the libraries that are here: (n, k, d), (m, l, d) -> (n, m)."""
    found = {}
    with suppress(ImportError):
        from late_interaction_kernels import maxsim

        found["late-interaction-kernels"] = maxsim
    with suppress(ImportError):
        from flash_maxsim import flash_maxsim_batched

        found["flash-maxsim"] = partial(flash_maxsim_batched, pad_lq=False)
    return found


def machine() -> dict[str, object]:
    """What ran."""
    import triton

    return {
        "gpu": torch.cuda.get_device_name(),
        "multiprocessors": torch.cuda.get_device_properties(0).multi_processor_count,
        "torch": torch.__version__,
        "triton": triton.__version__,
        "python": sys.version.split()[0],
    }


def output_file(description: str | None, name: str) -> Path:
    """Read the argument --output of a script, and make the folder: the file of its results."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--output", required=True, help=f"folder for {name}")
    folder = Path(parser.parse_args().output)
    folder.mkdir(parents=True, exist_ok=True)
    return folder / name
