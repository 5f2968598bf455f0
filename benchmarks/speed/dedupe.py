"""Near-duplicates through the public interface, against brute force and semhash.

python -m benchmarks.speed.dedupe [SIZE ...]   # 100,000 and 1,000,000 sentences unless given

Each corpus has a process of its own, so that the peak of its memory can be told. Two threads
throughout. Writes results/dedupe.json.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import fuzzbow
from benchmarks import runner
from benchmarks.runner import write_results
from benchmarks.speed import recipe

NAME = "dedupe"
SIZES = [100_000, 1_000_000]
GROWTH = [10_000, 30_000, 100_000, 300_000, 1_000_000]
THRESHOLD = 0.9
THREADS = 2
SAMPLED_ROWS = 100  # of brute force; the rest is extrapolated
KINDS = ("STS", "Zipfian")
SEMHASH_MOST = 100_000  # texts; of a million it would list some 10^8 pairs
EXACT_COSINE_ROWS = 2000  # texts whose neighbours by cosine are looked up exactly


def corpus(kind: str, size: int) -> list[str]:
    """Sentences of which a tenth are near copies of others."""
    texts = recipe.corpus("sts" if kind == "STS" else "zipf", size, seed=1)
    return recipe.sentence_copies(texts, 0.1, seed=2)


def timed(work: Any) -> tuple[float, Any]:
    """Seconds of a call, and its result."""
    run = runner.timed(work)
    return run.seconds, run.result


def ours(model: fuzzbow.Model, texts: list[str]) -> tuple[dict[str, Any], Any]:
    """model.duplicates, then groups, what goes, and the words that matched."""
    seconds, found = timed(lambda: model.duplicates(texts, threshold=THRESHOLD, threads=THREADS))
    peak = runner.peak_bytes() / 1024 / 1e6
    grouping, groups = timed(found.groups)
    complete, _ = timed(lambda: found.groups("complete"))
    removing, removed = timed(found.removed)
    positions = removed["position"].to_numpy(), removed["kept"].to_numpy()
    reasoning, _ = timed(lambda: found.reasons(*positions))
    numbers = {
        "seconds": seconds,
        "pairs": len(found.pairs),
        "pairs_per_text": len(found.pairs) / len(texts),
        "exact_copies": found.copies,
        "groups": len(groups),
        "removed": len(removed),
        "group_seconds": grouping,
        "complete_linkage_seconds": complete,
        "removed_seconds": removing,
        "reasons_seconds": reasoning,
        "peak_gb_of_the_process": peak,
    }
    return numbers, found


def matrix_seconds(model: fuzzbow.Model, found: Any) -> float:
    """All scores by our own matrix, extrapolated from a few rows to half of all cells."""
    texts = found.collection.batch
    batch = model.measure.prepare(texts)
    bags = batch.texts
    everything = np.arange(len(bags))
    rows = np.random.default_rng(0).choice(everything, min(SAMPLED_ROWS, len(bags)), replace=False)
    engine, options = model.measure.engine, model.measure.options
    seconds, _ = timed(lambda: engine.matrix(batch, rows, everything, options))
    return seconds * len(bags) / len(rows) / 2


def gemm_seconds(rows: np.ndarray, blocks: int = 3, block: int = 1000) -> float:
    """All cosines by a blocked product and a threshold, extrapolated from a few blocks to half."""
    with threadpool_limits(limits=THREADS, user_api="blas"):
        start = time.perf_counter()
        for place in range(blocks):
            scores = rows[place * block : (place + 1) * block] @ rows.T
            np.nonzero(scores >= THRESHOLD)
        return (time.perf_counter() - start) / blocks * (len(rows) / block) / 2


class Averages:
    """An encoder for semhash without a download: unit averages of the embedded vectors."""

    def __init__(self, model: fuzzbow.Model) -> None:
        self.model = model

    def encode(self, inputs: Any, **options: Any) -> np.ndarray:
        """Averages of the texts' word vectors, zeros where there are none: (n, d) float32."""
        batch, which = self.model.encoder.encode(list(inputs))
        vectors, _ = self.model.space.raw_vectors(batch)
        found = np.zeros((len(batch.rows), vectors.shape[1]), dtype=np.float32)
        filled = np.flatnonzero(batch.rows.lengths)
        chosen = batch.rows.take(filled)
        found[filled] = recipe.averages(vectors, chosen.values, chosen.offsets)
        return found[which]


def semhash_pairs(encoder: Averages, texts: list[str]) -> tuple[dict[str, Any], set[int], Any]:
    """semhash's own way, its pairs as keys, and the vectors in its index."""
    from semhash import SemHash

    build, index = timed(lambda: SemHash.from_records(texts, model=encoder))
    seconds, result = timed(lambda: index.self_deduplicate(threshold=THRESHOLD))
    neighbours = index.index.query_threshold(index.index.vectors, threshold=THRESHOLD)
    lengths = np.fromiter((len(found) for found, _ in neighbours), np.int64, len(neighbours))
    a = np.repeat(np.arange(len(neighbours)), lengths)
    b = np.concatenate([np.asarray(found, dtype=np.int64) for found, _ in neighbours])
    pairs = keys_of(a[a != b], b[a != b], len(neighbours))
    numbers = {
        "seconds": build + seconds,
        "build_seconds": build,
        "removed": len(result.filtered),
        "pairs": len(pairs),
    }
    return numbers, pairs, index.index.vectors


def keys_of(a: np.ndarray, b: np.ndarray, size: int) -> set[int]:
    """A number for each pair, whichever text comes first."""
    return set((np.minimum(a, b) * size + np.maximum(a, b)).tolist())


def agreement(found: Any, pairs: set[int], vectors: np.ndarray) -> dict[str, float]:
    """How semhash's pairs agree with ours, and with all pairs that its own cosine has."""
    size, distinct = len(vectors), found.collection.distinct
    table = found.pairs.to_arrow()
    near = ~table["exact"].to_numpy()
    left, right = (distinct[table[name].to_numpy()[near]] for name in ("left", "right"))
    mine = keys_of(left, right, size)
    rows = min(EXACT_COSINE_ROWS, size)
    exact = np.argwhere(vectors[:rows] @ vectors.T >= THRESHOLD + 1e-6)
    exact = exact[exact[:, 0] != exact[:, 1]]
    true = keys_of(exact[:, 0], exact[:, 1], size)
    return {
        "of_our_pairs_also_theirs": len(mine & pairs) / max(len(mine), 1),
        "of_their_pairs_also_ours": len(mine & pairs) / max(len(pairs), 1),
        "of_the_pairs_by_their_own_cosine_found": len(true & pairs) / max(len(true), 1),
    }


def compare(kind: str, size: int) -> dict[str, Any]:
    """One corpus by everyone."""
    texts, model = corpus(kind, size), fuzzbow.load("default")
    numbers, found = ours(model, texts)
    encoder = Averages(model)
    rows = encoder.encode(texts)
    brute, gemm = matrix_seconds(model, found), gemm_seconds(rows)
    del rows
    result = {
        "fuzzbow": numbers,
        "matrix_seconds": brute,
        "gemm_seconds": gemm,
        "times_matrix": brute / numbers["seconds"],
        "times_gemm": gemm / numbers["seconds"],
    }
    if size <= SEMHASH_MOST:
        theirs, pairs, vectors = semhash_pairs(encoder, texts)
        result["semhash"] = theirs | agreement(found, pairs, vectors)
        result["times_semhash"] = theirs["seconds"] / numbers["seconds"]
    return result


def grow(kind: str, size: int) -> dict[str, Any]:
    """Seconds and pairs of one size."""
    texts, model = corpus(kind, size), fuzzbow.load("default")
    seconds, found = timed(lambda: model.duplicates(texts, threshold=THRESHOLD, threads=THREADS))
    return {"seconds": seconds, "pairs": len(found.pairs)}


def main(sizes: list[int]) -> None:
    """Every corpus of every size, and growth up to the largest."""
    kinds = [kind for kind in KINDS if kind != "STS" or os.environ.get("FUZZBOW_STS")]
    results: dict[str, Any] = {
        "threshold": THRESHOLD,
        "threads": THREADS,
        "measure": "weighted-jaccard",
        "matrix_is": f"extrapolated from {SAMPLED_ROWS} texts against all, to half of all cells",
        "gemm_is": "extrapolated from 3 blocks of 1,000 rows against all, to half of all cells",
        "semhash_is": "on unit averages of the same word vectors, its default HNSW index,"
        f" up to {SEMHASH_MOST:,} texts",
        "machine": recipe.machine(),
        "corpora": {},
        "growth": {},
    }
    for kind in kinds:
        for size in sizes:
            keep(results, "corpora", kind, size, runner.alone(compare, kind, size))
        for size in GROWTH:
            known = results["corpora"][kind].get(str(size))
            if known:
                run = {name: known["fuzzbow"][name] for name in ("seconds", "pairs")}
                keep(results, "growth", kind, size, run)
            elif size <= max(sizes):
                keep(results, "growth", kind, size, runner.alone(grow, kind, size))


def keep(results: dict[str, Any], part: str, kind: str, size: int, run: dict[str, Any]) -> None:
    """Say and write what is known so far: a million sentences take a while."""
    results[part].setdefault(kind, {})[str(size)] = run
    print(part, kind, size, json.dumps(run, indent=1), flush=True)
    write_results(NAME, results)


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or SIZES)
