"""All speed benchmarks in one process: python -m benchmarks.speed.run [NAME ...]."""

from __future__ import annotations

import sys

from benchmarks import runner
from benchmarks.speed import peaks, scores, search
from fuzzbow import _kernel

NAME = "speed"

BENCHMARKS = {
    "peaks": lambda: {
        "fma_gflops_one_core": {simd: peaks.fma_peak(simd) for simd in _kernel.info()["available"]},
        "memory_gb_per_second_one_thread": peaks.memory_peak(),
    },
    "pairs": scores.pairs_of_ids,
    "pairs_in_cache": lambda: scores.pairs_of_ids(words=1_000),
    "strings": scores.pairs_of_strings,
    "poolings": scores.poolings,
    "stages": scores.stages,
    "search": search.search,
    "growth": search.growth,
    "join": search.join,
}


if __name__ == "__main__":
    runner.run_parts(NAME, BENCHMARKS, sys.argv[1:])
