"""Single calls from strings, beside others: python -m benchmarks.speed.calls [NAME ...].

Every call is timed by itself, over distinct inputs whose words were met before; `first` is the
time when they were not. FAISS gets vectors of its queries that are made already, NumPy and
RapidFuzz the strings.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

import fuzzbow
from benchmarks import runner
from benchmarks.speed import recipe
from benchmarks.speed.peers import K, average_rows, faiss_flat
from benchmarks.speed.scores import naive_pair, pairs_of_strings

NAME = "calls"
MEASURES = ("weighted-jaccard", "dynamax-jaccard")
SIZES = (100, 1_000, 10_000, 100_000, 1_000_000)
CALLS = 500
DIMENSIONS = (50, 300)


def median_microseconds(work: Any, inputs: list[Any]) -> float:
    """Of one call."""
    return 1e6 * runner.median_seconds(work, inputs)


def similarity() -> dict[str, Any]:
    """Two sentences: ours, the formula in NumPy, and RapidFuzz's best for sets of words."""
    from rapidfuzz.fuzz import token_set_ratio

    pairs = list(zip(recipe.sentences(CALLS, seed=1), recipe.sentences(CALLS, seed=2), strict=True))
    words = np.mean([len(text.split()) for pair in pairs for text in pair])
    found: dict[str, Any] = {"pairs": CALLS, "words_per_text": float(words)}
    for name in MEASURES:
        model = fuzzbow.load("default", measure=name)
        first = median_microseconds(lambda pair, m=model: m.similarity(*pair), pairs)
        again = median_microseconds(lambda pair, m=model: m.similarity(*pair), pairs)
        found[name] = {"microseconds": again, "first": first}
    model = fuzzbow.load("default", measure="dynamax-jaccard")
    score = naive_pair(list(model.vectors.words), model.vectors.matrix)
    with recipe.one_blas_thread():
        numpy = median_microseconds(lambda pair: score(*pair), pairs)
    found["numpy"] = {"microseconds": numpy}
    found["rapidfuzz token_set_ratio"] = {
        "microseconds": median_microseconds(lambda pair: token_set_ratio(*pair), pairs)
    }
    return found


def search(sizes: tuple[int, ...] = SIZES) -> dict[str, Any]:
    """One query at a time, k = 10, over corpora of all sizes."""
    queries = recipe.sentences(CALLS // 5, seed=77)
    rows, found = average_rows(queries), {}
    for size in sizes:
        texts = recipe.sentences(size, seed=3)
        flat, _ = faiss_flat(average_rows(texts), rows)
        one: dict[str, Any] = {"faiss_flat": flat["milliseconds_by_threads"]}
        for name in MEASURES:
            index = fuzzbow.load("default", measure=name).index(texts)
            one[name] = {"first": _milliseconds(index, queries, 1)}
            for query in queries:  # what comes again is kept
                index.search(query, k=K)
            for threads in (1, 2):
                one[name][str(threads)] = _milliseconds(index, queries, threads)
        found[str(size)] = one
        print(size, json.dumps(one), flush=True)
    return {"queries": len(queries), "k": K, "milliseconds_by_threads": found}


def _milliseconds(index: fuzzbow.Index, queries: list[str], threads: int) -> float:
    return 1e3 * runner.median_seconds(
        lambda query: index.search(query, k=K, threads=threads), queries
    )


def pairs() -> dict[str, Any]:
    """Many pairs of strings at once."""
    return {str(dimension): pairs_of_strings(dimension) for dimension in DIMENSIONS}


def memory() -> dict[str, Any]:
    """Of the largest index, for each text."""
    texts = recipe.sentences(SIZES[-1], seed=3)
    found: dict[str, Any] = {"texts": len(texts)}
    for name in MEASURES:
        model = fuzzbow.load("default", measure=name)
        found["words_per_text"] = len(model.encoder.word_ids(texts).rows.values) / len(texts)
        found[name] = {"bytes_per_text": model.index(texts).memory_bytes() / len(texts)}
    return found


BENCHMARKS = {"similarity": similarity, "search": search, "pairs": pairs, "memory": memory}


if __name__ == "__main__":
    runner.run_parts(NAME, BENCHMARKS, sys.argv[1:])
