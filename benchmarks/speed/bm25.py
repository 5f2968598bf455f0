"""Fuzzy BM25 beside weighted-jaccard and bm25s: python -m benchmarks.speed.bm25 [NAME …].

Sentences are the recipe's, about 12 words; passages are eleven of them, about 140 words.
All start from words already split: ours from word ids, bm25s from its own tokens without stop
words. Two threads; bm25s has one for one query. Each query goes through all before the next.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import fuzzbow
from benchmarks.speed import recipe
from fuzzbow.engine import Bags, Bm25Options, DynamicOptions, WordTable, limited_threads
from fuzzbow.engine.compiled import CompiledEngine

RESULTS = Path(__file__).parents[1] / "results" / "bm25.json"
QUERIES, BATCH, K, THREADS = 100, 200, 10, 2
SENTENCES, PASSAGES, PER_PASSAGE = 1_000_000, 100_000, 11
Search = Callable[[Any], Any]


def prepared(texts: list[str], asked: list[str]) -> tuple[WordTable, Bags, Bags]:
    """The words, documents and queries as engines take them, by the default model."""
    model = fuzzbow.load("default", measure="weighted-jaccard")
    batch, which = model.encoder.encode(texts + asked)
    table, bags = model.measure.prepare(batch, {})
    return table, bags.take(which[: len(texts)]), bags.take(which[len(texts) :])


def timed_build(build: Callable[[], Any]) -> tuple[Any, float]:
    """What was built, and the seconds it took."""
    start = time.perf_counter()
    return build(), time.perf_counter() - start


def bm25s_searches(texts: list[str], asked: list[str]) -> tuple[Search, Search, float]:
    """Searches by the number of a query and by a slice of queries, and seconds of the build."""
    import bm25s

    tokens = bm25s.tokenize(texts, show_progress=False)
    queries = bm25s.tokenize(asked, show_progress=False, return_ids=False)

    def build() -> Any:
        retriever = bm25s.BM25(method="lucene")
        retriever.index(tokens, show_progress=False)
        return retriever

    retriever, seconds = timed_build(build)

    def search(part: slice, threads: int) -> Any:
        return retriever.retrieve(
            queries[part], k=K, show_progress=False, n_threads=threads, sorted=True
        )

    return lambda n: search(slice(n, n + 1), 0), lambda part: search(part, THREADS), seconds


def engine_searches(corpus: Any, queries: Bags) -> tuple[Search, Search]:
    """The same for a corpus of ours."""

    def search(places: Any) -> Any:
        with limited_threads(THREADS):
            return corpus.search(None, queries.take(np.asarray(places)), None, k=K)

    return lambda n: search([n]), lambda part: search(np.arange(part.start, part.stop))


def compare(texts: list[str], asked: list[str]) -> dict[str, Any]:
    """Medians of one query at a time, in turn, and of many at once; ratios to fuzzy-bm25."""
    table, documents, queries = prepared(texts, asked)
    engine = CompiledEngine()
    corpora = {
        "fuzzy-bm25": timed_build(lambda: engine.bm25_corpus(table, documents, Bm25Options())),
        "equality": timed_build(lambda: engine.bm25_corpus(table, documents, Bm25Options(floor=1))),
        "weighted-jaccard": timed_build(lambda: engine.corpus(table, documents, DynamicOptions())),
    }
    searches = {name: engine_searches(corpus, queries) for name, (corpus, _) in corpora.items()}
    builds = {name: seconds for name, (_, seconds) in corpora.items()}
    *searches["bm25s"], builds["bm25s"] = bm25s_searches(texts, asked)
    times: dict[str, list[float]] = {name: [] for name in searches}
    for query in range(QUERIES):
        for name, (one, _) in searches.items():
            times[name].append(recipe.seconds_of(one, query))
    result: dict[str, Any] = {
        "texts": len(texts),
        "words_per_text": float(documents.rows.lengths.mean()),
        "words_per_query": float(queries.rows.lengths.mean()),
    }
    for name, (_, many) in searches.items():
        at_once = recipe.seconds_of(many, slice(QUERIES, QUERIES + BATCH)) / BATCH
        result[name] = {
            "milliseconds": 1e3 * float(np.median(times[name])),
            "slowest_tenth_milliseconds": 1e3 * float(np.quantile(times[name], 0.9)),
            "many_at_once_milliseconds": 1e3 * at_once,
            "build_seconds": builds[name],
        }
    for name, (corpus, _) in corpora.items():
        result[name]["bytes_per_text"] = corpus.memory_bytes() / len(texts)
    for name in ("weighted-jaccard", "bm25s"):
        for what in ("milliseconds", "many_at_once_milliseconds"):
            result[f"fuzzy-bm25 over {name}, {what}"] = (
                result["fuzzy-bm25"][what] / result[name][what]
            )
    return result


def passages(count: int) -> list[str]:
    """Thirteen sentences each."""
    some = recipe.sentences(count * PER_PASSAGE, seed=1)
    return [" ".join(some[i * PER_PASSAGE : (i + 1) * PER_PASSAGE]) for i in range(count)]


def corpora(name: str) -> list[str]:
    """The texts of a benchmark."""
    return recipe.sentences(SENTENCES, seed=1) if name == "sentences" else passages(PASSAGES)


def main(names: list[str]) -> None:
    """Run the named benchmarks, or all; keep the results of the others."""
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    asked = recipe.sentences(QUERIES + BATCH, seed=100)
    for name in names or ["sentences", "passages"]:
        results[name] = compare(corpora(name), asked)
        print(json.dumps(results[name], indent=1), flush=True)
        results["machine"] = recipe.machine()
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
