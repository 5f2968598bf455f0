"""Cost of jobs without and with shards, in one process, and what follows for 10⁹ texts.

python -m benchmarks.cluster.scale [TEXTS]   # 100,000 sentences of FUZZBOW_CORPUS unless given

Costs are processor seconds, so that other load of the machine matters little, with wall seconds.
Each measurement runs in a process of its own with two threads. Writes results/cluster.json.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import fuzzbow
from benchmarks import runner
from benchmarks.corpus import read_corpus
from benchmarks.runner import write_results
from fuzzbow import pipeline

NAME = "cluster"
TEXTS = 100_000
CORES = 2
SHARDS = (1, 2, 4)
THRESHOLDS = (0.9, 0.8)
QUERIES = 1000


def costs(work: Callable[[], Any]) -> dict[str, Any]:
    """Measure processor and wall seconds of a function, and add the facts that it returns."""
    run = runner.timed(work)
    return {
        "processor_seconds": run.processor_seconds,
        "wall_seconds": run.seconds,
        **run.result,
    }


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
    return found | {"peak_bytes": runner.peak_bytes()}


def in_shards(
    job: Callable[..., Any], file: str, shards: int, options: dict[str, Any]
) -> dict[str, Any]:
    """Measure duplicates or scores in shards."""
    executor = pipeline.ThisProcess(CORES)
    with tempfile.TemporaryDirectory() as folder:

        def work() -> dict[str, Any]:
            run = pipeline.RunOptions(executor, shards=shards, folder=Path(folder, "run"))
            made = job(file, run=run, **options)
            if job is pipeline.score_file:
                return {"rows": made.rows}
            return {"pairs": made.summary["pairs"], "tasks": made.notes[-1]}

        found = costs(work)
        written = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    return found | {"peak_bytes": runner.peak_bytes(), "written_bytes": written}


def main(size: int) -> None:
    """Measure, and write the results."""
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder, "texts.parquet"))
        texts = read_corpus().part(0, size)
        pq.write_table(pa.table({"text": texts, "other": texts[1:] + texts[:1]}), file)
        found: dict[str, Any] = {
            "texts": size,
            "cores": CORES,
            "file_bytes": Path(file).stat().st_size,
            **runner.origin(),
            "whole": runner.alone(whole, file),
            "score_in_shards": runner.alone(
                in_shards, pipeline.score_file, file, CORES, {"left": "text", "right": "other"}
            ),
            "in_shards": {},
        }
        for shards in SHARDS:
            for threshold in THRESHOLDS:
                name = f"join {threshold}"
                options = {"text": "text", "options": pipeline.DedupeOptions(threshold=threshold)}
                measured = runner.alone(in_shards, pipeline.dedupe_file, file, shards, options)
                found["in_shards"].setdefault(str(shards), {})[name] = measured
                print(shards, name, measured, flush=True)
    write_results(NAME, found)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else TEXTS)
