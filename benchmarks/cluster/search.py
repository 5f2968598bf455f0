"""Cost of search over shards, compared with one index of the same texts.

python -m benchmarks.cluster.search [TEXTS] [NAME]   # 200,000 unless given; needs FUZZBOW_STS

Processor seconds, so that other load of the machine matters little, with the median of wall times.
Adds NAME ("now" unless given) to
results/cluster_search.json, so that an older state of the library can be measured by the same
script, and renews the table of docs/how-to/cluster-search.md.
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
from benchmarks.markdown import insert, number, table
from benchmarks.runner import read_results, write_results
from benchmarks.speed import recipe
from fuzzbow.pipeline.indexing import build_sharded_index

NAME = "cluster_search"
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "cluster-search.md"
TEXTS = 200_000
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
    single = [lambda text=text: index.search(text, 10) for text in queries[:SINGLE]]
    batch = [lambda: index.search(queries, 10)] * REPEATS
    return {"single": milliseconds(single, 1), "batch": milliseconds(batch, len(queries))}


def main(size: int, name: str) -> None:
    """Measure, and add the results."""
    texts, queries = recipe.corpus("sts", size, seed=1), recipe.corpus("sts", BATCH, seed=5)
    found: dict[str, Any] = {"texts": size, "shards": SHARDS}
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
    write_results(NAME, read_results(NAME) | {name: found})


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
    main(int(sys.argv[1]) if len(sys.argv) > 1 else TEXTS, sys.argv[2] if sys.argv[2:] else "now")
    insert(PAGE, NAME, section(read_results(NAME)["now"]))
