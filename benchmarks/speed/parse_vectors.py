"""Reading word2vec text: fuzzbow against gensim, same generated file, one run.

python benchmarks/speed/parse_vectors.py [--words 200000] [--dimension 300] [--rounds 3]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

RESULT = Path(__file__).parents[1] / "results" / "parse_vectors.json"


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


def summarise(
    seconds: dict[str, list[float]], *, words: int, dimension: int, seed: int, megabytes: float
) -> dict[str, Any]:
    """Everything that the result file says."""
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    packages = ("numpy", "pyarrow", "gensim")
    return {
        "benchmark": "parse_vectors",
        "file": {
            "words": words,
            "dimension": dimension,
            "seed": seed,
            "megabytes": round(megabytes, 1),
        },
        "seconds": seconds,
        "median_seconds": medians,
        "ratio": round(medians["gensim"] / medians["fuzzbow"], 2),
        "cpu_count": os.cpu_count(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "versions": {package: version(package) for package in packages},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=200_000)
    parser.add_argument("--dimension", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--output", type=Path, default=RESULT)
    options = parser.parse_args()
    size = {"words": options.words, "dimension": options.dimension, "seed": options.seed}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.txt"
        generate(path, **size)
        megabytes = path.stat().st_size / 1e6
        seconds = measure(path, options.rounds)
    result = summarise(seconds, **size, megabytes=megabytes)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    medians = result["median_seconds"]
    print(f"gensim {medians['gensim']:.2f} s, fuzzbow {medians['fuzzbow']:.2f} s: ", end="")
    print(f"{result['ratio']} times faster")


if __name__ == "__main__":
    main()
