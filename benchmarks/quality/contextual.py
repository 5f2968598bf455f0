"""Contextual word vectors on STS: mean pooling, max-pooled vectors and DynaMax-Jaccard.

    PYTHONPATH=src python -m benchmarks.quality.contextual --encoder FOLDER --sts STS --output DIR

Max-pooled Jaccard takes each dimension as an element of the universe; DynaMax takes the words
of both texts. Figures are Pearson and Spearman correlations times 100, means over the files of
a year weighted by their pairs.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

import fuzzbow
from fuzzbow.research.bootstrap import pearson, spearman
from fuzzbow.research.evaluation import ScoredPairSet
from fuzzbow.research.sts.datasets import YEARS, load_tasks
from fuzzbow.torch import similarity

TASKS = (*YEARS, "STSB-dev")
Score = Callable[..., torch.Tensor]  # both batches: words, mask and weights of each -> (n,)


def main() -> None:
    """Score every pair by every system, write DIR/contextual.json after each task."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoder", required=True, help="folder of an encoder")
    parser.add_argument(
        "--sts", type=Path, required=True, help="folder with STS12-en-test … and stsb/"
    )
    parser.add_argument("--output", type=Path, required=True, help="folder for contextual.json")
    parser.add_argument("--tasks", nargs="*", default=TASKS)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    report: dict[str, object] = {"command": "python -m benchmarks.quality.contextual", "tasks": {}}
    for task in options.tasks:
        datasets = load_tasks(options.sts, [task])
        model = _model(options.encoder, datasets)
        report["tasks"][task] = found = _evaluated(model, datasets)
        (options.output / "contextual.json").write_text(json.dumps(report, indent=1))
        best = {name: round(values["pearson"], 2) for name, values in found.items()}
        print(task, best, flush=True)


def _model(folder: str, datasets: list[ScoredPairSet]) -> fuzzbow.model.ContextualModel:
    """The contextual model, with the rarity of words from a task's own texts."""
    texts = [text for data in datasets for text in (*data.lefts, *data.rights)]
    model = fuzzbow.model.contextual(folder, collection=texts)
    model.encoder.model.to("cuda" if torch.cuda.is_available() else "cpu")
    return model


def _evaluated(
    model: fuzzbow.model.ContextualModel, datasets: list[ScoredPairSet]
) -> dict[str, dict[str, float]]:
    """Correlations of each system, means over files weighted by their pairs."""
    found: dict[str, list[tuple[int, float, float]]] = {name: [] for name in SYSTEMS}
    for data in datasets:
        scores = _scores(model, list(data.lefts), list(data.rights))
        gold = np.asarray(data.gold)
        for name, values in scores.items():
            found[name].append(
                (len(gold), pearson(values, gold) or 0.0, spearman(values, gold) or 0.0)
            )
    return {
        name: {
            kind: float(np.average([r[at] for r in rows], weights=[r[0] for r in rows]))
            for at, kind in ((1, "pearson"), (2, "spearman"))
        }
        for name, rows in found.items()
    }


def _scores(
    model: fuzzbow.model.ContextualModel, left: list[str], right: list[str], at_once: int = 256
) -> dict[str, np.ndarray]:
    """Scores of each system: name -> (n,)."""
    sets = model.encoder.encode([*left, *right])
    parts: dict[str, list[np.ndarray]] = {name: [] for name in SYSTEMS}
    for start in range(0, len(left), at_once):
        part = slice(start, start + at_once)
        x, y = model._batch(sets[: len(left)][part]), model._batch(sets[len(left) :][part])
        for name, system in SYSTEMS.items():
            parts[name].append(system(x, y).double().cpu().numpy())
    return {name: np.concatenate(values) for name, values in parts.items()}


def _mean(x, y) -> torch.Tensor:
    """Cosine of the means of words."""
    means = [words.sum(1) for words, _, _ in (x, y)]
    return torch.nn.functional.cosine_similarity(*means)


def _weighted_mean(x, y) -> torch.Tensor:
    """Cosine of the means of words, the rare ones heavier."""
    means = [(words * weights[..., None]).sum(1) for words, _, weights in (x, y)]
    return torch.nn.functional.cosine_similarity(*means)


def _fuzzy(universe: str, words: str, sets: str, weighted: bool = False) -> Score:
    """A fuzzy measure."""

    def score(x, y) -> torch.Tensor:
        return similarity(
            x[0], y[0], x_mask=x[1], y_mask=y[1], universe=universe, word_similarity=words,
            set_similarity=sets, weights=(x[2], y[2]) if weighted else None,
        )  # fmt: skip

    return score


SYSTEMS: dict[str, Score] = {
    "mean": _mean,
    "mean, idf": _weighted_mean,
    "max-pooled jaccard": _fuzzy("identity", "dot", "jaccard"),
    "dynamax-jaccard, dot": _fuzzy("dynamic", "dot", "jaccard"),
    "dynamax-jaccard, cosine": _fuzzy("dynamic", "cosine", "jaccard"),
    "dynamax-jaccard, cosine, idf": _fuzzy("dynamic", "cosine", "jaccard", weighted=True),
    "dynamax-otsuka, cosine, idf": _fuzzy("dynamic", "cosine", "otsuka", weighted=True),
}


if __name__ == "__main__":
    main()
