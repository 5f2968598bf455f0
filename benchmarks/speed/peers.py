"""Other ways to search texts: dense vectors in FAISS, words in bm25s, DynaMax in plain NumPy."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import fuzzbow
from benchmarks import runner
from benchmarks.speed import recipe
from benchmarks.speed.scores import numpy_score
from fuzzbow.encoding import Encoder

K = 10
LOOPED = 2_000  # texts that the NumPy loop really compares with
BLOCK = 50_000


def average_rows(texts: list[str]) -> np.ndarray:
    """Unit averages of the embedded word vectors: (texts, 128) float32."""
    model = fuzzbow.load("default", measure="avg-cosine")
    encoder = Encoder(model.tokenizer, model.vectors)
    known, parts = len(model.vectors), []
    for start in range(0, len(texts), BLOCK):
        rows = encoder.word_ids(texts[start : start + BLOCK]).rows
        rows = rows.keep(rows.values < known)
        sums = np.zeros((len(rows), model.vectors.dimension), dtype=np.float32)
        filled = rows.lengths > 0
        starts = rows.offsets[:-1][filled]
        sums[filled] = np.add.reduceat(model.vectors.rows(rows.values), starts, axis=0)
        parts.append(sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12))
    return np.ascontiguousarray(np.concatenate(parts), dtype=np.float32)


def timed_threads(search: Callable[[Any], Any], rows: list[np.ndarray]) -> dict[str, float]:
    """Milliseconds of one query at a time, by number of threads."""
    import faiss

    found = {}
    for threads in (1, 2):
        faiss.omp_set_num_threads(threads)
        found[str(threads)] = 1e3 * runner.median_seconds(search, rows)
    return found


def faiss_flat(rows: np.ndarray, queries: np.ndarray) -> tuple[dict[str, Any], np.ndarray]:
    """IndexFlatIP: exact search of averages, and what it finds."""
    import faiss

    flat = faiss.IndexFlatIP(rows.shape[1])
    flat.add(rows)
    each = [queries[place : place + 1] for place in range(len(queries))]
    single = timed_threads(lambda row: flat.search(row, K), each)
    start = time.perf_counter()
    _, found = flat.search(queries, K)
    many = 1e3 * (time.perf_counter() - start) / len(queries)
    return {
        "milliseconds_by_threads": single,
        "many_at_once_milliseconds": many,
        "bytes_per_text": rows.shape[1] * 4,
    }, found


def faiss_hnsw(rows: np.ndarray, queries: np.ndarray, exact: np.ndarray) -> dict[str, Any]:
    """HNSW over the same averages, and how much of IndexFlatIP's result it finds."""
    import faiss

    faiss.omp_set_num_threads(2)
    graph = faiss.IndexHNSWFlat(rows.shape[1], 32, faiss.METRIC_INNER_PRODUCT)
    start = time.perf_counter()
    graph.add(rows)
    build = time.perf_counter() - start
    each = [queries[place : place + 1] for place in range(len(queries))]
    result: dict[str, Any] = {"build_seconds": build, "M": 32}
    for breadth in (16, 64, 256):
        graph.hnsw.efSearch = breadth
        _, found = graph.search(queries, K)
        shared = [len(set(a) & set(b)) for a, b in zip(found.tolist(), exact.tolist(), strict=True)]
        result[f"efSearch {breadth}"] = {
            "milliseconds_by_threads": timed_threads(lambda row: graph.search(row, K), each),
            "recall_at_10": float(np.mean(shared)) / K,
        }
    return result


def bm25(texts: list[str], queries: list[str]) -> dict[str, Any]:
    """bm25s, tokenising of the query included."""
    import bm25s

    start = time.perf_counter()
    retriever = bm25s.BM25()
    retriever.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)
    build = time.perf_counter() - start

    def search(query: str) -> Any:
        tokens = bm25s.tokenize([query], show_progress=False)
        return retriever.retrieve(tokens, k=K, show_progress=False, n_threads=0)

    return {"build_seconds": build, "milliseconds": 1e3 * runner.median_seconds(search, queries)}


def numpy_loop(texts: list[str], queries: list[str]) -> dict[str, Any]:
    """DynaMax-Jaccard pair by pair on a sample of the texts, extrapolated to all."""
    model = fuzzbow.load("default", measure="dynamax-jaccard")
    encoder = Encoder(model.tokenizer, model.vectors)

    def vectors_of(some: list[str]) -> list[np.ndarray]:
        rows = encoder.word_ids(some).rows
        rows = rows.keep(rows.values < len(model.vectors))
        return [model.vectors.rows(row) for row in rows if len(row)]

    sample, asked = vectors_of(texts[:LOOPED]), vectors_of(queries[:5])
    with recipe.one_blas_thread():
        seconds = runner.median_seconds(
            lambda query: np.argsort([-numpy_score(query, text) for text in sample])[:K], asked
        )
    return {
        "milliseconds": 1e3 * seconds * len(texts) / len(sample),
        "is": f"extrapolated from {len(sample):,} texts",
    }
