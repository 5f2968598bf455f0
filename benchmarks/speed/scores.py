"""Pairs from ids and from strings, against the formula pair by pair in NumPy and in torch."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import fuzzbow
from benchmarks import runner
from benchmarks.speed import recipe
from benchmarks.speed.peaks import fma_peak
from fuzzbow import _kernel
from fuzzbow.text import parse_tokenizer

PAIRS = 20_000
STRING_PAIRS = 100_000
LOOPED = 1_000
JACCARD = _kernel.SetSimilarity("jaccard")
ROUNDS = 11


def numpy_score(x: np.ndarray, y: np.ndarray) -> float:
    """DynaMax-Jaccard as one writes it: (k, d), (l, d) -> float."""
    universe = np.vstack([x, y])
    a = np.maximum((x @ universe.T).max(axis=0), 0)
    b = np.maximum((y @ universe.T).max(axis=0), 0)
    return float(np.minimum(a, b).sum() / np.maximum(a, b).sum())


def numpy_pairs(vectors: np.ndarray, left: Any, right: Any) -> list[float]:
    """The formula, pair by pair, from ids."""
    rows = [
        [vectors[ids[offsets[i] : offsets[i + 1]]] for i in range(len(offsets) - 1)]
        for ids, offsets in (left, right)
    ]
    return [numpy_score(x, y) for x, y in zip(*rows, strict=True)]


def torch_seconds(vectors: np.ndarray, pairs: list[Any]) -> float | None:
    """Seconds per pair of padded batches in torch, one thread, if it is installed."""
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(1)
    table = torch.from_numpy(vectors)

    def padded(ids: np.ndarray, offsets: np.ndarray) -> tuple[Any, Any]:
        lengths = np.diff(offsets)
        mask = np.arange(lengths.max())[None, :] < lengths[:, None]
        grid = np.zeros(mask.shape, dtype=np.int64)
        grid[mask] = ids
        return torch.from_numpy(grid), torch.from_numpy(mask)

    def pooled(words: Any, known: Any, universe: Any) -> Any:
        found = words @ universe.transpose(1, 2)
        return found.masked_fill(~known[:, :, None], -torch.inf).amax(dim=1).clamp(min=0)

    def work(pair: Any) -> Any:
        (left, known), (right, present) = padded(*pair[0]), padded(*pair[1])
        x, y = table[left], table[right]
        universe, real = torch.cat([x, y], 1), torch.cat([known, present], 1)
        a, b = pooled(x, known, universe) * real, pooled(y, present, universe) * real
        return torch.minimum(a, b).sum(1) / torch.maximum(a, b).sum(1)

    return runner.median_seconds(work, pairs) / LOOPED


def batch(left: Any, right: Any) -> tuple[Any, np.ndarray, np.ndarray]:
    """The texts of both sides as one batch, and the numbers of each side's texts."""
    ids = np.concatenate([left[0], right[0]])
    offsets = np.concatenate([left[1], left[1][-1] + right[1][1:]])
    numbers = np.arange(len(offsets) - 1)
    return (ids, offsets), *np.split(numbers, 2)


def pairs_of_ids(words: int = recipe.WORDS) -> dict[str, Any]:
    """Ids to scores, d = 300; each text is in one pair."""
    vectors = recipe.word_vectors(words)
    table = _kernel.Table(vectors)
    inputs = [
        (recipe.zipfian(PAIRS, words, seed=10 + n), recipe.zipfian(PAIRS, words, seed=50 + n))
        for n in range(ROUNDS)
    ]
    batches = [batch(*pair) for pair in inputs]
    few = [tuple(recipe.part(*side, 0, LOOPED) for side in pair) for pair in inputs]
    torch = torch_seconds(vectors, few)
    lengths = [[np.diff(side[1]) for side in pair] for pair in inputs]
    work = 2.0 * recipe.DIMENSION * float(np.mean([(k * n).sum() for k, n in lengths]))
    read = 4.0 * recipe.DIMENSION * float(np.mean([k.sum() + n.sum() for k, n in lengths]))
    result: dict[str, Any] = {
        "pairs": PAIRS,
        "words": words,
        "dimension": recipe.DIMENSION,
        "torch_pairs_per_second": None if torch is None else 1 / torch,
    }
    for simd in _kernel.info()["available"][::-1]:
        _kernel.set_simd(simd)
        for threads in (1, 2):
            with recipe.one_blas_thread():
                loop, seconds, ratio = runner.median_seconds_in_turn(
                    lambda item: numpy_pairs(vectors, *item[1]),
                    lambda item, threads=threads: _kernel.pairs(
                        table, *item[0], JACCARD, threads=threads
                    ),
                    list(zip(batches, few, strict=True)),
                )
            peak = fma_peak(simd)
            result.setdefault("numpy_pairs_per_second", LOOPED / loop)
            result[f"{simd}, {threads} threads"] = {
                "pairs_per_second": PAIRS / seconds,
                "times_numpy": ratio * PAIRS / LOOPED,
                "share_of_fma_peak": work / seconds / 1e9 / (peak * threads) if peak else None,
                "gb_of_vectors_per_second": read / seconds / 1e9,
            }
    _kernel.set_simd(_kernel.info()["available"][-1])
    return result


def naive_pair(words: list[str], matrix: np.ndarray) -> Callable[[str, str], float]:
    """The formula from two strings, as one writes it."""
    tokenizer, index = parse_tokenizer("words"), {word: i for i, word in enumerate(words)}

    def rows(text: str) -> np.ndarray:
        return matrix[[index[w] for w in map(str.lower, tokenizer.words(text)) if w in index]]

    def score(a: str, b: str) -> float:
        x, y = rows(a), rows(b)
        return numpy_score(x, y) if len(x) and len(y) else 0.0

    return score


def pairs_of_strings(dimension: int = recipe.DIMENSION) -> dict[str, Any]:
    """Strings to scores, everything included."""
    words = list(fuzzbow.load("default").vectors.words)
    vectors = fuzzbow.WordVectors.from_words(words, recipe.word_vectors(len(words), dimension))
    model = fuzzbow.load(vectors, measure="dynamax-jaccard")
    inputs = [
        (recipe.sentences(STRING_PAIRS, seed=10 + n), recipe.sentences(STRING_PAIRS, seed=50 + n))
        for n in range(ROUNDS // 2)
    ]
    score = naive_pair(words, vectors.matrix)

    def loop(pair: tuple[list[str], list[str]]) -> list[float]:
        return [score(*texts) for texts in zip(pair[0][:LOOPED], pair[1][:LOOPED], strict=True)]

    result: dict[str, Any] = {"pairs": STRING_PAIRS}
    for threads in (1, 2):
        with recipe.one_blas_thread():
            looped, seconds, ratio = runner.median_seconds_in_turn(
                loop, lambda pair, threads=threads: model.pairs(*pair, threads=threads), inputs
            )
        result.setdefault("numpy_pairs_per_second", LOOPED / looped)
        result[f"{threads} threads"] = {
            "pairs_per_second": STRING_PAIRS / seconds,
            "times_numpy": ratio * STRING_PAIRS / LOOPED,
        }
    return result


def poolings(pairs: int = 26_000) -> dict[str, Any]:
    """As many pairs as all of STS, from strings, under each pooling."""
    lines = recipe.sentences(2 * pairs, seed=5), recipe.sentences(2 * pairs, seed=6)
    inputs = [[side[n * pairs : (n + 1) * pairs] for side in lines] for n in range(2)]
    seconds = {}
    for measure in ("dynamax", "dynaavg", "dynasum", "dynamin", "avg", "sum", "min"):
        model = fuzzbow.load("default", measure=f"{measure}-jaccard")
        seconds[measure] = runner.median_seconds(
            lambda pair, model=model: model.pairs(*pair), inputs
        )
    return {"pairs": pairs, "seconds": seconds}


def stages(texts: int = 1_000_000) -> dict[str, Any]:
    """Where the time goes for many texts in pairs: seconds and shares of each stage."""
    model = fuzzbow.load("default", measure="dynamax-jaccard")
    lines = recipe.sentences(texts, seed=5)
    seconds = {}

    def timed(name: str, work: Any) -> Any:
        start = time.perf_counter()
        found = work()
        seconds[name] = time.perf_counter() - start
        return found

    batch, which = timed("texts to ids", lambda: model.encoder.encode(lines))
    half = texts // 2
    prepared = timed("ids to a word table", lambda: model.measure.prepare(batch))
    timed(
        "word table to scores",
        lambda: model.measure.engine.pairs(
            prepared, which[:half], which[half:], model.measure.options
        ),
    )
    total = sum(seconds.values())
    shares = {name: value / total for name, value in seconds.items()}
    return {"texts": texts, "pairs": half, "seconds": seconds, "shares": shares}
