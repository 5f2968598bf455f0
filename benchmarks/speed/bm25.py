"""Fuzzy BM25 beside bm25s and Tantivy: python -m benchmarks.speed.bm25 [NAME ...].

Texts are sentences of FUZZBOW_CORPUS, or passages of eleven of them, about 140 words; queries are
other sentences. `index.search` takes strings; the others get the tokens of fuzzbow's tokenizer,
split before. One thread each. Every query goes through all before the next; then all go again.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import fuzzbow
from benchmarks import runner
from benchmarks.corpus import read_corpus
from benchmarks.speed.calls import about
from benchmarks.speed.peers import K, NumpyModel, bm25s_index, bm25s_search, tantivy_search

NAME = "bm25"
QUERIES, BATCH, PASSAGES = 150, 1_000, 30_000
MEASURES = ("fuzzy-bm25", "weighted-jaccard")


def compare(texts: list[str], queries: list[str]) -> dict[str, Any]:
    """Milliseconds of distinct queries, of the same again, and times of ours."""
    numpy = NumpyModel()
    tokens, asked = ([numpy.tokens(text) for text in side] for side in (texts, queries[:QUERIES]))
    indexes = {
        name: runner.timed(lambda name=name: fuzzbow.load("default", measure=name).index(texts))
        for name in MEASURES
    }
    peers = {
        "bm25s": runner.timed(bm25s_index, tokens),
        "Tantivy": runner.timed(tantivy_search, tokens, asked),
    }
    works = {
        f"bm25s, {backend}": bm25s_search(peers["bm25s"].result, asked, backend)
        for backend in ("numpy", "numba")
    }
    works["Tantivy"] = peers["Tantivy"].result
    works |= {
        name: lambda n, index=made.result: index.search(queries[n], k=K, threads=1)
        for name, made in indexes.items()
    }
    new, again = (runner.seconds_in_turn(works, range(len(asked))) for _ in range(2))
    best = new["fuzzy-bm25"]
    ways = {
        name: {
            "new": runner.typical(new[name], 1e3),
            "again": runner.typical(again[name], 1e3),
            "slowest_tenth": 1e3 * float(np.quantile(new[name], 0.9)),
            "fuzzy_bm25_takes_times": float(best.mean() / new[name].mean()),
            "build_seconds": (indexes | peers)[name.partition(",")[0]].seconds,
        }
        for name in works
    }
    many = queries[QUERIES : QUERIES + BATCH] or queries
    for name, made in indexes.items():
        seconds = runner.timed(lambda index=made.result: index.search(many, k=K, threads=2)).seconds
        ways[name]["batch"] = 1e3 * seconds / len(many)
        ways[name]["bytes_per_text"] = made.result.memory_bytes() / len(texts)
    return {
        "texts": len(texts),
        "words_per_text": float(np.mean(list(map(len, tokens)))),
        "words_per_query": float(np.mean(list(map(len, asked)))),
        "milliseconds": ways,
    }


BENCHMARKS = {
    "corpus": about,
    "sentences": lambda: compare(read_corpus().documents, read_corpus().queries),
    "passages": lambda: compare(read_corpus().passages(PASSAGES), read_corpus().queries),
}


if __name__ == "__main__":
    runner.run_parts(NAME, BENCHMARKS, sys.argv[1:])
