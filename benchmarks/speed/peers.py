"""Other ways to compare and search texts: NumPy, FAISS, bm25s, Tantivy.

FAISS gets vectors of its queries and BM25 gets tokens, whose making is not timed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

import numpy as np

import fuzzbow
from benchmarks import runner
from fuzzbow.encoding import Encoder
from fuzzbow.text import parse_tokenizer

K = 10
BLOCK = 50_000
WORD = re.compile(r"\w+")
BREADTHS = (16, 64, 256)  # efSearch of HNSW
Search = Callable[[int], Any]  # search by the number of a query


def numpy_score(x: np.ndarray, y: np.ndarray) -> float:
    """DynaMax-Jaccard as one writes it: (k, d), (l, d) -> float."""
    universe = np.vstack([x, y])
    a = np.maximum((x @ universe.T).max(axis=0), 0)
    b = np.maximum((y @ universe.T).max(axis=0), 0)
    return float(np.minimum(a, b).sum() / np.maximum(a, b).sum())


class NumpyModel:
    """The embedded vectors in a matrix and a dict, and formulas as one writes them."""

    def __init__(self, vectors: fuzzbow.WordVectors | None = None) -> None:
        vectors = vectors or fuzzbow.load("default", measure="dynamax-jaccard").vectors
        self.matrix = np.ascontiguousarray(vectors.matrix, dtype=np.float32)
        self.index = {word: place for place, word in enumerate(vectors.words)}
        self.tokenizer = parse_tokenizer("words")
        self.encoder = Encoder(self.tokenizer, vectors)

    def tokens(self, text: str) -> list[str]:
        """Split a text as fuzzbow does, in lower case."""
        return [word.lower() for word in self.tokenizer.words(text)]

    def rows(self, text: str) -> np.ndarray:
        """Vectors of the words that have one, split by the quickest pattern: (k, d)."""
        index = self.index
        return self.matrix[[index[word] for word in WORD.findall(text.lower()) if word in index]]

    def similarity(self, pair: tuple[str, str]) -> float:
        """DynaMax-Jaccard of two strings."""
        x, y = map(self.rows, pair)
        return numpy_score(x, y) if len(x) and len(y) else 0.0

    def average(self, text: str) -> np.ndarray:
        """Unit average of a text's vectors: (1, d) float32."""
        total = self.rows(text).sum(axis=0, keepdims=True)
        return total / max(float(np.linalg.norm(total)), 1e-12)

    def averages(self, texts: Sequence[str]) -> np.ndarray:
        """Unit averages of texts, computed in blocks: (n, d) float32."""
        parts = []
        for start in range(0, len(texts), BLOCK):
            rows = self.encoder.word_ids(texts[start : start + BLOCK]).rows
            rows = rows.keep(rows.values < len(self.matrix))
            sums = np.zeros((len(rows), self.matrix.shape[1]), dtype=np.float32)
            filled = rows.lengths > 0
            starts = rows.offsets[:-1][filled]
            sums[filled] = np.add.reduceat(self.matrix[rows.values], starts, axis=0)
            parts.append(sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12))
        return np.ascontiguousarray(np.concatenate(parts), dtype=np.float32)


def faiss_flat(rows: np.ndarray) -> Any:
    """Exact search of averages."""
    import faiss

    flat = faiss.IndexFlatIP(rows.shape[1])
    flat.add(rows)
    return flat


def faiss_search(index: Any, threads: int) -> Callable[[np.ndarray], Any]:
    """Search with vectors: (n, d) float32."""
    import faiss

    def search(rows: np.ndarray) -> Any:
        faiss.omp_set_num_threads(threads)
        return index.search(rows, K)

    return search


def faiss_hnsw(rows: np.ndarray, queries: np.ndarray, exact: np.ndarray) -> dict[str, Any]:
    """HNSW over averages: milliseconds, and how much of IndexFlatIP's result it finds."""
    import faiss

    faiss.omp_set_num_threads(2)
    graph = faiss.IndexHNSWFlat(rows.shape[1], 32, faiss.METRIC_INNER_PRODUCT)
    result: dict[str, Any] = {"build_seconds": runner.timed(graph.add, rows).seconds, "M": 32}
    for breadth in BREADTHS:
        graph.hnsw.efSearch = breadth
        _, found = graph.search(queries, K)
        shared = [len(set(a) & set(b)) for a, b in zip(found.tolist(), exact.tolist(), strict=True)]
        each = [queries[place : place + 1] for place in range(len(queries))]
        seconds = runner.seconds_in_turn({"": faiss_search(graph, 1)}, each)[""]
        result[f"efSearch {breadth}"] = runner.typical(seconds, 1e3) | {
            "recall_at_10": round(float(np.mean(shared)) / K, 3)
        }
    return result


def bm25s_index(texts: list[list[str]]) -> Any:
    """Index of bm25s for both of its backends."""
    import bm25s

    retriever = bm25s.BM25(method="lucene")
    retriever.index(texts, show_progress=False)
    return retriever


def bm25s_search(index: Any, queries: list[list[str]], backend: str) -> Search:
    """Search by bm25s on one thread, compiled before the first query is timed."""
    retriever = copy(index)
    retriever.backend = backend
    if backend == "numba":
        retriever.activate_numba_scorer()
    threads = 1 if backend == "numba" else 0  # 0: in this thread
    k = min(K, index.scores["num_docs"])

    def search(query: list[str]) -> Any:
        return retriever.retrieve([query], k=k, show_progress=False, n_threads=threads)

    search(list(index.vocab_dict)[:5])
    return lambda number: search(queries[number])


def tantivy_search(texts: list[list[str]], queries: list[list[str]]) -> Search:
    """Search by Tantivy in one segment, on one thread."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", stored=False, tokenizer_name="whitespace")
    schema = builder.build()
    index = tantivy.Index(schema)
    writer = index.writer(heap_size=1_000_000_000, num_threads=1)
    for words in texts:
        writer.add_document(tantivy.Document(text=" ".join(words)))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()
    should = tantivy.Occur.Should

    def search(number: int) -> Any:
        terms = [
            (should, tantivy.Query.term_query(schema, "text", word)) for word in queries[number]
        ]
        return searcher.search(tantivy.Query.boolean_query(terms), K, count=False)

    return search
