"""A distillation from 100,000 sentences and a ready array of embeddings: time, memory, gain.

    python benchmarks/quality/distil_sample.py SENTENCES EMBEDDINGS.npy STS_FOLDER

Begins with the first 56,000 words of GloVe-6B 50d, by NumPy, with the usual options. Scores are
weighted-jaccard on STS12-16, raw text. Writes benchmarks/results/distil_sample.json.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from pathlib import Path

import numpy as np

import fuzzbow
from benchmarks.runner import write_results
from fuzzbow.research.distillation import DistilReport, distil
from fuzzbow.vectors import open_vectors
from tests import sts

NAME = "distil_sample"


def main(sentences: Path, embeddings: Path, folder: Path) -> None:
    """Distil once and score the table before and after."""
    start = open_vectors("glove-6b-50d", limit=56_000)
    reports: list[DistilReport] = []
    began = time.perf_counter()
    table = distil(sentences, embeddings, vectors=start, progress=reports.append)
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
    write_results(NAME, results)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*map(Path, sys.argv[1:]))
