"""Variants of the distilled default, judged by the held-out loss and on the STS-B dev set only.

    PYTHONPATH=tools python benchmarks/quality/distil_variants.py CORPUS MODEL STSB_DEV \
        OUTPUT --device cuda --variants recipe second-seed …

CORPUS is a file of `source <tab> sentence` lines, MODEL the folder of the sentence model, STSB_DEV
the file sts-dev.csv. Writes a table for each variant named by
--keep, and OUTPUT/distil_variants.json. All variants share one preparation. On an H200 that is
the matter of minutes; STS12-16 are not read here.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from default_words import LAST, read_words, words_to_train
from distil_default_vectors import kept, prepare, sentences

import fuzzbow
from fuzzbow.research.distillation import Recipe
from fuzzbow.research.distillation.distil import DistilRun
from fuzzbow.vectors import save_vectors

MORE_COPIES = (0.40, 0.20, 0.05, 0.35)
USUAL = Recipe(  # as in the research that came before
    steps=1500,
    batch=16_384,
    seed=0,
    vector_rate=1e-3,
    map_rate=3e-4,
    decay=1.0,
    shares=(0.45, 0.25, 0.10, 0.20),
)
VARIANTS = {
    "recipe": USUAL,
    "second-seed": replace(USUAL, seed=1),
    "1000-steps": replace(USUAL, steps=1000),
    "2500-steps": replace(USUAL, steps=2500),
    "weights": replace(USUAL, train="weights"),
    "teacher-0.8": replace(USUAL, teacher_share=0.8),
    "teacher-0.6": replace(USUAL, teacher_share=0.6),
    "decay-0.3": replace(USUAL, decay=0.3),
    "decay-3": replace(USUAL, decay=3.0),
    "more-copies": replace(USUAL, shares=MORE_COPIES),
    "fewer-copies": replace(USUAL, shares=(0.5, 0.3, 0.1, 0.1)),
    "free-3": replace(USUAL, shares=MORE_COPIES, vector_rate=3e-3, decay=0.3),
    "free-10": replace(USUAL, shares=MORE_COPIES, vector_rate=1e-2, decay=0.3),
    "free-3-map": replace(USUAL, shares=MORE_COPIES, vector_rate=3e-3, map_rate=1e-3, decay=0.3),
    "free-3-teacher": replace(
        USUAL, shares=MORE_COPIES, vector_rate=3e-3, decay=0.3, teacher_share=0.8
    ),
    "small-batch": replace(USUAL, batch=4096),
    "map-1": replace(USUAL, shares=MORE_COPIES, vector_rate=1e-2, map_rate=1e-3, decay=0.3),
    "map-3": replace(USUAL, shares=MORE_COPIES, vector_rate=1e-2, map_rate=3e-3, decay=0.3),
    "map-1-free-20": replace(USUAL, shares=MORE_COPIES, vector_rate=2e-2, map_rate=1e-3, decay=0.3),
    "map-1-weights-20": replace(
        USUAL, shares=MORE_COPIES, vector_rate=1e-2, map_rate=1e-3, decay=0.3, weight_rate=2e-2
    ),
    "map-1-2500-steps": replace(
        USUAL, shares=MORE_COPIES, vector_rate=1e-2, map_rate=1e-3, decay=0.3, steps=2500
    ),
}
SAMPLE, SAMPLE_FILES = 100_000, 3


def read_dev(path: Path) -> tuple[list[str], list[str], np.ndarray]:
    """Sentences of STS-B and their scores."""
    rows = [line.split("\t") for line in path.read_text("utf-8").splitlines() if line]
    scores = np.array([float(row[4]) for row in rows])
    return [row[5] for row in rows], [row[6] for row in rows], scores


def dev_pearson(table: Path, dev: tuple[list[str], list[str], np.ndarray]) -> float:
    """weighted-jaccard on STS-B dev, Pearson times 100."""
    lefts, rights, scores = dev
    found = fuzzbow.load(table).pairs(lefts, rights)
    return float(np.corrcoef(found, scores)[0, 1] * 100)


def measure(
    run: DistilRun, name: str, output: Path, dev: tuple[list[str], list[str], np.ndarray]
) -> dict:
    """Train a variant, save its table, and judge it."""
    began, losses = time.perf_counter(), []

    def listen(report: object) -> None:
        losses.append(report)

    run.listener = listen
    state = run.train(recipe=VARIANTS[name])
    took = time.perf_counter() - began
    save_vectors(kept(run.table(state)), output, dtype="int4")
    return {
        "held_out": round(losses[-1].best, 6),
        "held_out_curve": [round(item.held_out, 6) for item in losses[:: max(1, len(losses) // 8)]],
        "loss": round(losses[-1].loss, 6),
        "stsb_dev": round(dev_pearson(output, dev), 3),
        "seconds": round(took, 1),
        "bytes": output.stat().st_size,
    }


def write_sample(run: DistilRun, folder: Path) -> None:
    """Embeddings of some sentences in int8, to try a distillation from an array with."""
    chosen = np.sort(np.random.default_rng(0).permutation(run.corpus.texts)[:SAMPLE])
    rows = run.corpus.embeddings[chosen].astype(np.float32)
    steps = np.rint(rows / np.abs(rows).max(axis=1, keepdims=True) * 127).astype(np.int8)
    for number, part in enumerate(np.array_split(steps, SAMPLE_FILES)):
        np.save(folder / f"sample-{number}.npy", part, allow_pickle=False)


def main() -> None:
    """Run the variants and write what they gave."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("corpus", "model", "dev", "output"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--variants", nargs="+", default=list(VARIANTS), choices=VARIANTS)
    parser.add_argument("--keep", nargs="+", default=["recipe"])
    parser.add_argument("--sample", action="store_true", help="write embeddings of some sentences")
    options = parser.parse_args()
    began = time.perf_counter()
    words = words_to_train(read_words(LAST), sentences(options.corpus, options.limit))
    dev = read_dev(options.dev)
    run, _ = prepare(options.corpus, options.model, words, options.device, options.limit)
    results = {
        "sentences": run.corpus.texts,
        "words": len(words),
        "prepared_seconds": round(time.perf_counter() - began, 1),
        "variants": {},
    }
    print(results, flush=True)
    if options.sample:
        write_sample(run, options.output)
    for name in options.variants:
        place = options.output / f"{name}.safetensors"
        results["variants"][name] = measure(run, name, place, dev)
        print(name, results["variants"][name], flush=True)
        if name not in options.keep:
            place.unlink()
        text = json.dumps(results, indent=1) + "\n"
        (options.output / "distil_variants.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
