"""Columns in Arrow's memory: read where they lie, or first made lists of strings.

    python -m benchmarks.speed.arrow [TEXTS]   # 100,000 unless given

Sentences of FUZZBOW_CORPUS in chunks of 65,536 rows. Every call has a process
of its own, and its memory is the peak of that process less what the process had before the call (on
Linux). The two ways take turns. Medians of all rounds; writes results/arrow.json.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

import fuzzbow
from benchmarks.corpus import read_corpus
from benchmarks.markdown import number, table
from benchmarks.runner import alone, origin, write_results
from fuzzbow.encoding import check_texts

NAME = "arrow"
TEXTS, CHUNK, ROUNDS = 100_000, 65_536, 3
STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
FORGET_PEAK = "5"
CALLS: dict[str, Callable[..., Any]] = {
    "texts alone": lambda model, texts: check_texts(texts, "texts"),
    "pairs": lambda model, lefts, rights: model.pairs(lefts, rights),
    "index": lambda model, texts: model.index(texts),
}
SOURCES = {"Arrow": tuple(CALLS), "Polars": ("pairs",)}
WAYS = ("list", "memory")


def write_columns(path: Path, count: int) -> None:
    """Two columns of sentences as an Arrow file."""
    corpus = read_corpus()
    sides = [corpus.part(side, count) for side in (0, 1)]
    columns = pa.table(dict(zip(("left", "right"), sides, strict=True)))
    with pa.ipc.new_file(path, columns.schema) as file:
        file.write_table(columns, max_chunksize=CHUNK)


def read_columns(path: Path, source: str, call: str) -> list[Any]:
    """The columns of a call as a library has them."""
    with pa.OSFile(str(path)) as file:
        columns = pa.ipc.open_file(file).read_all().columns[: 2 if call == "pairs" else 1]
    if source == "Arrow":
        return list(columns)
    import polars

    return [polars.Series(column) for column in columns]


def strings(column: Any) -> list[str]:
    """A list of Python's strings."""
    made: list[str] = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
    return made


def resident(name: str) -> float | None:
    """Megabytes that this process has, VmRSS, or had at most, VmHWM."""
    if not STATUS.exists():
        return None
    lines = dict(line.split(":", 1) for line in STATUS.read_text().splitlines())
    return int(lines[name].split()[0]) / 1024


def measure(path: Path, source: str, call: str, way: str) -> dict[str, float | None]:
    """Seconds of one call, the processor's too, and the megabytes that it took."""
    model = fuzzbow.load()
    columns = read_columns(path, source, call)
    CALLS[call](model, *(column[:1000] for column in columns))  # imports, and frequent words
    before = resident("VmRSS")
    if before is not None:
        CLEAR.write_text(FORGET_PEAK)
    clock, processor = time.perf_counter(), time.process_time()
    kept = CALLS[call](model, *(map(strings, columns) if way == "list" else columns))
    numbers = {
        "seconds": time.perf_counter() - clock,
        "processor_seconds": time.process_time() - processor,
        "megabytes": None if before is None else (resident("VmHWM") or 0) - before,
    }
    del kept
    return numbers


def medians(runs: list[dict[str, float | None]]) -> dict[str, float | None]:
    """Of each number, the median."""
    return {
        name: None if None in (values := [run[name] for run in runs]) else statistics.median(values)
        for name in runs[0]
    }


def compare(path: Path, source: str, call: str) -> dict[str, Any]:
    """One call in both ways, in turn."""
    runs: dict[str, list[Any]] = {way: [] for way in WAYS}
    for _ in range(ROUNDS):
        for way in WAYS:
            runs[way].append(alone(measure, path, source, call, way))
    found: dict[str, Any] = {way: medians(runs[way]) for way in WAYS}
    print(source, call, json.dumps(found, indent=1), flush=True)
    return found


def main(count: int) -> None:
    """Every call on columns of every library."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "columns.arrow")
        write_columns(path, count)
        calls = {
            source: {call: compare(path, source, call) for call in names}
            for source, names in SOURCES.items()
        }
    size = {"texts": count, "rounds": ROUNDS}
    write_results(NAME, {**origin(), **size, "calls": calls})


def page(data: dict[str, Any]) -> str:
    """The results as Markdown."""
    header = ("column of", "call", "seconds", "from a list", "MB", "from a list", "MB spared")
    rows = [
        (
            source,
            call,
            number(ways["memory"]["processor_seconds"], 2),
            number(ways["list"]["processor_seconds"], 2),
            number(ways["memory"]["megabytes"], 0),
            number(ways["list"]["megabytes"], 0),
            number(ways["list"]["megabytes"] - ways["memory"]["megabytes"], 0),
        )
        for source, calls in data["calls"].items()
        for call, ways in calls.items()
    ]
    return (
        f"## Columns in Arrow's memory\n\n{data['texts']:,} real sentences, weighted-jaccard,"
        " read where they lie, or first made a list of strings. Seconds of the processor, all"
        " threads together, and the peak of memory that a call adds, the list with it; medians of"
        f" {data['rounds']} processes each. `texts alone` only checks them.\n\n"
        + table(header, rows)
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else TEXTS)
