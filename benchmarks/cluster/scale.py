"""What a million texts cost in one process and in shards, and what follows for 10⁹.

python -m benchmarks.cluster.scale [TEXTS]   # 1,000,000 unless given; needs FUZZBOW_STS

Costs are seconds of the processor, those of all workers included, so that another load of the
machine matters little; wall seconds stand beside them. Two cores: one process with two threads
against two processes with one each. Writes results/cluster.json.
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
TEXTS = 1_000_000
CORES = 2
SHARDS = (1, 2, 4)
THRESHOLDS = (0.9, 0.8)
QUERIES = 1000


def processor_seconds() -> float:
    """Of this process and of its children that have ended."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [resource.getrusage(kind) for kind in kinds]
    return sum(item.ru_utime + item.ru_stime for item in used)


def costs(work: Callable[[], Any]) -> dict[str, Any]:
    """Processor and wall seconds of a piece of work, and what it says of itself."""
    before, start = processor_seconds(), time.perf_counter()
    facts = work()
    wall = time.perf_counter() - start
    return {"processor_seconds": processor_seconds() - before, "wall_seconds": wall, **facts}


def one_process(file: str) -> dict[str, Any]:
    """Everything in one process with as many threads as there are cores."""
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
    return found | {"peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}


def in_shards(file: str, shards: int, threshold: float) -> dict[str, Any]:
    """Duplicates by processes of one core each."""
    with tempfile.TemporaryDirectory() as folder:

        def work() -> dict[str, Any]:
            with cluster.ProcessWorkers(CORES, threads=1) as workers:
                run = Path(folder, "run")
                made = cluster.dedupe(
                    file, run, threshold=threshold, shards=shards, workers=workers
                )
            return {"pairs": len(made.pairs), "tasks": made.collection.counts.done}

        found = costs(work)
        written = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    return found | {"peak_bytes_of_a_worker": peak, "written_bytes": written}


def scored_in_shards(file: str) -> dict[str, Any]:
    """Scores of the same pairs by processes of one core each."""
    with tempfile.TemporaryDirectory() as folder:

        def work() -> dict[str, Any]:
            with cluster.ProcessWorkers(CORES, threads=1) as workers:
                made = cluster.score(
                    file, Path(folder, "run"), left="text", right="other", workers=workers
                )
            return {"rows": made.rows}

        return costs(work)


def apart(function: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """What a function gives in a process of its own, whose memory and children are its own."""
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
            "one_process": apart(one_process, file),
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
