"""Fuzzy BM25 beside weighted-jaccard and bm25s: python -m benchmarks.speed.bm25 [NAME …].

Sentences are the recipe's, about 12 words; passages are eleven of them, about 140 words.
All start from words already split: ours from word ids, bm25s from its own tokens without stop
words. Two threads; bm25s has one for one query. Each query goes through all before the next.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import fuzzbow
from benchmarks import runner
from benchmarks.speed import recipe
from fuzzbow.engine import (
    Batch,
    Bm25Options,
    DynamicOptions,
    Queries,
    TopK,
    limited_threads,
)
from fuzzbow.engine.compiled import CompiledEngine

NAME = "bm25"
QUERIES, BATCH, K, THREADS = 100, 200, 10, 2
SENTENCES, PASSAGES, PER_PASSAGE = 1_000_000, 100_000, 11
Search = Callable[[Any], Any]


def prepared(texts: list[str], asked: list[str]) -> tuple[Batch, Queries]:
    """The words, documents and queries as engines take them, by the default model."""
    model = fuzzbow.load("default", measure="weighted-jaccard")
    batch, which = model.encoder.encode(texts + asked)
    table, bags = model.measure.prepare(batch, {})
    documents = Batch(table, bags.take(which[: len(texts)]))
    return documents, Queries(bags.take(which[len(texts) :]))


def bm25s_searches(texts: list[str], asked: list[str]) -> tuple[Search, Search, float]:
    """Searches by the number of a query and by a slice of queries, and seconds of the build."""
    import bm25s

    tokens = bm25s.tokenize(texts, show_progress=False)
    queries = bm25s.tokenize(asked, show_progress=False, return_ids=False)

    def build() -> Any:
        retriever = bm25s.BM25(method="lucene")
        retriever.index(tokens, show_progress=False)
        return retriever

    built = runner.timed(build)
    retriever = built.result

    def search(part: slice, threads: int) -> Any:
        return retriever.retrieve(
            queries[part], k=K, show_progress=False, n_threads=threads, sorted=True
        )

    return lambda n: search(slice(n, n + 1), 0), lambda part: search(part, THREADS), built.seconds


def engine_searches(corpus: Any, queries: Queries) -> tuple[Search, Search]:
    """The same for a corpus of ours."""

    def search(places: Any) -> Any:
        with limited_threads(THREADS):
            return corpus.search(queries.take(np.asarray(places)), TopK(K))

    return lambda n: search([n]), lambda part: search(np.arange(part.start, part.stop))


def compare(texts: list[str], asked: list[str]) -> dict[str, Any]:
    """Medians of one query at a time, in turn, and of many at once; ratios to fuzzy-bm25."""
    documents, queries = prepared(texts, asked)
    engine = CompiledEngine()
    corpora = {
        "fuzzy-bm25": runner.timed(lambda: engine.bm25_corpus(documents, Bm25Options())),
        "equality": runner.timed(lambda: engine.bm25_corpus(documents, Bm25Options(floor=1))),
        "weighted-jaccard": runner.timed(lambda: engine.corpus(documents, DynamicOptions())),
    }
    searches = {name: engine_searches(built.result, queries) for name, built in corpora.items()}
    builds = {name: built.seconds for name, built in corpora.items()}
    *searches["bm25s"], builds["bm25s"] = bm25s_searches(texts, asked)
    times: dict[str, list[float]] = {name: [] for name in searches}
    for query in range(QUERIES):
        for name, (one, _) in searches.items():
            times[name].append(runner.timed(one, query).seconds)
    result: dict[str, Any] = {
        "texts": len(texts),
        "words_per_text": float(documents.texts.rows.lengths.mean()),
        "words_per_query": float(queries.texts.rows.lengths.mean()),
    }
    for name, (_, many) in searches.items():
        at_once = runner.timed(many, slice(QUERIES, QUERIES + BATCH)).seconds / BATCH
        result[name] = {
            "milliseconds": 1e3 * float(np.median(times[name])),
            "slowest_tenth_milliseconds": 1e3 * float(np.quantile(times[name], 0.9)),
            "many_at_once_milliseconds": 1e3 * at_once,
            "build_seconds": builds[name],
        }
    for name, built in corpora.items():
        result[name]["bytes_per_text"] = built.result.memory_bytes() / len(texts)
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


def measure(name: str) -> dict[str, Any]:
    """Run one benchmark."""
    return compare(corpora(name), recipe.sentences(QUERIES + BATCH, seed=100))


BENCHMARKS = {name: partial(measure, name) for name in ("sentences", "passages")}


if __name__ == "__main__":
    runner.run_parts(NAME, BENCHMARKS, sys.argv[1:])
