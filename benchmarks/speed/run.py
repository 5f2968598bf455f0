"""All speed benchmarks in one process: python -m benchmarks.speed.run [NAME ...]."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks.speed import peaks, recipe, scores, search
from fuzzbow import _kernel

RESULTS = Path(__file__).parents[1] / "results" / "speed.json"

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


def main(names: list[str]) -> None:
    """Run the named benchmarks, or all; keep the results of the others."""
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() and names else {}
    for name in names or BENCHMARKS:
        print(f"== {name}", flush=True)
        results[name] = BENCHMARKS[name]()
        print(json.dumps(results[name], indent=1), flush=True)
        results["machine"] = recipe.machine()
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
