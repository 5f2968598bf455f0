"""Search with distinct queries beside FAISS: python -m benchmarks.speed.search [NAME ...].

Texts and queries are sentences of FUZZBOW_CORPUS; each query is asked once of each way to search,
and all get it before the next. Writes results/search.json.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import fuzzbow
from benchmarks import runner
from benchmarks.corpus import read_corpus
from benchmarks.speed.calls import MEASURES, about
from benchmarks.speed.peers import K, NumpyModel, faiss_flat, faiss_hnsw, faiss_search

NAME = "search"
SIZES = (100, 1_000, 10_000, 100_000)
QUERIES, BATCH = 200, 1_000  # of each number of threads; asked together
GRAPH = 100_000  # texts in HNSW, whose building takes long

# memory that a process inherits counts in getrusage, so the kernel is asked for its own peak
PEAK = """
import json, sys, time
from pathlib import Path
import fuzzbow
def peak():
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return int(lines["VmHWM"].split()[0]) / 2**20
start = time.perf_counter()
"""
BUILD = """
with open(sys.argv[1], encoding="utf-8") as lines:
    fuzzbow.load("default").index((line.rstrip("\\n") for line in lines), path=sys.argv[2])
print(json.dumps({"seconds": time.perf_counter() - start, "peak_gigabytes": peak()}))
"""
REOPEN = """
index = fuzzbow.open_index(sys.argv[1])
seconds = time.perf_counter() - start
index.search(sys.argv[2])
print(json.dumps({"seconds": seconds, "peak_gigabytes": peak()}))
"""


def by_size() -> dict[str, Any]:
    """Every way to search, over the first texts of the corpus."""
    corpus, numpy = read_corpus(), NumpyModel()
    rows, asked = numpy.averages(corpus.documents), numpy.averages(corpus.queries)
    result = {}
    for size in corpus.sizes(SIZES):
        result[str(size)] = _compare(corpus.documents[:size], rows[:size], corpus.queries, asked)
        print(size, json.dumps(result[str(size)]), flush=True)
    flat = faiss_flat(rows[:GRAPH])
    some = asked[:QUERIES]
    graph = faiss_hnsw(rows[:GRAPH], some, flat.search(some, K)[1])
    return {"k": K, "milliseconds": result, "faiss_hnsw": {"texts": len(rows[:GRAPH]), **graph}}


def _compare(
    texts: list[str], rows: np.ndarray, queries: list[str], asked: np.ndarray
) -> dict[str, Any]:
    """Milliseconds of a query by one and two threads, of queries asked again, and of a batch."""
    numpy, flat = NumpyModel(), faiss_flat(rows)
    indexes = {name: fuzzbow.load("default", measure=name).index(texts) for name in MEASURES}
    result: dict[str, Any] = {
        name: {"bytes_per_text": index.memory_bytes() / len(texts)}
        for name, index in indexes.items()
    } | {"FAISS flat": {"bytes_per_text": 4 * rows.shape[1]}}
    share = min(QUERIES, len(queries) // 3)
    for threads in (1, 2):
        works: dict[str, Callable[[int], Any]] = {
            name: lambda n, index=index, threads=threads: index.search(
                queries[n], k=K, threads=threads
            )
            for name, index in indexes.items()
        }
        dense = faiss_search(flat, threads)
        works["FAISS flat"] = lambda n, dense=dense: dense(asked[n : n + 1])
        numbers = range((threads - 1) * share, threads * share)
        for name, seconds in runner.seconds_in_turn(works, numbers).items():
            result[name][f"{threads} threads"] = runner.typical(seconds, 1e3)
        if threads == 1:
            again = runner.seconds_in_turn(works, numbers)
            for name in MEASURES:
                result[name]["again"] = runner.typical(again[name], 1e3)
    dense = faiss_search(flat, 1)
    made = {"": lambda n: dense(numpy.average(queries[n]))}
    seconds = runner.seconds_in_turn(made, range(share))[""]
    result["FAISS flat"]["with its query vector made in NumPy"] = runner.typical(seconds, 1e3)
    many = slice(2 * share, 2 * share + BATCH)
    batches = {
        name: lambda index=index: index.search(queries[many], k=K, threads=2)
        for name, index in indexes.items()
    } | {"FAISS flat": lambda: faiss_search(flat, 2)(asked[many])}
    for name, batch in batches.items():
        result[name]["batch"] = 1e3 * runner.timed(batch).seconds / len(queries[many])
    return result


def on_disk() -> dict[str, Any]:
    """Building and opening an index of the whole corpus, in processes of their own."""
    corpus = read_corpus()
    with tempfile.TemporaryDirectory() as place:
        source, folder = Path(place, "texts.txt"), Path(place, "index")
        source.write_text("\n".join(corpus.documents) + "\n", encoding="utf-8")
        return {
            "texts": len(corpus.documents),
            "build": _in_process(BUILD, source, folder),
            "open": _in_process(REOPEN, folder, corpus.queries[0]),
        }


def _in_process(code: str, *arguments: object) -> dict[str, Any]:
    command = [sys.executable, "-c", PEAK + code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


BENCHMARKS = {"corpus": about, "sizes": by_size, "disk": on_disk}


if __name__ == "__main__":
    runner.run_parts(NAME, BENCHMARKS, sys.argv[1:])
