"""Top-10 search and joins against exact dense search at its best."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks import runner
from benchmarks.speed import recipe
from fuzzbow import _kernel

QUERIES = 25
JACCARD = _kernel.SetSimilarity("jaccard")


def unit_table(vectors: np.ndarray) -> _kernel.Table:
    """Unit vectors with SIF-like weights, as weighted-jaccard compares them."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    p = 1 / (np.arange(len(unit)) + 3.7)
    weights = (1e-3 / (1e-3 + p / p.sum())).astype(np.float32)
    return _kernel.Table(unit, weights, np.zeros(len(unit), np.uint8), unit=True)


def queries_of(words: int) -> list[Any]:
    """Distinct queries, one at a time."""
    return [recipe.zipfian(1, words, seed=100 + n) for n in range(QUERIES)]


def faiss_milliseconds(
    vectors: np.ndarray, ids: np.ndarray, offsets: np.ndarray
) -> dict[str, float]:
    """FAISS IndexFlatIP over averaged vectors, one query at a time, by number of threads."""
    import faiss

    flat = faiss.IndexFlatIP(vectors.shape[1])
    documents = len(offsets) - 1
    for start in range(0, documents, 100_000):
        stop = min(documents, start + 100_000)
        flat.add(recipe.averages(vectors, *recipe.part(ids, offsets, start, stop)))
    rows = [recipe.averages(vectors, *query) for query in queries_of(len(vectors))]
    found = {}
    for threads in (1, 2):
        faiss.omp_set_num_threads(threads)
        found[str(threads)] = 1e3 * runner.median_seconds(lambda row: flat.search(row, 10), rows)
    return found


def search(documents: int = 1_000_000, dimension: int = recipe.DIMENSION) -> dict[str, Any]:
    """Top-10 of Zipfian texts, d = 300, everything after tokenising."""
    vectors = recipe.word_vectors(dimension=dimension)
    ids, offsets = recipe.zipfian(documents, seed=1)
    queries = queries_of(len(vectors))
    faiss = faiss_milliseconds(vectors, ids, offsets)
    best = min(faiss.values())
    result: dict[str, Any] = {
        "documents": documents,
        "dimension": dimension,
        "faiss_flat_milliseconds_by_threads": faiss,
    }
    tables = {"dynamax-jaccard": _kernel.Table(vectors), "weighted-jaccard": unit_table(vectors)}
    for simd in _kernel.info()["available"][::-1]:
        _kernel.set_simd(simd)
        for name, table in tables.items():
            corpus = _kernel.Corpus(table, (ids, offsets), JACCARD)
            for threads in (1, 2):
                milliseconds = 1e3 * runner.median_seconds(
                    lambda query, corpus=corpus, threads=threads: corpus.search(
                        query, 10, threads=threads
                    ),
                    queries,
                )
                result[f"{name}, {simd}, {threads} threads"] = {
                    "milliseconds": milliseconds,
                    "times_faiss": best / milliseconds,
                    "bytes_per_document": corpus.memory_bytes() / documents,
                }
    _kernel.set_simd(_kernel.info()["available"][-1])
    return result


def growth() -> dict[str, Any]:
    """Milliseconds per query as the corpus grows, two threads."""
    table, result = _kernel.Table(recipe.word_vectors()), {}
    for documents in (100_000, 300_000, 1_000_000, 5_000_000):
        corpus = _kernel.Corpus(table, recipe.zipfian(documents, seed=1), JACCARD)
        result[str(documents)] = 1e3 * runner.median_seconds(
            lambda query, corpus=corpus: corpus.search(query, 10, threads=2),
            queries_of(recipe.WORDS),
        )
        del corpus
    return {"milliseconds_by_documents": result}


def gemm_seconds(rows: np.ndarray, blocks: int = 3, block: int = 1000, best: int = 100) -> float:
    """A blocked cosine product with the best 100 of each row, from a few blocks of rows."""
    start = time.perf_counter()
    for place in range(blocks):
        scores = rows[place * block : (place + 1) * block] @ rows.T
        np.argpartition(scores, -best, axis=1)[:, -best:]
    return (time.perf_counter() - start) / blocks * (len(rows) / block)


def join(documents: int = 100_000, threshold: float = 0.9) -> dict[str, Any]:
    """All pairs at or above a threshold, two threads."""
    vectors = recipe.word_vectors()
    ids, offsets = recipe.zipfian(documents, seed=1)
    ids = recipe.near_copies(ids, offsets, 0.1, seed=2)
    gemm = gemm_seconds(recipe.averages(vectors, ids, offsets))
    result: dict[str, Any] = {
        "documents": documents,
        "threshold": threshold,
        "gemm_top100_seconds": gemm,
        "gemm_is": "extrapolated from 3 blocks of 1,000 rows against all",
    }
    tables = {"dynamax-jaccard": _kernel.Table(vectors), "weighted-jaccard": unit_table(vectors)}
    for name, table in tables.items():
        start = time.perf_counter()
        found = _kernel.Join(table, (ids, offsets), JACCARD, threshold, threads=2)
        left, _, _ = found.rows(0, len(found), threads=2)
        seconds = time.perf_counter() - start
        result[name] = {"seconds": seconds, "pairs": len(left), "times_gemm": gemm / seconds}
    return result
