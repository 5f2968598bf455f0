"""Timing, processes and result files that all benchmarks share."""

from __future__ import annotations

import json
import multiprocessing
import os
import platform
import resource
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent / "results"
PACKAGES = (
    *("numpy", "faiss-cpu", "torch", "pyarrow", "gensim", "pylance", "bm25s", "numba", "tantivy"),
    *("semhash", "usearch", "rapidfuzz"),
)


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


def seconds_in_turn(
    works: Mapping[str, Callable[[Any], Any]], inputs: Iterable[Any]
) -> dict[str, np.ndarray]:
    """Seconds of each function for each input; all get an input before the next.

    There is no warm-up with these inputs: a function meets each for the first time.
    """
    taken: dict[str, list[float]] = {name: [] for name in works}
    for item in inputs:
        for name, work in works.items():
            start = time.perf_counter()
            work(item)
            taken[name].append(time.perf_counter() - start)
    return {name: np.array(seconds) for name, seconds in taken.items()}


def typical(seconds: np.ndarray, unit: float) -> dict[str, float]:
    """Median and mean in units of so many to the second."""
    return {
        "median": round(unit * float(np.median(seconds)), 4),
        "mean": round(unit * float(np.mean(seconds)), 4),
    }


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float | None:
    """Slope of a straight line through the logarithms; none of fewer than two points."""
    if len(sizes) < 2 or min(values) <= 0:
        return None
    return round(float(np.polyfit(np.log(sizes), np.log(values), 1)[0]), 3)


def peak_bytes() -> int:
    """Return the largest memory that this process has used."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def alone(work: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in a process of its own, so that its memory and its caches are its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, arguments)


def one_blas_thread() -> AbstractContextManager[Any]:
    """NumPy at its best for small matrices: threads of BLAS only get in its way."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(limits=1, user_api="blas")


def machine() -> dict[str, Any]:
    """Describe the machine and the versions that numbers were measured with."""
    import fuzzbow

    packages: dict[str, str | None] = {}
    for name in PACKAGES:
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            packages[name] = None
    engine = fuzzbow.engine.engine_info()
    return {
        "cores": os.cpu_count(),
        "cpu": _cpu_name(),
        "architecture": platform.machine(),
        "python": platform.python_version(),
        "packages": packages,
        "engine": {key: value for key, value in engine.items() if key != "why"},
    }


def _cpu_name() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())


def origin() -> dict[str, Any]:
    """Machine, date and commit of a measurement."""
    folder = FOLDER.parents[1]
    head = ["git", "rev-parse", "--short=9", "HEAD"]
    commit = subprocess.run(head, cwd=folder, capture_output=True, text=True).stdout.strip()
    changes = ["git", "diff", "--quiet", "HEAD", "--", "src", "cpp"]
    changed = subprocess.run(changes, cwd=folder, capture_output=True).returncode
    return {
        "machine": machine(),
        "date": datetime.now(timezone.utc).date().isoformat(),
        "commit": f"{commit} with changes" if changed else commit,
    }


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
    results = (read_results(name) if chosen else {}) | origin()
    for part in chosen or parts:
        print(f"== {name}: {part}", flush=True)
        results[part] = parts[part]()
        print(json.dumps(results[part], indent=1), flush=True)
        write_results(name, results)
