"""Thresholds of a join by purpose, chosen on development sets, and the details rule of dedupe.

    FUZZBOW_MATCHING=... FUZZBOW_STS=... python -m benchmarks.quality.join_thresholds

or with the folders as --matching and --sts. Matching sets are tables `left,right,label`: the
distinct left texts are joined with the distinct right ones. A best match is right if its pair has
the label 1, and wrong if it has the label 0 or if the left text has another pair with the label 1;
what is not labelled is left out. Sentences are those of the STS benchmark, of which pairs of 4 or
more match.

For records the threshold is the highest multiple of 0.05 that loses at most 1 % of what the best
matches find, on average over the sets; for sentences and answers that of the best F1. A table
`id,text,entity` (Cora) shows what the rule of details costs. Writes
benchmarks/results/join_thresholds.json, from which `docs/how-to/join.md` quotes.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.runner import write_results
from fuzzbow import __version__, load

NAME = "join_thresholds"
THRESHOLDS = np.round(np.arange(0.3, 0.951, 0.05), 2)
LOST = 0.01  # of the recall of best matches, that a threshold may cost
SAME = 4.0  # of 5, from which on two sentences say the same


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _quality(scores: Any, right: Any, total: int) -> list[dict[str, float]]:
    """Precision, recall and F1 of best matches at each threshold."""
    found = []
    for threshold in THRESHOLDS:
        at = scores >= threshold
        hits = int((at & right).sum())
        found.append(
            {
                "threshold": float(threshold),
                "precision": hits / max(int(at.sum()), 1),
                "recall": hits / total,
                "f1": 2 * hits / (int(at.sum()) + total),
            }
        )
    return found


def matching_set(path: Path, purpose: str) -> dict[str, Any]:
    """Quality of the best matches of a set of labelled pairs."""
    labels = {(row["left"], row["right"]): row["label"] == "1" for row in _rows(path)}
    lefts, rights = (list(dict.fromkeys(pair[side] for pair in labels)) for side in (0, 1))
    matched = {left for (left, _), label in labels.items() if label}
    found = load(purpose=purpose).join(lefts, rights, threshold=1e-6)
    pairs = [(row["left_text"], row["right_text"], row["score"]) for row in found]
    known = [item for item in pairs if item[0] in matched or item[:2] in labels]
    scores = np.array([score for *_, score in known])
    right = np.array([labels.get((a, b), False) for a, b, _ in known])
    return {
        "left": len(lefts),
        "right": len(rights),
        "matches": len(matched),
        "recall_of_best": int(right.sum()) / len(matched),
        "at": _quality(scores, right, len(matched)),
    }


def sentences(folder: Path, purpose: str) -> list[dict[str, float]]:
    """Quality of thresholds for the pairs of the STS benchmark."""
    rows = [
        line.split("\t")
        for name in ("sts-train.csv", "sts-dev.csv")
        for line in (folder / "stsb" / name).read_text("utf-8").splitlines()
    ]
    same = np.array([float(row[4]) >= SAME for row in rows])
    scores = load(purpose=purpose).pairs([row[5] for row in rows], [row[6] for row in rows])
    return _quality(scores, same, int(same.sum()))


def details(path: Path) -> list[dict[str, float]]:
    """Quality of duplicates among records of known entities, by the details that count."""
    rows = _rows(path)
    entity = np.array([row["entity"] for row in rows])
    total = int(np.triu(entity[:, None] == entity[None, :], 1).sum())
    found = []
    for kinds in ((), ("numbers",), ("numbers", "codes", "negation")):
        pairs = load().duplicates([row["text"] for row in rows], threshold=0.8, details=kinds)
        columns = [
            (part["left"].to_numpy(), part["right"].to_numpy()) for part in pairs.every_pair()
        ]
        right = np.concatenate([entity[left] == entity[right] for left, right in columns])
        found.append(
            {
                "details": ", ".join(kinds) or "none",
                "precision": float(right.mean()),
                "recall": int(right.sum()) / total,
            }
        )
    return found


def choose(sets: dict[str, dict[str, Any]]) -> float:
    """The highest threshold that loses at most a hundredth of what the best matches find."""
    best = np.mean([item["recall_of_best"] for item in sets.values()])
    recall = np.mean([[at["recall"] for at in item["at"]] for item in sets.values()], axis=0)
    return float(THRESHOLDS[np.flatnonzero(recall >= (1 - LOST) * best)[-1]])


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("matching", "sts"):
        default = os.environ.get(f"FUZZBOW_{name.upper()}")
        parser.add_argument(f"--{name}", type=Path, default=default, required=default is None)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    matching, sts = Path(options.matching), Path(options.sts)
    tables = sorted(matching.glob("*.csv"))
    labelled = [path for path in tables if "label" in _rows(path)[0]]
    sets = {path.stem: matching_set(path, "records") for path in labelled}
    pairs = {purpose: sentences(sts, purpose) for purpose in ("sentences", "answers")}
    best = {
        purpose: max(found, key=lambda at: at["f1"])["threshold"]
        for purpose, found in pairs.items()
    }
    entities = {path.stem: details(path) for path in tables if "entity" in _rows(path)[0]}
    result = {
        "version": __version__,
        "chosen": {"records": choose(sets)} | best,
        "records": sets,
        "sts_benchmark": pairs,
        "details": entities,
    }
    write_results(NAME, result, options.output)
    print(json.dumps(result["chosen"]))
    for name, item in sets.items():
        at = {step["threshold"]: step for step in item["at"]}[result["chosen"]["records"]]
        print(f"{name}: recall {at['recall']:.3f}, precision {at['precision']:.3f}")
    for name, found in entities.items():
        for item in found:
            print(
                f"{name}, details {item['details']}: {item['precision']:.3f} {item['recall']:.3f}"
            )


if __name__ == "__main__":
    main()
