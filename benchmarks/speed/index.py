"""Search through the public interface, tokenising included, against its peers.

    FUZZBOW_STS=... python -m benchmarks.speed.index [TEXTS ...]

Corpora of 100,000 and 1,000,000 texts unless told otherwise, of both kinds of `recipe.corpus`
(only Zipfian text without FUZZBOW_STS), and growth from 10,000 on. Queries are texts of the same
recipe that are not in the corpus. Build and reopening run in processes of their own, whose
largest resident memory is reported (on Linux). Writes results/index.json.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fuzzbow
from benchmarks import runner
from benchmarks.runner import write_results
from benchmarks.speed import peers, recipe

NAME = "index"
MEASURES = ("weighted-jaccard", "dynamax-jaccard")
QUERIES = 64
BATCH, ROUNDS = 1000, 5  # queries asked at once, and how often
SIZES = (100_000, 1_000_000)
GROWTH = (10_000, 30_000, 100_000, 300_000, 1_000_000)

# what a process inherits counts in getrusage, so the kernel is asked for its own peak
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
"""

BUILD = (
    PEAK
    + """
source, folder, measure = sys.argv[1:]
model = fuzzbow.load("default", measure=measure)
start = time.perf_counter()
with open(source, encoding="utf-8") as lines:
    index = model.index((line.rstrip("\\n") for line in lines), path=folder)
seconds = time.perf_counter() - start
print(json.dumps({"seconds": seconds, "peak_gigabytes": peak(), "texts": len(index)}))
"""
)

REOPEN = (
    PEAK
    + """
folder, query = sys.argv[1:]
start = time.perf_counter()
index = fuzzbow.open_index(folder)
seconds = time.perf_counter() - start
index.search(query)
print(json.dumps({"seconds": seconds, "peak_gigabytes": peak()}))
"""
)


def in_process(code: str, *arguments: object) -> dict[str, Any]:
    """What a process of its own prints."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def throughput(index: Any, queries: list[str]) -> tuple[float, float]:
    """Mean milliseconds of a query, one by one and all at once: medians of rounds, in turn."""

    def mean(run: Callable[[], object], count: int) -> float:
        start = time.perf_counter()
        run()
        return 1e3 * (time.perf_counter() - start) / count

    share = len(queries) // ROUNDS
    one_by_one, at_once = [], []
    for part in range(ROUNDS):
        some = queries[part * share : (part + 1) * share]
        alone = mean(lambda some=some: [index.search(text, 10, threads=2) for text in some], share)
        one_by_one.append(alone)
        at_once.append(mean(lambda: index.search(queries, 10, threads=2), len(queries)))
    return statistics.median(one_by_one), statistics.median(at_once)


def ask(index: Any, queries: list[str], many: list[str]) -> dict[str, Any]:
    """Milliseconds of one query at a time, by threads, with texts read, and of many at once."""
    single = {}
    for threads in (1, 2):
        seconds = runner.median_seconds(
            lambda query, threads=threads: index.search(query, 10, threads=threads), queries
        )
        single[str(threads)] = 1e3 * seconds
    with_texts = 1e3 * runner.median_seconds(
        lambda query: [hit.text for hit in index.search(query, 10, threads=2)], queries
    )
    one_by_one, at_once = throughput(index, many)
    return {
        "milliseconds_by_threads": single,
        "with_texts_read_milliseconds": with_texts,
        "one_by_one_milliseconds": one_by_one,
        "many_at_once_milliseconds": at_once,
        "many_times_one_by_one": one_by_one / at_once,
        "bytes_per_text": index.memory_bytes() / max(len(index), 1),
    }


def ours(texts: list[str], queries: list[str], many: list[str]) -> dict[str, Any]:
    """Build on disk, reopen, and ask, for each measure."""
    result = {}
    for measure in MEASURES:
        with tempfile.TemporaryDirectory() as place:
            source, folder = Path(place, "texts.txt"), Path(place, "index")
            lines = (" ".join(text.split()) + "\n" for text in texts)
            source.write_text("".join(lines), encoding="utf-8")
            build = in_process(BUILD, source, folder, measure)
            reopen = in_process(REOPEN, folder, queries[0])
            index = fuzzbow.open_index(folder)
            result[measure] = ask(index, queries, many) | {"build": build, "reopen": reopen}
            del index
    return result


def compare(kind: str, count: int) -> dict[str, Any]:
    """One corpus: ours and the peers."""
    texts = recipe.corpus(kind, count, seed=1)
    queries = recipe.corpus(kind, QUERIES, seed=100)
    many = recipe.corpus(kind, BATCH, seed=200)
    rows, asked = peers.average_rows(texts), peers.average_rows(queries)
    flat, exact = peers.faiss_flat(rows, asked)
    result: dict[str, Any] = {
        "texts": count,
        "words_per_text": sum(len(text.split()) for text in texts) / count,
        "faiss_flat": flat,
        "faiss_hnsw": peers.faiss_hnsw(rows, asked, exact),
        "bm25s": peers.bm25(texts, queries),
        "numpy_loop": peers.numpy_loop(texts, queries),
    }
    del rows
    result |= ours(texts, queries, many)
    best = min(flat["milliseconds_by_threads"].values())
    for measure in MEASURES:
        own = result[measure]["milliseconds_by_threads"]["2"]
        result[measure]["times_faiss_flat_at_its_best"] = best / own
    return result


def growth(sizes: tuple[int, ...]) -> dict[str, Any]:
    """Milliseconds of a query as a Zipfian corpus grows, two threads; in memory."""
    everything = recipe.corpus("zipf", max(sizes), seed=1)
    queries = recipe.corpus("zipf", QUERIES, seed=100)
    result: dict[str, Any] = {}
    for count in sizes:
        texts = everything[:count]
        flat, _ = peers.faiss_flat(peers.average_rows(texts), peers.average_rows(queries))
        result[str(count)] = {"faiss_flat": min(flat["milliseconds_by_threads"].values())}
        for measure in MEASURES:
            index = fuzzbow.load("default", measure=measure).index(texts)
            result[str(count)][measure] = 1e3 * runner.median_seconds(
                lambda query, index=index: index.search(query, 10, threads=2), queries
            )
    return result


def main(sizes: list[int]) -> None:
    """Run everything and write it down after each part."""
    chosen = tuple(sizes) or SIZES
    kinds = ["sts", "zipf"] if os.environ.get("FUZZBOW_STS") else ["zipf"]
    results: dict[str, Any] = {"machine": recipe.machine(), "corpora": {}}
    for count in chosen:
        for kind in kinds:
            print(f"== {kind} {count:,}", flush=True)
            results["corpora"][f"{kind} {count}"] = compare(kind, count)
            print(json.dumps(results["corpora"][f"{kind} {count}"], indent=1), flush=True)
            write_results(NAME, results)
    sizes_up_to = tuple(size for size in GROWTH if size <= max(chosen))
    results["growth"] = growth(sizes_up_to or chosen)
    write_results(NAME, results)


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]])
