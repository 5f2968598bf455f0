"""Timing, processes and result files that all benchmarks share."""

from __future__ import annotations

import json
import multiprocessing
import resource
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Timed:
    """Seconds of one call on the clock and of all processors, and its result."""

    seconds: float
    processor_seconds: float
    result: Any = None


def timed(work: Callable[..., Any], *arguments: Any) -> Timed:
    """Call a function once."""
    used, start = time.process_time(), time.perf_counter()
    result = work(*arguments)
    seconds = time.perf_counter() - start
    return Timed(seconds, time.process_time() - used, result)


def median_seconds(work: Callable[[Any], Any], inputs: Sequence[Any]) -> float:
    """Median over distinct inputs, after a warm-up."""
    work(inputs[0])
    return float(np.median([timed(work, item).seconds for item in inputs]))


def median_seconds_in_turn(
    first: Callable[[Any], Any], second: Callable[[Any], Any], inputs: Sequence[Any]
) -> tuple[float, float, float]:
    """Medians of two functions over distinct inputs, and of their ratio, first over second.

    Each input is given to both before the next, so that other load of the machine affects both.
    """
    for work in (first, second):
        work(inputs[0])
    runs = np.array([[timed(work, item).seconds for work in (first, second)] for item in inputs])
    one, other = np.median(runs, axis=0)
    return float(one), float(other), float(np.median(runs[:, 0] / runs[:, 1]))


def peak_bytes() -> int:
    """Return the largest memory that this process has used."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def alone(work: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in a process of its own, so that its memory is its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, arguments)


def read_results(name: str) -> dict[str, Any]:
    """Read results/NAME.json; nothing if there is none."""
    path = FOLDER / f"{name}.json"
    found: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return found


def write_results(name: str, results: Mapping[str, Any], path: Path | None = None) -> None:
    """Write results/NAME.json, or another file."""
    from fuzzbow.io.atomic import replacing  # before_after also runs with older versions

    text = json.dumps(results, indent=1, ensure_ascii=False, allow_nan=False)
    target = path or FOLDER / f"{name}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    with replacing(target) as new:
        new.write_text(text + "\n", encoding="utf-8")


def run_parts(name: str, parts: Mapping[str, Callable[[], Any]], chosen: Sequence[str]) -> None:
    """Run the chosen parts of a benchmark, or all; results of the others are kept."""
    from benchmarks.speed.recipe import machine

    results = read_results(name) if chosen else {}
    for part in chosen or parts:
        print(f"== {part}", flush=True)
        results[part] = parts[part]()
        print(json.dumps(results[part], indent=1), flush=True)
        results["machine"] = machine()
        write_results(name, results)
