"""Near-duplicates by size, and beside others: python -m benchmarks.speed.dedupe [NAME ...].

Sentences of FUZZBOW_CORPUS, with the duplicates that it has. Each run has a process of its own and
two threads, and meets no word that was met before. Writes results/dedupe.json.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import fuzzbow
from benchmarks import runner
from benchmarks.corpus import read_corpus
from benchmarks.speed.calls import about
from benchmarks.speed.peers import NumpyModel

NAME = "dedupe"
SIZES = (75_000, 150_000, 300_000)
WHOLE = (0.9,)  # thresholds at which the whole corpus is searched, too
THRESHOLDS = (0.9, 0.8)
THREADS = 2
SAMPLED_ROWS = 100  # of brute force; the rest is extrapolated
COMPARED = 75_000  # texts; the others list very many pairs of a larger corpus
EXACT_COSINE_ROWS = 2_000  # texts whose neighbours by cosine are looked up exactly


def find(model: fuzzbow.Model, texts: list[str], threshold: float) -> runner.Timed:
    """Time model.duplicates."""
    return runner.timed(lambda: model.duplicates(texts, threshold=threshold, threads=THREADS))


def grow(texts: list[str], threshold: float) -> dict[str, Any]:
    """Seconds of one size, and of what is done with the pairs."""
    run = find(fuzzbow.load("default"), texts, threshold)
    found, peak = run.result, runner.peak_bytes()
    grouping, groups = _timed(found.groups)
    removing, removed = _timed(found.removed)
    positions = removed["position"].to_numpy(), removed["kept"].to_numpy()
    reasoning, _ = _timed(lambda: found.reasons(*positions))
    return {
        "seconds": run.seconds,
        "processor_seconds": run.processor_seconds,
        "pairs": len(found.pairs),
        "exact_copies": found.copies,
        "groups": len(groups),
        "removed": len(removed),
        "group_seconds": grouping,
        "removed_seconds": removing,
        "reasons_seconds": reasoning,
        "peak_gb_of_the_process": peak / 1e9,
    }


def _timed(work: Any) -> tuple[float, Any]:
    run = runner.timed(work)
    return run.seconds, run.result


def growth() -> dict[str, Any]:
    """Runs by threshold and size, and the exponents of seconds and of pairs."""
    corpus = read_corpus()
    result: dict[str, Any] = {}
    for threshold in THRESHOLDS:
        sizes = corpus.sizes(SIZES)
        if threshold not in WHOLE and len(sizes) > 1:
            sizes.pop()
        runs = {size: runner.alone(grow, corpus.documents[:size], threshold) for size in sizes}
        line: dict[str, Any] = {"runs": {str(size): run for size, run in runs.items()}}
        for name, value in (
            ("exponent", "seconds"),
            ("processor_exponent", "processor_seconds"),
            ("pairs_exponent", "pairs"),
        ):
            line[name] = runner.exponent(sizes, [run[value] for run in runs.values()])
        result[str(threshold)] = line
        print(threshold, line, flush=True)
    return result


def matrix_seconds(model: fuzzbow.Model, found: Any) -> float:
    """All scores by our own matrix, extrapolated from a few rows to half of all cells."""
    batch = model.measure.prepare(found.collection.batch)
    bags = batch.texts
    everything = np.arange(len(bags))
    rows = np.random.default_rng(0).choice(everything, min(SAMPLED_ROWS, len(bags)), replace=False)
    engine, options = model.measure.engine, model.measure.options
    seconds, _ = _timed(lambda: engine.matrix(batch, rows, everything, options))
    return seconds * len(bags) / len(rows) / 2


def gemm_seconds(rows: np.ndarray, threshold: float, blocks: int = 3, block: int = 1000) -> float:
    """All cosines by a blocked product and a threshold, extrapolated from a few blocks to half."""
    with threadpool_limits(limits=THREADS, user_api="blas"):
        start = time.perf_counter()
        for place in range(blocks):
            scores = rows[place * block : (place + 1) * block] @ rows.T
            np.nonzero(scores >= threshold)
        return (time.perf_counter() - start) / blocks * (len(rows) / block) / 2


class Averages:
    """Encoder for semhash without a download: unit averages of the embedded vectors."""

    def __init__(self) -> None:
        self.model = NumpyModel()

    def encode(self, inputs: Any, **options: Any) -> np.ndarray:
        """Averages of the texts' word vectors, zeros where there are none: (n, d) float32."""
        return self.model.averages(list(inputs))


def compare(texts: list[str], threshold: float) -> dict[str, Any]:
    """Ours, brute force and semhash at one size, in one process."""
    from semhash import SemHash

    encoder, model = Averages(), fuzzbow.load("default")
    run = find(model, texts, threshold)
    ours, again = run.seconds, find(model, texts, threshold).seconds
    seconds = {
        "our matrix": matrix_seconds(model, run.result),
        "cosine GEMM": gemm_seconds(encoder.encode(texts), threshold),
    }
    build, index = _timed(lambda: SemHash.from_records(texts, model=encoder))
    search, result = _timed(lambda: index.self_deduplicate(threshold=threshold))
    seconds["semhash"] = build + search
    neighbours = index.index.query_threshold(index.index.vectors, threshold=threshold)
    lengths = np.fromiter((len(found) for found, _ in neighbours), np.int64, len(neighbours))
    a = np.repeat(np.arange(len(neighbours)), lengths)
    b = np.concatenate([np.asarray(found, dtype=np.int64) for found, _ in neighbours])
    pairs = keys_of(a[a != b], b[a != b], len(neighbours))
    return {
        "texts": len(texts),
        "threshold": threshold,
        "seconds": {"fuzzbow": ours, "fuzzbow, again": again} | seconds,
        "times": {name: value / ours for name, value in seconds.items()},
        "pairs": len(run.result.pairs),
        "semhash_pairs": len(pairs),
        "semhash_removed": len(result.filtered),
        **agreement(run.result, pairs, index.index.vectors, threshold),
    }


def keys_of(a: np.ndarray, b: np.ndarray, size: int) -> set[int]:
    """A number for each pair, whichever text comes first."""
    return set((np.minimum(a, b) * size + np.maximum(a, b)).tolist())


def agreement(
    found: Any, pairs: set[int], vectors: np.ndarray, threshold: float
) -> dict[str, float]:
    """How semhash's pairs agree with ours, and with all pairs that its own cosine has."""
    size, distinct = len(vectors), found.collection.distinct
    table = found.pairs.to_arrow()
    near = ~table["exact"].to_numpy()
    left, right = (distinct[table[name].to_numpy()[near]] for name in ("left", "right"))
    mine = keys_of(left, right, size)
    rows = min(EXACT_COSINE_ROWS, size)
    exact = np.argwhere(vectors[:rows] @ vectors.T >= threshold + 1e-6)
    exact = exact[exact[:, 0] != exact[:, 1]]
    true = keys_of(exact[:, 0], exact[:, 1], size)
    return {
        "of_our_pairs_also_theirs": len(mine & pairs) / max(len(mine), 1),
        "of_their_pairs_also_ours": len(mine & pairs) / max(len(pairs), 1),
        "of_the_pairs_by_their_own_cosine_found": len(true & pairs) / max(len(true), 1),
    }


def peers() -> dict[str, Any]:
    """Brute force and semhash beside ours."""
    texts = read_corpus().documents[:COMPARED]
    result: dict[str, Any] = runner.alone(compare, texts, THRESHOLDS[0])
    return result


BENCHMARKS = {"corpus": about, "growth": growth, "peers": peers}


if __name__ == "__main__":
    runner.run_parts(NAME, BENCHMARKS, sys.argv[1:])
