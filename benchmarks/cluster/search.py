"""Cost of search over shards, compared with one index of the same texts.

python -m benchmarks.cluster.search [TEXTS]   # 100,000 sentences of FUZZBOW_CORPUS unless given

Processor seconds, so that other load of the machine matters little, with the median of wall times.
Queries are distinct. Writes results/cluster_search.json.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fuzzbow
from benchmarks.corpus import read_corpus
from benchmarks.markdown import number, table
from benchmarks.runner import origin, write_results
from fuzzbow.pipeline.indexing import build_sharded_index

NAME = "cluster_search"
TEXTS = 100_000
SHARDS = 5
SINGLE, BATCH, REPEATS = 300, 1000, 3
PURPOSES = ("sentences", "passages")
KINDS = {"one": "one index", "this": "5 shards in this process"}


def milliseconds(calls: list[Callable[[], Any]], queries: int) -> dict[str, float]:
    """Of a query, by the processors and by the median of calls."""
    walls, before = [], time.process_time()
    for call in calls:
        start = time.perf_counter()
        call()
        walls.append(time.perf_counter() - start)
    used = (time.process_time() - before) / len(calls)
    return {
        "processor": 1000 * used / queries,
        "median": 1000 * statistics.median(walls) / queries,
    }


def measured(index: Any, queries: list[str]) -> dict[str, Any]:
    """Single queries, and many at once."""
    index.search(queries[-20:], 10)
    batches = [queries[i * BATCH : (i + 1) * BATCH] or queries for i in range(REPEATS)]
    rest = queries[REPEATS * BATCH :][:SINGLE] or queries
    single = [lambda text=text: index.search(text, 10) for text in rest]
    batch = [lambda part=part: index.search(part, 10) for part in batches]
    return {"single": milliseconds(single, 1), "batch": milliseconds(batch, len(batches[0]))}


def main(size: int) -> None:
    """Measure, and write the results."""
    texts, queries = read_corpus().part(0, size), read_corpus().queries
    found: dict[str, Any] = {"texts": size, "shards": SHARDS, **origin()}
    for purpose in PURPOSES:
        model = fuzzbow.load(purpose=purpose)
        with tempfile.TemporaryDirectory() as folder:
            one, many = Path(folder, "one"), Path(folder, "many")
            model.index(texts, path=one)
            build_sharded_index(model, texts, path=many, shards=SHARDS)
            results = {"one": measured(fuzzbow.open_index(one, model), queries)}
            with fuzzbow.open_index(many, model) as index:
                results["this"] = measured(index, queries)
            found[purpose] = results
    write_results(NAME, found)


def section(data: dict[str, Any]) -> str:
    """The table of the page."""
    rows = []
    for purpose in PURPOSES:
        results = data[purpose]
        for kind, shown in KINDS.items():
            cells = []
            for way in ("single", "batch"):
                used, alone = (results[k][way]["processor"] for k in (kind, "one"))
                cells += [number(used, 2), number(used / alone, 2)]
            rows.append((purpose, shown, *cells))
    header = ("model for", "", "one query", "ratio", f"of {BATCH:,} together", "ratio")
    return (
        f"Processor milliseconds of a query for the best 10 of {data['texts']:,} sentences, and"
        f" their ratio to\nthose of one index:\n\n"
        f"{table(header, rows)}"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else TEXTS)
