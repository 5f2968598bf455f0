"""How the time of model.duplicates grows with the number of texts.

python -m benchmarks.speed.join_growth [--longest SECONDS] [--threshold T] [KIND ...]

Kinds are STS, Zipfian and tickets, all of them unless given; thresholds are 0.7, 0.8 and 0.9. Sizes
go from 10,000 to 1,000,000 texts, until a run would take more than so many seconds of the
processor (60 unless given). Small sizes are medians of several runs. Each run has a process of its
own and two threads. Seconds of the processor stand beside those of the clock: where the machine
has other work to do, and the load says so, they are what can be compared.

Writes results/join_growth.json, and goes on from what is there: a larger --longest adds larger
sizes. Delete the file to measure anew.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

import fuzzbow
from benchmarks import runner
from benchmarks.runner import read_results, write_results
from benchmarks.speed import dedupe, recipe

NAME = "join_growth"
KINDS = (*dedupe.KINDS, "tickets")
SIZES = (10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000)
THRESHOLDS = (0.9, 0.8, 0.7)
REPEATED, REPEATS = 20_000, 3  # sizes up to this are run so often


def corpus(kind: str, size: int) -> list[str]:
    """Texts of a kind; a tenth or so of them are near copies of others."""
    return recipe.tickets(size, seed=1) if kind == "tickets" else dedupe.corpus(kind, size)


def run(kind: str, size: int, threshold: float) -> dict[str, Any]:
    """The median run of one size."""
    texts, model = corpus(kind, size), fuzzbow.load("default")
    model.duplicates(texts[:100], threshold=threshold, threads=dedupe.THREADS)  # loads the model
    runs = []
    for _ in range(REPEATS if size <= REPEATED else 1):
        once = runner.timed(
            lambda: model.duplicates(texts, threshold=threshold, threads=dedupe.THREADS)
        )
        runs.append((once.processor_seconds, once.seconds))
    worked, seconds = np.median(runs, axis=0)
    return {
        "seconds": float(seconds),
        "processor_seconds": float(worked),
        "pairs": len(once.result.pairs),
        "load": os.getloadavg()[0],
    }


def exponent(runs: Mapping[str, dict[str, Any]], name: str = "processor_seconds") -> float:
    """The slope of a straight line through the logarithms of sizes and seconds."""
    sizes, seconds = np.array([[int(size), found[name]] for size, found in runs.items()]).T
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def grow(kind: str, threshold: float, longest: float, runs: dict[str, Any]) -> Iterator[None]:
    """Adds runs of one kind at one threshold, up to the largest size that is worth the wait."""
    for place, size in enumerate(SIZES):
        if str(size) in runs:
            continue
        if len(runs) > 1:
            last = SIZES[place - 1]
            expected = runs[str(last)]["processor_seconds"] * (size / last) ** exponent(runs)
            if expected > longest:
                return
        runs[str(size)] = runner.alone(run, kind, size, threshold)
        print(kind, threshold, size, json.dumps(runs[str(size)]), flush=True)
        yield


def main(kinds: list[str], thresholds: list[float], longest: float) -> None:
    """Every kind at every threshold; what is known so far is written at once."""
    known = read_results(NAME)
    growth = known.get("growth", {})
    results: dict[str, Any] = {
        "threads": dedupe.THREADS,
        "measure": "weighted-jaccard",
        "exponent_is": "slope of log(processor seconds) over log(texts)",
        "machine": recipe.machine(),
        "growth": growth,
    }
    for kind in kinds:
        for threshold in thresholds:
            line = growth.setdefault(kind, {}).setdefault(str(threshold), {"runs": {}})
            for _ in grow(kind, threshold, longest, line["runs"]):
                if len(line["runs"]) > 1:
                    line["exponent"] = exponent(line["runs"])
                    line["pairs_exponent"] = exponent(line["runs"], "pairs")
                write_results(NAME, results)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="How the time of duplicates grows.")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)}")
    parser.add_argument("--threshold", type=float, action="append", choices=THRESHOLDS)
    parser.add_argument("--longest", type=float, default=60.0, metavar="SECONDS")
    given = parser.parse_args()
    main(given.kinds or list(KINDS), given.threshold or list(THRESHOLDS), given.longest)
