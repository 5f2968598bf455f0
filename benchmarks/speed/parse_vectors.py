"""Reading word2vec text by fuzzbow and gensim: python -m benchmarks.speed.parse_vectors.

The file is synthetic: random numbers of five decimals.
Writes results/parse_vectors.json.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.runner import origin, write_results

NAME = "parse_vectors"
WORDS, DIMENSION, ROUNDS = 20_000, 300, 3


def generate(path: Path, *, words: int, dimension: int, seed: int) -> None:
    """A word2vec text file with numbers of five decimals, as published files have them."""
    generator = np.random.default_rng(seed)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{words} {dimension}\n")
        for first in range(0, words, 1000):
            rows = generator.normal(0, 0.4, size=(min(1000, words - first), dimension))
            for offset, row in enumerate(rows.tolist()):
                numbers = " ".join([f"{number:.5f}" for number in row])
                file.write(f"word{first + offset} {numbers}\n")


def read_with_fuzzbow(path: Path) -> Any:
    from fuzzbow.vectors import open_vectors

    return open_vectors(path).matrix


def read_with_gensim(path: Path) -> Any:
    from gensim.models import KeyedVectors

    return KeyedVectors.load_word2vec_format(str(path)).vectors


READERS: dict[str, Callable[[Path], Any]] = {
    "gensim": read_with_gensim,
    "fuzzbow": read_with_fuzzbow,
}


def measure(path: Path, rounds: int) -> dict[str, list[float]]:
    """Seconds of each reader, in turns; the matrices must agree."""
    seconds: dict[str, list[float]] = {name: [] for name in READERS}
    for _ in range(rounds):
        matrices = []
        for name, read in READERS.items():
            begin = time.perf_counter()
            matrices.append(read(path))
            seconds[name].append(round(time.perf_counter() - begin, 3))
        np.testing.assert_allclose(matrices[0], matrices[1], atol=1e-6)
    return seconds


def main() -> None:
    """Measure, and write the results."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.txt"
        generate(path, words=WORDS, dimension=DIMENSION, seed=7)
        seconds = measure(path, ROUNDS)
        file = {"words": WORDS, "dimension": DIMENSION, "bytes": path.stat().st_size}
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    results = {**origin(), "file": file, "seconds": seconds, "median_seconds": medians}
    print(results)
    write_results(NAME, results)


if __name__ == "__main__":
    main()
