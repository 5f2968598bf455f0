"""An older fuzzbow against this one, in turn, on the same inputs.

    python -m benchmarks.speed.before_after OLD_PYTHON NEW_PYTHON [CASE ...] [--rounds 9]

takes the Python executables of two environments with fuzzbow in them. One process of each stays
up, and both do each round's work one after the other, so that what else the machine does meets both
alike. Strings are from FUZZBOW_CORPUS, ids are synthetic. Of each case it writes the medians
over rounds of the seconds on the clock and of the processor, and of the ratio new to old of each
round, to benchmarks/results/before_after.json, beside those of other cases. One thread.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import fuzzbow
from benchmarks import runner
from benchmarks.corpus import read_corpus
from benchmarks.speed import recipe
from fuzzbow import _kernel
from fuzzbow.arrays import Ragged
from fuzzbow.engine import Bags, DynamicOptions, WordTable, choose_engine

ROOT = Path(__file__).parents[2]
NAME = "before_after"

Work = Callable[[], Any]
Case = Callable[[int], Work]  # the work of a round, by its number


def jaccard() -> Any:
    """As the kernels take it: by name, before they had a class for it."""
    return _kernel.SetSimilarity("jaccard") if hasattr(_kernel, "SetSimilarity") else "jaccard"


def texts_of(count: int, *, seed: int) -> Bags:
    """Zipfian texts as the engine takes them."""
    return Bags(Ragged(*recipe.zipfian(count, seed=seed)))


def pairs_of_ids(dimension: int, *, times: int, pairs: int = 100_000) -> Case:
    """Pairs of texts of which each is in so many, from ids; the copy of the table included."""
    table = WordTable(recipe.word_vectors(dimension=dimension))
    texts = texts_of(2 * pairs // times, seed=1)
    engine, options = choose_engine("compiled"), DynamicOptions()
    kind = getattr(fuzzbow.engine, "Batch", None)  # older versions have none
    batch = (table, texts) if kind is None else (kind(table, texts),)

    def work(number: int) -> Work:
        places = np.tile(np.arange(len(texts)), times)
        left, right = np.random.default_rng(number).permutation(places).reshape(2, -1)
        return lambda: engine.pairs(*batch, left, right, options)

    return work


def model_of(vectors: str, measure: str) -> fuzzbow.Model:
    """The embedded vectors, or as many words with random ones of so many dimensions."""
    if not vectors.isdecimal():
        return fuzzbow.load(vectors, measure=measure)
    words = list(fuzzbow.load("default").vectors.words)
    matrix = recipe.word_vectors(len(words), int(vectors))
    return fuzzbow.load(fuzzbow.WordVectors.from_words(words, matrix), measure=measure)


def pairs_of_strings(vectors: str, measure: str, pairs: int) -> Case:
    """Strings to scores."""
    model = model_of(vectors, measure)

    def work(number: int) -> Work:
        texts = read_corpus().part(number, 2 * pairs)
        left, right = texts[::2], texts[1::2]
        return lambda: model.pairs(left, right, threads=1)

    return work


def matrix(measure: str) -> Case:
    """2,000 strings with 20,000."""
    model = model_of("default", measure)

    def work(number: int) -> Work:
        texts = read_corpus().part(number, 22_000)
        rows, columns = texts[:2_000], texts[2_000:]
        return lambda: model.matrix(rows, columns, threads=1)

    return work


def search_of_ids(dimension: int, documents: int, queries: int = 300) -> Case:
    """Top 10, one query at a time, from ids."""
    table = _kernel.Table(recipe.word_vectors(dimension=dimension))
    corpus = getattr(_kernel, "Corpus", None) or _kernel.Index
    found = corpus(table, recipe.zipfian(documents, seed=1), jaccard())

    def work(number: int) -> Work:
        some = [recipe.zipfian(1, seed=1000 * number + n) for n in range(queries)]
        return lambda: [found.search(query, 10, threads=1) for query in some]

    return work


def building(documents: int) -> Case:
    """An index of sentences."""
    model = model_of("default", "weighted-jaccard")

    def work(number: int) -> Work:
        texts = read_corpus().part(number, documents)
        return lambda: model.index(texts, threads=1)

    return work


def asking(documents: int, queries: int = 200) -> Case:
    """Top 10 of sentences in an index, one query at a time."""
    index = model_of("default", "weighted-jaccard").index(read_corpus().part(0, documents))

    def work(number: int) -> Work:
        some = read_corpus().queries[number * queries : (number + 1) * queries]
        return lambda: [index.search(query, k=10, threads=1) for query in some]

    return work


def join_of_ids(documents: int, threshold: float = 0.9) -> Case:
    """All pairs at or above a threshold, from ids."""
    table = _kernel.Table(recipe.word_vectors())

    def work(number: int) -> Work:
        ids, offsets = recipe.zipfian(documents, seed=number)
        texts = recipe.near_copies(ids, offsets, 0.1, seed=number), offsets

        def join() -> Any:
            found = _kernel.Join(table, texts, jaccard(), threshold, threads=1)
            return found.rows(0, len(found), threads=1)

        return join

    return work


def duplicates(documents: int, threshold: float = 0.8) -> Case:
    """Near-duplicates among sentences."""
    model = model_of("default", "weighted-jaccard")

    def work(number: int) -> Work:
        texts = read_corpus().part(number, documents)
        return lambda: model.duplicates(texts, threshold=threshold, threads=1)

    return work


CASES: dict[str, Callable[[], Case]] = {
    "pairs of ids, d=50": lambda: pairs_of_ids(50, times=1),
    "pairs of ids, d=300": lambda: pairs_of_ids(300, times=1),
    "pairs of ids, d=50, texts in 20": lambda: pairs_of_ids(50, times=20),
    "pairs of ids, d=300, texts in 20": lambda: pairs_of_ids(300, times=20),
    "strings, default": lambda: pairs_of_strings("default", "weighted-jaccard", 20_000),
    "strings, default, 200k": lambda: pairs_of_strings("default", "weighted-jaccard", 200_000),
    "strings, d=50": lambda: pairs_of_strings("50", "dynamax-jaccard", 20_000),
    "strings, d=50, 200k": lambda: pairs_of_strings("50", "dynamax-jaccard", 200_000),
    "matrix, avg-cosine": lambda: matrix("avg-cosine"),
    "matrix, max-jaccard": lambda: matrix("max-jaccard"),
    "search of ids, d=50, 100k": lambda: search_of_ids(50, 100_000),
    "search of ids, d=300, 100k": lambda: search_of_ids(300, 100_000),
    "index, 100k": lambda: building(100_000),
    "search, 100k": lambda: asking(100_000),
    "search, 700k": lambda: asking(700_000),
    "join of ids, 20k": lambda: join_of_ids(20_000),
    "duplicates, 50k": lambda: duplicates(50_000),
}


def answer() -> None:
    """Do rounds of the case that standard input names; one line of seconds each."""
    name = sys.stdin.readline().strip()
    case = CASES[name]()
    print("ready", flush=True)
    for line in sys.stdin:
        work = case(int(line))
        wall, processor = time.perf_counter(), time.process_time()
        work()
        print(time.perf_counter() - wall, time.process_time() - processor, flush=True)


class Environment:
    """A process of one of the two environments that answers for one case."""

    def __init__(self, python: str, name: str) -> None:
        command = [python, "-m", "benchmarks.speed.before_after", "--answer"]
        blas = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=os.environ | blas,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._ask(name)

    def seconds(self, number: int) -> list[float]:
        """On the clock and of the processor, of one round."""
        return [float(part) for part in self._ask(number).split()]

    def close(self) -> None:
        """End it."""
        self.process.communicate()

    def _ask(self, what: object) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(what, file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.process.args} ended early")
        return line


def compared(old: str, new: str, name: str, rounds: int) -> dict[str, float]:
    """Medians over rounds of one case; each round has an input of its own."""
    environments = [Environment(python, name) for python in (old, new)]
    seconds = []
    for number in range(rounds + 1):
        turn = environments if number % 2 else environments[::-1]
        found = {environment: environment.seconds(number) for environment in turn}
        seconds.append([found[environment] for environment in environments])
    for environment in environments:
        environment.close()
    timed = np.array(seconds[1:])  # (rounds, environments, clocks), after a warm-up
    medians, ratios = np.median(timed, axis=0), np.median(timed[:, 1] / timed[:, 0], axis=0)
    return {
        "old_seconds": medians[0, 0],
        "new_seconds": medians[1, 0],
        "ratio": ratios[0],
        "old_processor_seconds": medians[0, 1],
        "new_processor_seconds": medians[1, 1],
        "processor_ratio": ratios[1],
    }


def main(arguments: list[str]) -> None:
    """Compare the named cases, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--rounds", type=int, default=9)
    chosen = parser.parse_args(arguments)
    results = {"cases": {}} | runner.read_results(NAME)
    for name in chosen.cases or CASES:
        found = compared(chosen.old, chosen.new, name, chosen.rounds)
        print(name, *(f"{key} {value:.3f}" for key, value in found.items()), sep="  ", flush=True)
        results["cases"][name] = found | {"rounds": chosen.rounds, "load": os.getloadavg()[0]}
        results["machine"] = runner.machine()
        runner.write_results(NAME, results)


if __name__ == "__main__":
    if sys.argv[1:] == ["--answer"]:
        answer()
    else:
        main(sys.argv[1:])
