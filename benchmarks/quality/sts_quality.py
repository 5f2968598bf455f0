"""Every measure on STS12-16 for the embedded default, GloVe-6B 50d and WordLlama 256.

    python benchmarks/quality/sts_quality.py FOLDER

FOLDER holds raw/ and tokenized/ in the SentEval layout. Writes benchmarks/results/quality.json,
from which sts_page.py makes the page in docs. Scores are cached, so an interrupted run goes on.

    python benchmarks/quality/sts_quality.py FOLDER --new

measures only the systems that the results do not hold yet.
"""

from __future__ import annotations

import platform
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.runner import read_results, write_results
from fuzzbow import __version__
from fuzzbow.errors import FuzzbowWarning
from fuzzbow.measures import MEASURES
from fuzzbow.research.bootstrap import RESAMPLES
from fuzzbow.research.evaluation import ScoredPairSet
from fuzzbow.research.sts import evaluation as sts
from fuzzbow.research.sts.cache import cache_folder
from fuzzbow.research.sts.datasets import lines_of, load_tasks
from fuzzbow.research.sts.downloads import senteval_tokenizer
from fuzzbow.research.sts.systems import VectorSource, parse_sources, parse_system

VECTORS = ("default", "glove-6b-50d", "wordllama-256")
WEIGHTED = tuple(
    f"{name}+{weights}"
    for name in ("avg-cosine", "max-jaccard", "dynamax-jaccard")
    for weights in ("sif", "whitened")
)
SLOW = "vocabmax-"  # the whole vocabulary for each text: hours on all subtasks
SLOW_SUBTASK = "STS13/FNWN"
FOR_COLLECTIONS = ("fuzzy-bm25",)  # two texts alone have no score
NAMES = [name for name in (*MEASURES, *WEIGHTED) if name not in FOR_COLLECTIONS]
NAME = "quality"


def main(folder: Path) -> None:
    """Run all and write the results."""
    warnings.simplefilter("ignore", FuzzbowWarning)
    datasets = load_tasks(folder / "tokenized")
    few = [dataset for dataset in datasets if dataset.name == SLOW_SUBTASK]
    vectors = {}
    compared = []
    for source in parse_sources(VECTORS, cache=cache_folder()):
        found = measure_all(source, datasets, few)
        vectors[source.label] = {name: as_dict(item) for name, item in found.items()}
        compared.append((found["dynamax-jaccard"], found["avg-cosine"]))
    results = {
        "fuzzbow": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "protocol": "tokenised data, whitespace tokenizer, word frequencies by rank;"
        " Pearson and Spearman times 100, mean over the subtasks of each year",
        "restricted": f"{SLOW}* were run on {SLOW_SUBTASK} only ({len(few[0])} pairs): each text"
        " is compared with the whole vocabulary, which takes hours on all subtasks",
        "pairs": sum(map(len, datasets)),
        "vectors": vectors,
        "moses": moses_agreement(folder),
        "intervals": timed_intervals(compared),
    }
    write_results(NAME, results)


def add_new(folder: Path) -> None:
    """Measure what the results lack, and keep the rest."""
    warnings.simplefilter("ignore", FuzzbowWarning)
    results = read_results(NAME)
    datasets = load_tasks(folder / "tokenized")
    few = [dataset for dataset in datasets if dataset.name == SLOW_SUBTASK]
    for source in parse_sources(VECTORS, cache=cache_folder()):
        known = results["vectors"][source.label]
        missing = [name for name in NAMES if name not in known]
        found = measure_all(source, datasets, few, missing)
        known |= {name: as_dict(item) for name, item in found.items()}
    write_results(NAME, results)


def measure_all(
    source: VectorSource,
    datasets: Sequence[ScoredPairSet],
    few: Sequence[ScoredPairSet],
    names: Sequence[str] = NAMES,
) -> dict[str, sts.Evaluation]:
    """System -> evaluation."""
    found = {}
    for name in names:
        began = time.perf_counter()
        scorer = sts.SystemScorer(source, parse_system(name))
        found[name] = sts.evaluate([scorer], few if name.startswith(SLOW) else datasets)[0]
        took = time.perf_counter() - began
        mean = _short(found[name].mean_pearson)
        print(f"{source.label} {name}: {mean} ({took:.1f} s)", file=sys.stderr, flush=True)
    return found


def as_dict(evaluation: sts.Evaluation) -> dict[str, Any]:
    """Means per year, over the years, and what is missing."""
    return {
        "pearson": {name: _short(task.pearson["mean"]) for name, task in evaluation.tasks.items()},
        "mean_pearson": _short(evaluation.mean_pearson),
        "mean_spearman": _short(evaluation.mean_spearman),
        "notes": evaluation.notes,
    }


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def moses_agreement(folder: Path) -> dict[str, int]:
    """Count the lines of the raw data whose Moses tokens are those of SentEval."""
    tokenise = senteval_tokenizer()
    pairs = [
        pair
        for file in sorted((folder / "raw").glob("*/STS.input.*.txt"))
        for pair in zip(
            lines_of(file),
            lines_of(folder / "tokenized" / file.parent.name / file.name),
            strict=True,
        )
    ]
    agree = sum("\t".join(map(tokenise, a.split("\t")[:2])) == b for a, b in pairs)
    return {"lines": len(pairs), "agree": agree}


def timed_intervals(pairs: Sequence[tuple[sts.Evaluation, sts.Evaluation]]) -> dict[str, Any]:
    """DynaMax against averaged vectors on every subtask and set of vectors."""
    began = time.perf_counter()
    bootstraps = sts.bootstrap_all([item for pair in pairs for item in pair])
    comparisons = sts.compare_all(bootstraps, pairs)
    took = time.perf_counter() - began
    return {
        "intervals": sum(len(item.rows) for item in comparisons),
        "resamples": RESAMPLES,
        "seconds": round(took, 2),
        "better": sum(item.counts["better"] for item in comparisons),
        "worse": sum(item.counts["worse"] for item in comparisons),
        "not_significant": sum(item.counts["not_significant"] for item in comparisons),
    }


if __name__ == "__main__":
    if sys.argv[2:] not in ([], ["--new"]) or len(sys.argv) < 2:
        sys.exit(__doc__)
    (add_new if sys.argv[2:] else main)(Path(sys.argv[1]))
