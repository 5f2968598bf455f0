"""A distillation from 100,000 sentences and a ready array of embeddings: time, memory, gain.

    python benchmarks/quality/distil_sample.py SENTENCES EMBEDDINGS.npy STS_FOLDER

Begins with the first 56,000 words of GloVe-6B 50d, by NumPy, with the usual options. Scores are
weighted-jaccard on STS12-16, raw text. Writes benchmarks/results/distil_sample.json.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from pathlib import Path

import numpy as np

import fuzzbow
from fuzzbow.vectors import open_vectors
from tests import sts

RESULTS = Path(__file__).parents[1] / "results" / "distil_sample.json"


def main(sentences: Path, embeddings: Path, folder: Path) -> None:
    """Distil once and score the table before and after."""
    start = open_vectors("glove-6b-50d", limit=56_000)
    reports: list[fuzzbow.distillation.DistilReport] = []
    began = time.perf_counter()
    table = fuzzbow.distil(sentences, embeddings, vectors=start, progress=reports.append)
    took = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    before, after = (
        sts.mean_pearson(fuzzbow.load(vectors).pairs, folder / "raw") for vectors in (start, table)
    )
    results = {
        "texts": int(np.load(embeddings, mmap_mode="r").shape[0]),
        "steps": reports[-1].total,
        "seconds": round(took, 1),
        "peak_mb": round(peak),
        "cores": len(os.sched_getaffinity(0)),
        "load_average": round(os.getloadavg()[1], 1),
        "before": round(before, 2),
        "after": round(after, 2),
        "gain": round(after - before, 2),
    }
    print(results)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*map(Path, sys.argv[1:]))
