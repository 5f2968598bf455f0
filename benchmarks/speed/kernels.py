"""Kernels by instruction set, on synthetic texts: python -m benchmarks.speed.kernels [NAME ...].

Pairs of ids are Zipfian texts over random vectors, whose number of multiplications is known, so
that the share of the machine's peak is. NumPy and PyTorch compute the same scores. Poolings without
kernels are measured on FUZZBOW_CORPUS. Writes results/kernels.json.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import fuzzbow
from benchmarks import runner
from benchmarks.corpus import read_corpus
from benchmarks.speed import recipe
from benchmarks.speed.calls import about
from benchmarks.speed.peaks import fma_peak, memory_peak
from benchmarks.speed.peers import numpy_score
from fuzzbow import _kernel

NAME = "kernels"
PAIRS, POOLED = 20_000, 26_000  # as many as STS 2012-2016 have
LOOPED = 1_000
JACCARD = _kernel.SetSimilarity("jaccard")
ROUNDS = 5


def numpy_pairs(vectors: np.ndarray, left: Any, right: Any) -> list[float]:
    """The formula, pair by pair, from ids."""
    rows = [
        [vectors[ids[offsets[i] : offsets[i + 1]]] for i in range(len(offsets) - 1)]
        for ids, offsets in (left, right)
    ]
    return [numpy_score(x, y) for x, y in zip(*rows, strict=True)]


def torch_seconds(vectors: np.ndarray, pairs: list[Any]) -> float | None:
    """Seconds per pair of padded batches in torch, one thread, if it is installed."""
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(1)
    table = torch.from_numpy(vectors)

    def padded(ids: np.ndarray, offsets: np.ndarray) -> tuple[Any, Any]:
        lengths = np.diff(offsets)
        mask = np.arange(lengths.max())[None, :] < lengths[:, None]
        grid = np.zeros(mask.shape, dtype=np.int64)
        grid[mask] = ids
        return torch.from_numpy(grid), torch.from_numpy(mask)

    def pooled(words: Any, known: Any, universe: Any) -> Any:
        found = words @ universe.transpose(1, 2)
        return found.masked_fill(~known[:, :, None], -torch.inf).amax(dim=1).clamp(min=0)

    def work(pair: Any) -> Any:
        (left, known), (right, present) = padded(*pair[0]), padded(*pair[1])
        x, y = table[left], table[right]
        universe, real = torch.cat([x, y], 1), torch.cat([known, present], 1)
        a, b = pooled(x, known, universe) * real, pooled(y, present, universe) * real
        return torch.minimum(a, b).sum(1) / torch.maximum(a, b).sum(1)

    return runner.median_seconds(work, pairs) / LOOPED


def batch(left: Any, right: Any) -> tuple[Any, np.ndarray, np.ndarray]:
    """The texts of both sides as one batch, and the numbers of each side's texts."""
    ids = np.concatenate([left[0], right[0]])
    offsets = np.concatenate([left[1], left[1][-1] + right[1][1:]])
    numbers = np.arange(len(offsets) - 1)
    return (ids, offsets), *np.split(numbers, 2)


def pairs_of_ids(words: int = recipe.WORDS) -> dict[str, Any]:
    """Ids to scores, d = 300; each text is in one pair."""
    vectors = recipe.word_vectors(words)
    table = _kernel.Table(vectors)
    inputs = [
        (recipe.zipfian(PAIRS, words, seed=10 + n), recipe.zipfian(PAIRS, words, seed=50 + n))
        for n in range(ROUNDS)
    ]
    batches = [batch(*pair) for pair in inputs]
    few = [tuple(recipe.part(*side, 0, LOOPED) for side in pair) for pair in inputs]
    torch = torch_seconds(vectors, few)
    lengths = [[np.diff(side[1]) for side in pair] for pair in inputs]
    work = 2.0 * recipe.DIMENSION * float(np.mean([(k * n).sum() for k, n in lengths]))
    read = 4.0 * recipe.DIMENSION * float(np.mean([k.sum() + n.sum() for k, n in lengths]))
    result: dict[str, Any] = {
        "pairs": PAIRS,
        "words": words,
        "dimension": recipe.DIMENSION,
        "torch_pairs_per_second": None if torch is None else 1 / torch,
    }
    for simd in _kernel.info()["available"][::-1]:
        _kernel.set_simd(simd)
        for threads in (1, 2):
            with runner.one_blas_thread():
                loop, seconds, ratio = runner.median_seconds_in_turn(
                    lambda item: numpy_pairs(vectors, *item[1]),
                    lambda item, threads=threads: _kernel.pairs(
                        table, *item[0], JACCARD, threads=threads
                    ),
                    list(zip(batches, few, strict=True)),
                )
            peak = fma_peak(simd)
            result.setdefault("numpy_pairs_per_second", LOOPED / loop)
            result[f"{simd}, {threads} threads"] = {
                "pairs_per_second": PAIRS / seconds,
                "times_numpy": ratio * PAIRS / LOOPED,
                "share_of_fma_peak": work / seconds / 1e9 / (peak * threads) if peak else None,
                "gb_of_vectors_per_second": read / seconds / 1e9,
            }
    _kernel.set_simd(_kernel.info()["available"][-1])
    return result


def poolings() -> dict[str, Any]:
    """Seconds of real pairs of strings under each pooling."""
    texts = read_corpus().documents[: 2 * POOLED]
    half = len(texts) // 2
    seconds = {}
    for measure in ("dynamax", "dynaavg", "dynasum", "dynamin", "avg", "sum", "min"):
        model = fuzzbow.load("default", measure=f"{measure}-jaccard")
        run = runner.timed(lambda model=model: model.pairs(texts[:half], texts[half : 2 * half]))
        seconds[measure] = run.seconds
    return {"pairs": half, "seconds": seconds}


def limits() -> dict[str, Any]:
    """The largest rates of this machine."""
    return {
        "fma_gflops_one_core": {simd: fma_peak(simd) for simd in _kernel.info()["available"]},
        "memory_gb_per_second_one_thread": memory_peak(),
    }


BENCHMARKS = {
    "corpus": about,
    "peaks": limits,
    "pairs": pairs_of_ids,
    "pairs_in_cache": lambda: pairs_of_ids(words=1_000),
    "poolings": poolings,
}


if __name__ == "__main__":
    runner.run_parts(NAME, BENCHMARKS, sys.argv[1:])
