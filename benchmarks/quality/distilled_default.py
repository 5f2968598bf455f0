"""The embedded default by year: every named measure that takes minutes, on STS12-16.

    PYTHONPATH=. python benchmarks/quality/distilled_default.py STS_FOLDER

Writes benchmarks/results/distilled_default.json. For reporting: nothing was chosen by STS12-16;
benchmarks/results/distil_variants.json says by what, and which tables were scored on them.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import numpy as np

import fuzzbow
from fuzzbow.measures import MEASURES
from fuzzbow.sts.datasets import load_tasks

RESULTS = Path(__file__).parents[1] / "results" / "distilled_default.json"
SLOW = ("vocabmax-", "wmd", "soft-car", "kmeansmax-")  # hours, or fitted on the vocabulary


def by_year(model: fuzzbow.Model, folder: Path) -> dict[str, float]:
    """Mean Pearson times 100 of the subtasks of each year, and of the years."""
    found: dict[str, list[float]] = {}
    for data in load_tasks(folder):
        scores = model.pairs(data.lefts, data.rights)
        flat = np.ptp(scores) == 0
        value = 0.0 if flat else float(np.corrcoef(scores, data.gold)[0, 1] * 100)
        found.setdefault(data.key.split("/")[0], []).append(value)
    years = {year: float(np.mean(values)) for year, values in sorted(found.items())}
    return {
        name: round(value, 2)
        for name, value in (years | {"mean": np.mean([*years.values()])}).items()
    }


def main(folder: Path) -> None:
    """Score all and write the results."""
    warnings.simplefilter("ignore")
    results: dict[str, dict] = {}
    for name in MEASURES:
        if not name.startswith(SLOW):
            results[name] = {
                kind: by_year(fuzzbow.load("default", measure=name, tokenizer=cut), folder / kind)
                for kind, cut in (("raw", "words"), ("tokenized", "whitespace"))
            }
            print(name, results[name]["raw"]["mean"], flush=True)
            RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
