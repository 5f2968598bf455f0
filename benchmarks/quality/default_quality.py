"""The embedded vectors on STS12-16 and STS-B dev: years, mean, and an interval of the mean.

    python -m benchmarks.quality.default_quality STS_FOLDER [NAME=TABLE …]

STS_FOLDER holds raw/, tokenized/ and stsb/. Other tables stand beside the embedded one under the
names given. Writes benchmarks/results/default_quality.json. Pearson times 100, mean of the
subtasks of a year, then of the years; 95 % intervals by 1,000 resamples of the pairs of every
subtask, the same ones for all tables and measures.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import fuzzbow
from benchmarks.markdown import number, table
from benchmarks.runner import write_results
from tests import sts

NAME = "default_quality"
MEASURES = ("weighted-jaccard", "dynamax-jaccard", "avg-cosine", "max-jaccard")
DATA = {"raw": "words", "tokenized": "whitespace"}  # and how it is split
RESAMPLES = 1_000


def main(folder: Path, others: dict[str, str]) -> None:
    """Score all tables and write the results."""
    found: dict[str, Any] = {}
    for name, source in {"default": "default", **others}.items():
        found[name] = {}
        for measure in MEASURES:
            for data, tokenizer in DATA.items():
                model = fuzzbow.load(source, measure=measure, tokenizer=tokenizer)
                found[name][f"{measure}, {data}"] = years(model, folder / data)
            model = fuzzbow.load(source, measure=measure)
            found[name][f"{measure}, raw"]["stsb_dev"] = stsb_dev(model, folder)
        print(json.dumps({name: found[name]}), flush=True)
    write_results(NAME, found)


def years(model: fuzzbow.Model, folder: Path) -> dict[str, Any]:
    """Each year, their mean, and its interval."""
    means, resampled = {}, []
    for year, subtasks in sts.SUBTASKS.items():
        single, many = [], []
        for place, name in enumerate(subtasks):
            left, right, gold = sts.read(folder, f"{year}/{name}")
            scores = np.asarray(model.pairs(left, right))
            random = np.random.default_rng([int(year[3:]), place])
            chosen = random.integers(len(gold), size=(RESAMPLES, len(gold)))
            single.append(pearson(scores[None], gold[None])[0])
            many.append(pearson(scores[chosen], gold[chosen]))
        means[year] = round(100 * float(np.mean(single)), 2)
        resampled.append(np.mean(many, axis=0))
    low, high = np.percentile(np.mean(resampled, axis=0), [2.5, 97.5])
    return {
        **means,
        "mean": round(float(np.mean(list(means.values()))), 2),
        "interval": [round(100 * float(low), 2), round(100 * float(high), 2)],
    }


def pearson(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Correlations row by row: (n, m), (n, m) -> (n,)."""
    x, y = (part - part.mean(axis=1, keepdims=True) for part in (x, y))
    return (x * y).sum(axis=1) / np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))


def stsb_dev(model: fuzzbow.Model, folder: Path) -> float:
    """The development part of STS-B."""
    lines = (folder / "stsb" / "sts-dev.csv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line]
    scores = model.pairs([row[5] for row in rows], [row[6] for row in rows])
    gold = np.array([float(row[4]) for row in rows])
    return round(100 * float(np.corrcoef(scores, gold)[0, 1]), 2)


def page(results: dict[str, Any]) -> str:
    """The results as Markdown."""
    rows = []
    for name, systems in results.items():
        for system, values in systems.items():
            low, high = values["interval"]
            rows.append(
                (
                    name,
                    system,
                    *(number(values[year]) for year in sts.SUBTASKS),
                    f"{values['mean']:.2f} [{low:.2f}, {high:.2f}]",
                    number(values.get("stsb_dev")),
                )
            )
    return (
        "## The embedded vectors on STS\n\nPearson × 100; in brackets the 95 % interval of the"
        " mean, by resampling the pairs of every subtask. Search and records with the same vectors:"
        " `choose.json`, above; how they were chosen: `distil_variants.json`.\n\n"
        + table(["vectors", "measure, data", *sts.SUBTASKS, "mean", "STS-B dev"], rows)
    )


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), dict(item.split("=", 1) for item in sys.argv[2:]))
