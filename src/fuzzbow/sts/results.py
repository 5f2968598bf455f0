"""Results as plain data: dictionaries for JSON, rows for CSV."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from fuzzbow import __version__
from fuzzbow.sts.comparison import Comparison
from fuzzbow.sts.datasets import Dataset
from fuzzbow.sts.evaluation import Average, Evaluation, Subtask, Task
from fuzzbow.sts.significance import Difference

SCALE_NOTE = "correlations are times 100"
AVERAGES_NOTE = (
    "mean: mean over the subtasks (the paper's convention); weighted_mean: by number of pairs;"
    " all: one correlation over the concatenated pairs"
)
CSV_COLUMNS = [
    "vectors", "measure", "weights", "normalise", "tokenizer", "task", "subtask", "statistic",
    "pearson", "spearman", "pairs", "note",
]  # fmt: skip


def run_to_dict(evaluations: Sequence[Evaluation], datasets: Sequence[Dataset]) -> dict[str, Any]:
    """Convert the results of `fuzzbow sts run` to plain data."""
    return {
        "fuzzbow": __version__,
        "scale": SCALE_NOTE,
        "averages": AVERAGES_NOTE,
        "datasets": [dataset_to_dict(dataset) for dataset in datasets],
        "results": [evaluation_to_dict(evaluation) for evaluation in evaluations],
    }


def dataset_to_dict(dataset: Dataset) -> dict[str, Any]:
    """Describe a dataset by key, size and content hash."""
    return {
        "key": dataset.key,
        "pairs": len(dataset),
        "skipped": dataset.skipped,
        "sha256": dataset.fingerprint,
    }


def evaluation_to_dict(evaluation: Evaluation) -> dict[str, Any]:
    """One system on vectors."""
    return {
        "vectors": evaluation.vectors,
        "system": evaluation.system.name,
        **_options(evaluation),
        "subtasks": {part.dataset.key: _subtask(part) for part in evaluation.subtasks},
        "tasks": {task.name: _task(task) for task in evaluation.tasks},
        "mean_of_tasks": {
            "pearson": evaluation.mean_pearson,
            "spearman": evaluation.mean_spearman,
        },
        "complete": all(task.complete for task in evaluation.tasks),
        "notes": evaluation.notes,
    }


def _options(evaluation: Evaluation) -> dict[str, Any]:
    system = evaluation.system
    return {
        "measure": system.measure,
        "weights": system.weights.value,
        "normalise": system.normalise,
        "tokenizer": system.tokenizer,
    }


def _subtask(part: Subtask) -> dict[str, Any]:
    return {
        "pearson": part.pearson,
        "spearman": part.spearman,
        "pairs": len(part.dataset),
        "note": part.note,
    }


def _task(task: Task) -> dict[str, Any]:
    return {
        "pearson": asdict(task.pearson),
        "spearman": asdict(task.spearman),
        "subtasks": task.subtasks,
        "used": task.used,
        "note": task.note,
    }


def comparison_to_dict(comparison: Comparison) -> dict[str, Any]:
    """A system against a baseline."""
    return {
        "system": {"vectors": comparison.system.vectors, "name": comparison.system.system.name},
        "baseline": {
            "vectors": comparison.baseline.vectors,
            "name": comparison.baseline.system.name,
        },
        "subtasks": {
            row.dataset.key: {
                "system": row.system,
                "baseline": row.baseline,
                **difference_to_dict(row.difference),
                "decision_holm": row.corrected.value,
            }
            for row in comparison.rows
        },
        "tasks": {name: difference_to_dict(item) for name, item in comparison.tasks.items()},
        "mean_of_tasks": difference_to_dict(comparison.overall),
        "counts": asdict(comparison.counts),
        "counts_holm": asdict(comparison.corrected_counts),
        "notes": [*comparison.system.notes, *comparison.baseline.notes],
    }


def difference_to_dict(item: Difference) -> dict[str, Any]:
    """Δ, its interval, p-value and decision."""
    return {
        "delta": item.delta,
        "low": item.low,
        "high": item.high,
        "p_value": item.p_value,
        "decision": item.decision.value,
    }


def csv_rows(evaluations: Sequence[Evaluation]) -> list[dict[str, Any]]:
    """A row per subtask, and three per task, told apart by `statistic`."""
    rows = []
    for evaluation in evaluations:
        system = {"vectors": evaluation.vectors, **_options(evaluation)}
        for part in evaluation.subtasks:
            place = {"task": part.dataset.task, "subtask": part.dataset.name}
            rows.append({**system, **place, "statistic": "subtask", **_subtask(part)})
        for task in evaluation.tasks:
            for statistic in ("mean", "weighted_mean", "all"):
                values = _of_task(task, statistic)
                rows.append({**system, "task": task.name, "statistic": statistic, **values})
    return rows


def _of_task(task: Task, statistic: str) -> dict[str, Any]:
    def value(average: Average) -> float | None:
        found: float | None = asdict(average)[statistic]
        return found

    return {"pearson": value(task.pearson), "spearman": value(task.spearman), "note": task.note}
