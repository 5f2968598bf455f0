"""Single calls and many pairs from strings: python -m benchmarks.speed.calls [NAME ...].

Sentences of FUZZBOW_CORPUS, none of which a model has met: its words are met as they come. All get
a pair before the next. Writes results/calls.json.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import fuzzbow
from benchmarks import runner
from benchmarks.corpus import read_corpus
from benchmarks.speed.peers import NumpyModel

NAME = "calls"
MEASURES = ("weighted-jaccard", "dynamax-jaccard")
STREAM, MANY, LOOPED = 20_000, 300_000, 1_000
START = 1_000  # calls that are counted apart
PROCESSES = 5


def stream() -> dict[str, Any]:
    """Microseconds of `similarity` over distinct sentences in pairs, and over these pairs again."""
    from rapidfuzz.fuzz import token_set_ratio

    texts = read_corpus().documents[: 2 * STREAM]
    pairs = list(zip(texts[::2], texts[1::2], strict=False))
    works = {name: _similarity(fuzzbow.load("default", measure=name)) for name in MEASURES}
    works["NumPy"] = NumpyModel().similarity
    works["rapidfuzz token_set_ratio"] = lambda pair: token_set_ratio(*pair)
    with runner.one_blas_thread():
        new = runner.seconds_in_turn(works, pairs)
        again = runner.seconds_in_turn(works, pairs)
    calls: dict[str, Any] = {}
    for name in works:
        parts = {"start": new[name][:START], "rest": new[name][START:], "again": again[name]}
        calls[name] = {
            part: runner.typical(seconds, 1e6) for part, seconds in parts.items() if len(seconds)
        }
    return {"pairs": len(pairs), "start": START, "microseconds": calls}


def _similarity(model: fuzzbow.Model) -> Any:
    return lambda pair: model.similarity(*pair)


def first() -> dict[str, Any]:
    """Milliseconds of the first and the second call after `load`, each in new processes."""
    texts = read_corpus().queries[:4]
    runs = {
        name: [runner.alone(_first, name, texts) for _ in range(PROCESSES)] for name in MEASURES
    }
    return {name: np.median(each, axis=0).round(3).tolist() for name, each in runs.items()}


def _first(measure: str, texts: list[str]) -> list[float]:
    model = fuzzbow.load("default", measure=measure)
    return [1e3 * runner.timed(model.similarity, *texts[i : i + 2]).seconds for i in (0, 2)]


def pairs() -> dict[str, Any]:
    """Pairs of strings a second, none met before and all again; beside NumPy pair by pair."""
    texts = read_corpus().documents[: 2 * MANY]
    half = len(texts) // 2
    left, right = texts[:half], texts[half : 2 * half]
    numpy, some = NumpyModel(), list(zip(left[:LOOPED], right[:LOOPED], strict=True))
    with runner.one_blas_thread():
        loop = len(some) / runner.timed(lambda: list(map(numpy.similarity, some))).seconds
    result: dict[str, Any] = {"pairs": half, "numpy_pairs_per_second": loop}
    for threads in (1, 2):
        model = fuzzbow.load("default")
        model.similarity("", "")  # loaded, no word met
        rates = []
        for _ in range(2):
            start = time.perf_counter()
            model.pairs(left, right, threads=threads)
            rates.append(half / (time.perf_counter() - start))
        first, again = rates
        result[f"{MEASURES[0]}, {threads} threads"] = {
            "pairs_per_second": first,
            "again": again,
            "times_numpy": first / loop,
        }
    return result


def about() -> dict[str, Any]:
    """Facts about the corpus."""
    return read_corpus().describe()


BENCHMARKS = {"corpus": about, "first": first, "stream": stream, "pairs": pairs}


if __name__ == "__main__":
    runner.run_parts(NAME, BENCHMARKS, sys.argv[1:])
