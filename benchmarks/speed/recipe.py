"""Seeded corpora, word vectors and timing that all speed benchmarks share.

Zipfian texts: words by Zipf-Mandelbrot ranks, p ∝ 1/(rank + 2.7), lengths from a gamma
distribution with mean 11.6 words. Word vectors: 3,000 loose clusters, log-normal lengths.
Sentences: Zipfian ids written out with the embedded vocabulary, capitalised, with a full stop;
with FUZZBOW_STS set, STS sentences of which every fourth word is replaced by a Zipfian one.
Near copies: a tenth of the sentences are another one with a word replaced by a frequent one.
Tickets: one to three STS sentences between a greeting and a closing of a form; an eighth or so of
them are an earlier one with up to three typos.
"""

from __future__ import annotations

import os
import platform
from contextlib import AbstractContextManager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

import fuzzbow
from benchmarks.quality.tickets import CLOSINGS, COPIES, GREETINGS, TYPOS, one_of, with_typos

WORDS = 56_000
DIMENSION = 300
PACKAGES = (
    *("numpy", "faiss-cpu", "torch", "pyarrow", "gensim", "pylance", "bm25s", "semhash"),
    *("usearch", "rapidfuzz"),
)


def word_vectors(count: int = WORDS, dimension: int = DIMENSION, seed: int = 0) -> np.ndarray:
    """Word vectors in loose clusters: (count, dimension) float32."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((3000, dimension), dtype=np.float32)
    noise = random.standard_normal((count, dimension), dtype=np.float32)
    values = 0.6 * centres[random.integers(0, 3000, count)] + 0.8 * noise
    lengths = np.exp(0.2 * random.standard_normal((count, 1))) / np.sqrt(dimension)
    return (values * lengths).astype(np.float32)


def zipfian(count: int, words: int = WORDS, *, seed: int, mean: float = 11.6):
    """Texts as word ids: (ids uint32, offsets int64)."""
    random = np.random.default_rng(seed)
    lengths = np.clip(np.round(random.gamma(6.0, mean / 6.0, count)), 1, 60).astype(np.int64)
    odds = 1 / (np.arange(words) + 3.7)
    cumulative = np.cumsum(odds / odds.sum())
    cumulative[-1] = 1.0
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    ids = np.searchsorted(cumulative, random.random(offsets[-1]))
    return ids.astype(np.uint32), offsets


def near_copies(ids: np.ndarray, offsets: np.ndarray, share: float, *, seed: int) -> np.ndarray:
    """The same texts, a share of them copies of another of equal length but for one word."""
    random = np.random.default_rng(seed)
    ids, lengths = ids.copy(), np.diff(offsets)
    by_length = [np.flatnonzero(lengths == length) for length in range(lengths.max() + 1)]
    for text in random.choice(len(lengths), int(share * len(lengths)), replace=False):
        source = random.choice(by_length[lengths[text]])
        ids[offsets[text] : offsets[text + 1]] = ids[offsets[source] : offsets[source + 1]]
        if lengths[text] > 5:
            ids[offsets[text] + random.integers(lengths[text])] = random.integers(WORDS)
    return ids


def sentences(count: int, *, seed: int) -> list[str]:
    """Texts as strings, from STS sentences where there are any."""
    return corpus("sts" if os.environ.get("FUZZBOW_STS") else "zipf", count, seed=seed)


def corpus(kind: str, count: int, *, seed: int) -> list[str]:
    """Texts of a kind: "zipf", or "sts" or "tickets", which need FUZZBOW_STS."""
    if kind == "tickets":
        return tickets(count, seed=seed)
    vocabulary = list(fuzzbow.load("default").vectors.words)
    ids, offsets = zipfian(count, len(vocabulary), seed=seed)
    if kind == "sts":
        return _from_sts(count, vocabulary, ids, seed)
    words = [vocabulary[word] for word in ids.tolist()]
    bounds = zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    return [" ".join(words[start:stop]).capitalize() + "." for start, stop in bounds]


def tickets(count: int, *, seed: int) -> list[str]:
    """Tickets of about 30 words, 12 % of them copies with up to three typos; FUZZBOW_STS."""
    random = np.random.default_rng(seed)
    sentences = _sts_sentences()
    made: list[str] = []
    for _ in range(count):
        if made and random.random() < COPIES:
            source = made[int(random.integers(len(made)))]
            made.append(with_typos(source, int(random.integers(TYPOS + 1)), random))
            continue
        inside = [one_of(sentences, random) for _ in range(int(random.integers(1, 4)))]
        made.append(" ".join([one_of(GREETINGS, random), *inside, one_of(CLOSINGS, random)]))
    return made


def _sts_sentences() -> list[str]:
    folder = Path(os.environ["FUZZBOW_STS"])
    return [
        sentence
        for path in sorted(folder.glob("raw/*/STS.input.*.txt"))
        for line in path.read_text(encoding="utf-8").splitlines()
        for sentence in line.split("\t")[:2]
    ]


def _from_sts(count: int, vocabulary: list[str], ids: np.ndarray, seed: int) -> list[str]:
    random = np.random.default_rng(seed)
    lines = _sts_sentences()
    made, place = [], 0
    for line in random.integers(0, len(lines), count).tolist():
        words = lines[line].split()
        for position in range(int(random.integers(4)), len(words), 4):
            words[position] = vocabulary[ids[place % len(ids)]]
            place += 1
        made.append(" ".join(words))
    return made


def sentence_copies(texts: list[str], share: float, *, seed: int) -> list[str]:
    """The same sentences, a share of them copies of one of the rest but for one word."""
    random = np.random.default_rng(seed)
    frequent = list(fuzzbow.load("default").vectors.words[:1000])
    made = list(texts)
    order = random.permutation(len(texts))
    copies, rest = np.split(order, [int(share * len(texts))])
    sources = random.choice(rest, len(copies))
    for copy, source in zip(copies.tolist(), sources.tolist(), strict=True):
        words = texts[source].split()
        words[int(random.integers(len(words)))] = frequent[int(random.integers(len(frequent)))]
        made[copy] = " ".join(words)
    return made


def part(ids: np.ndarray, offsets: np.ndarray, start: int, stop: int):
    """Some of the texts, offsets from 0."""
    chosen = ids[offsets[start] : offsets[stop]].copy()
    return chosen, (offsets[start : stop + 1] - offsets[start]).copy()


def one_blas_thread() -> AbstractContextManager[Any]:
    """NumPy at its best for small matrices: threads of BLAS only get in its way."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(limits=1, user_api="blas")


def averages(vectors: np.ndarray, ids: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Unit averaged word vectors, what dense search compares: (texts, d) float32."""
    sums = np.add.reduceat(vectors[ids], offsets[:-1], axis=0)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.ascontiguousarray(sums / np.maximum(lengths, 1e-12), dtype=np.float32)


def machine() -> dict[str, Any]:
    """What the numbers were measured on."""
    packages: dict[str, str | None] = {}
    for name in PACKAGES:
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            packages[name] = None
    return {
        "cores": os.cpu_count(),
        "architecture": platform.machine(),
        "python": platform.python_version(),
        "packages": packages,
        "engine": {
            key: value for key, value in fuzzbow.engine.engine_info().items() if key != "why"
        },
    }
