"""Cost of jobs without and with shards, in one process, and what follows for 10⁹ texts.

python -m benchmarks.cluster.scale [TEXTS]   # 200,000 unless given; needs FUZZBOW_STS

Costs are processor seconds, so that other load of the machine matters little, with wall seconds.
Each measurement runs in a process of its own with two threads. Writes results/cluster.json.
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import fuzzbow
from benchmarks.speed import recipe
from fuzzbow import cluster

RESULTS = Path(__file__).parents[1] / "results" / "cluster.json"
TEXTS = 200_000
CORES = 2
SHARDS = (1, 2, 4)
THRESHOLDS = (0.9, 0.8)
QUERIES = 1000


def processor_seconds() -> float:
    """Return the processor seconds that this process has used."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def costs(work: Callable[[], Any]) -> dict[str, Any]:
    """Measure processor and wall seconds of a function, and add the facts that it returns."""
    before, start = processor_seconds(), time.perf_counter()
    facts = work()
    wall = time.perf_counter() - start
    return {"processor_seconds": processor_seconds() - before, "wall_seconds": wall, **facts}


def whole(file: str) -> dict[str, Any]:
    """Measure every job without shards."""
    model = fuzzbow.load()
    texts = pq.read_table(file)["text"].to_pylist()
    queries = texts[:: max(len(texts) // QUERIES, 1)][:QUERIES]
    model.similarity("a cat", "a dog")
    found: dict[str, Any] = {
        "encode": costs(lambda: {"words": len(model.encoder.word_ids(texts).rows.values)}),
        "score": costs(lambda: {"rows": len(model.pairs(texts, texts[1:] + texts[:1]))}),
    }
    for threshold, part in product(THRESHOLDS, SHARDS):
        some = texts[: len(texts) // part]
        found.setdefault(f"join {threshold}", {})[str(part)] = costs(
            lambda some=some, at=threshold: {
                "pairs": len(model.duplicates(some, threshold=at, threads=CORES).pairs)
            }
        )
    held: list[Any] = []
    found["index"] = costs(lambda: {"texts": held.append(model.index(texts)) or len(held[0])})
    found["search"] = costs(lambda: {"queries": len(held[0].search(queries, k=10, threads=CORES))})
    return found | {"peak_bytes": peak_bytes()}


def peak_bytes() -> int:
    """Return the largest memory that this process has used."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def in_shards(file: str, shards: int, threshold: float) -> dict[str, Any]:
    """Measure duplicates in shards."""
    with tempfile.TemporaryDirectory() as folder:

        def work() -> dict[str, Any]:
            made = cluster.dedupe(
                file,
                Path(folder, "run"),
                text="text",
                threshold=threshold,
                shards=shards,
                executor=cluster.ThisProcess(CORES),
            )
            return {"pairs": len(made.pairs), "tasks": made.collection.counts.done}

        found = costs(work)
        written = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    return found | {"peak_bytes": peak_bytes(), "written_bytes": written}


def scored_in_shards(file: str) -> dict[str, Any]:
    """Measure scores of the same pairs in shards."""
    with tempfile.TemporaryDirectory() as folder:

        def work() -> dict[str, Any]:
            made = cluster.score(
                file,
                Path(folder, "run"),
                left="text",
                right="other",
                shards=CORES,
                executor=cluster.ThisProcess(CORES),
            )
            return {"rows": made.rows}

        return costs(work)


def apart(function: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """Call a function in a process of its own, whose memory is its own, and return its result."""
    context = multiprocessing.get_context("spawn")
    mine, theirs = context.Pipe()
    process = context.Process(target=_send, args=(theirs, function, arguments))
    process.start()
    theirs.close()
    found: dict[str, Any] = mine.recv()
    process.join()
    return found


def _send(pipe: Any, function: Callable[..., dict[str, Any]], arguments: tuple[Any, ...]) -> None:
    pipe.send(function(*arguments))


def main(size: int) -> None:
    """Measure, and write the results."""
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder, "texts.parquet"))
        texts = recipe.sentence_copies(recipe.corpus("sts", size, seed=1), 0.1, seed=2)
        pq.write_table(pa.table({"text": texts, "other": texts[1:] + texts[:1]}), file)
        found: dict[str, Any] = {
            "texts": size,
            "cores": CORES,
            "file_bytes": Path(file).stat().st_size,
            "engine": fuzzbow.engine_info(),
            "whole": apart(whole, file),
            "score_in_shards": apart(scored_in_shards, file),
            "in_shards": {},
        }
        for shards in SHARDS:
            for threshold in THRESHOLDS:
                name = f"join {threshold}"
                measured = apart(in_shards, file, shards, threshold)
                found["in_shards"].setdefault(str(shards), {})[name] = measured
                print(shards, name, measured, flush=True)
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else TEXTS)
