"""A model on a GPU: `engine="cuda"` held against the compiled engine, then timed.

    PYTHONPATH=src python -m benchmarks.gpu.models --output DIR

Texts are drawn from the vocabulary of the embedded vectors, frequent words more often; some
have a number or an unknown word, and each hundredth is a copy of another with one word changed.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import fuzzbow
from benchmarks.gpu.timing import machine
from fuzzbow.engine import Batch, JoinOptions, Queries, TopK
from fuzzbow.engine.cuda import CudaEngine

THRESHOLD = 0.8


def main() -> None:
    """Check, time, write DIR/models.json after each step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", required=True, help="folder for models.json")
    parser.add_argument("--texts", type=int, default=100_000, help="on each side")
    parser.add_argument("--checked", type=int, default=5_000, help="texts that both engines join")
    parser.add_argument("--device", default="cuda", help="cpu: a rehearsal of the same code")
    options = parser.parse_args()
    path = Path(options.output) / "models.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    cpu = fuzzbow.load(engine="compiled")
    gpu = _on_device(cpu, options.device)
    named = machine() if options.device == "cuda" else {}
    report: dict[str, object] = {"command": "python -m benchmarks.gpu.models", **named}
    texts = _texts(cpu, options.texts)
    for name, step in (
        ("join of few", lambda: _check_join(cpu, gpu, texts[0][: options.checked])),
        ("matrix of few", lambda: _check_matrix(cpu, gpu, texts[0][:1000], texts[1][:1000])),
        ("search", lambda: _check_search(cpu, gpu, texts[0][:2000], texts[1])),
        ("join", lambda: _timed_join(gpu, *texts)),
    ):
        report[name] = step()
        path.write_text(json.dumps(report, indent=1))
        print(name, report[name], flush=True)


def _on_device(model: fuzzbow.Model, device: str):
    """The same model with its engine on the device."""
    return replace(model, measure=replace(model.measure, engine=CudaEngine(device=device)))


def _texts(model: fuzzbow.Model, count: int) -> tuple[list[str], list[str]]:
    """Texts of 4 to 16 words on both sides."""
    random = np.random.default_rng(11)
    words = [word for word in model.vectors.words[:30_000] if word.isalpha()]
    chances = 1 / np.arange(10, len(words) + 10)
    chances /= chances.sum()
    sides = []
    for _ in range(2):
        lengths = random.integers(4, 17, count)
        drawn = random.choice(len(words), lengths.sum(), p=chances)
        rows = np.split(drawn, np.cumsum(lengths)[:-1])
        sides.append([[words[word] for word in row] for row in rows])
    for number in range(0, count, 20):
        sides[number // 20 % 2][number].append(str(number) if number % 40 else f"xq{number}zv")
    for number in range(0, count, 100):
        sides[1][number] = [*sides[0][number][:-1], words[number % len(words)]]
    left, right = ([" ".join(row) for row in side] for side in sides)
    return left, right


def _join(model: fuzzbow.Model, texts: list[str], boundary: int | None):
    """Pairs at or above the threshold, and the seconds without the reading of texts."""
    batch = model.encoder.batch(model.encoder.word_ids(texts))
    start = time.perf_counter()
    parts = model.measure.join(batch, JoinOptions(THRESHOLD, boundary))
    found = [np.stack([part.left, part.right, part.scores]) for part in parts]
    taken = time.perf_counter() - start
    return np.concatenate([np.zeros((3, 0)), *found], axis=1), taken


def _check_join(cpu: fuzzbow.Model, gpu: fuzzbow.Model, texts: list[str]) -> dict[str, object]:
    """Both engines' joins of some texts, some of them again with their first word twice."""
    texts = [*texts, *(f"{text} {text.split()[0]}" for text in texts[::7])]
    (one, fast), (other, slow) = _join(gpu, texts, None), _join(cpu, texts, None)
    return {
        "texts": len(texts), "pairs": one.shape[1], "same": bool(np.array_equal(one, other)),
        "seconds": fast, "compiled_seconds": slow,
    }  # fmt: skip


def _check_matrix(
    cpu: fuzzbow.Model, gpu: fuzzbow.Model, left: list[str], right: list[str]
) -> dict[str, object]:
    """The largest difference of matrices."""
    error = np.abs(gpu.matrix(left, right) - cpu.matrix(left, right)).max()
    return {"texts": len(left), "error": float(error), "holds": bool(error <= 1e-3)}


def _check_search(
    cpu: fuzzbow.Model, gpu: fuzzbow.Model, queries: list[str], documents: list[str]
) -> dict[str, object]:
    """The ten best of each query by both engines."""
    found, taken = [], []
    for model in (gpu, gpu, cpu):  # the first compiles kernels
        batch = model.encoder.batch(model.encoder.word_ids([*documents, *queries]))
        table, bags = model.measure.prepare(batch)
        corpus = model.measure.corpus(Batch(table, bags.take(np.arange(len(documents)))))
        asked = Queries(bags.take(np.arange(len(documents), len(bags))))
        start = time.perf_counter()
        found.append(corpus.search(asked, TopK(10)))
        taken.append(time.perf_counter() - start)
    same = np.array_equal(found[1].documents, found[2].documents)
    return {
        "queries": len(queries), "documents": len(documents),
        "same": bool(same and np.array_equal(found[1].scores, found[2].scores)),
        "seconds": taken[1], "compiled_seconds": taken[2],
    }  # fmt: skip


def _timed_join(gpu: fuzzbow.Model, left: list[str], right: list[str]) -> dict[str, object]:
    """All pairs of both sides at or above the threshold, twice: the first compiles kernels."""
    taken = [_join(gpu, [*left, *right], len(left)) for _ in range(2)]
    return {
        "texts": len(left), "threshold": THRESHOLD, "pairs": taken[1][0].shape[1],
        "seconds": taken[1][1], "first_seconds": taken[0][1],
    }  # fmt: skip


if __name__ == "__main__":
    main()
