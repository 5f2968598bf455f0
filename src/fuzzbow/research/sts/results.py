"""Results of `fuzzbow sts` as plain data for JSON and CSV, and as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from fuzzbow.plurals import counted
from fuzzbow.research.bootstrap import DecisionCounts
from fuzzbow.research.sts.datasets import Dataset
from fuzzbow.research.sts.evaluation import AVERAGES, Comparison, Evaluation, mean_of
from fuzzbow.research.tables import ResultTable, interval, number, results_dict, signed

AVERAGES_NOTE = (
    "mean: mean over the subtasks (the paper's convention); weighted_mean: by number of pairs;"
    " all: one correlation over the concatenated pairs"
)
CSV_COLUMNS = [
    "vectors", "measure", "weights", "normalise", "tokenizer", "task", "subtask", "statistic",
    "pearson", "spearman", "pairs", "note",
]  # fmt: skip


TITLES = {
    "mean": "mean over subtasks (the paper's convention)",
    "weighted_mean": "mean over subtasks, weighted by pairs",
    "all": "over all pairs of a task together",
}


def run_to_dict(evaluations: Sequence[Evaluation], datasets: Sequence[Dataset]) -> dict[str, Any]:
    """Convert the results of `fuzzbow sts run` to plain data."""
    return results_dict(
        averages=AVERAGES_NOTE,
        datasets=[dataset_to_dict(dataset) for dataset in datasets],
        results=[evaluation_to_dict(evaluation) for evaluation in evaluations],
    )


def dataset_to_dict(dataset: Dataset) -> dict[str, Any]:
    """Describe a dataset by key, size and content hash."""
    return {
        "key": dataset.key,
        "pairs": len(dataset),
        "skipped": dataset.skipped,
        "sha256": dataset.fingerprint,
    }


def evaluation_to_dict(evaluation: Evaluation) -> dict[str, Any]:
    """Convert one system on vectors to plain data."""
    return {
        "vectors": evaluation.vectors,
        "system": evaluation.system.name,
        **_options(evaluation),
        "subtasks": {
            part.dataset.key: {
                "pearson": part.pearson,
                "spearman": part.spearman,
                "pairs": len(part.dataset),
                "note": part.note,
            }
            for part in evaluation.subtasks
        },
        "tasks": {
            task.name: {key: value for key, value in asdict(task).items() if key != "name"}
            for task in evaluation.tasks
        },
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


def comparison_to_dict(comparison: Comparison) -> dict[str, Any]:
    """Convert a system against a baseline to plain data."""
    system, baseline = comparison.system, comparison.baseline
    return {
        "system": {"vectors": system.vectors, "name": system.system.name},
        "baseline": {"vectors": baseline.vectors, "name": baseline.system.name},
        "subtasks": {
            row.dataset.key: {
                "system": row.system,
                "baseline": row.baseline,
                **asdict(row.difference),
                "decision_holm": row.corrected,
            }
            for row in comparison.rows
        },
        "tasks": {name: asdict(item) for name, item in comparison.tasks.items()},
        "mean_of_tasks": asdict(comparison.overall),
        "counts": asdict(comparison.counts),
        "counts_holm": asdict(comparison.corrected_counts),
        "notes": [*system.notes, *baseline.notes],
    }


def csv_rows(evaluations: Sequence[Evaluation]) -> list[dict[str, Any]]:
    """Make a row per subtask, and three per task, each with the name of its `statistic`."""
    rows = []
    for evaluation in evaluations:
        system = {"vectors": evaluation.vectors, **_options(evaluation)}
        found = evaluation_to_dict(evaluation)
        for part in evaluation.subtasks:
            key = {"task": part.dataset.task, "subtask": part.dataset.name}
            values = found["subtasks"][part.dataset.key]
            rows.append({**system, **key, "statistic": "subtask", **values})
        for name, task in found["tasks"].items():
            for kind in AVERAGES:
                values = {side: task[side][kind] for side in ("pearson", "spearman")}
                about = {"task": name, "statistic": kind, "note": task["note"]}
                rows.append({**system, **about, **values})
    return rows


def run_table(
    found: Sequence[Evaluation], average: str = "mean", *, spearman: bool = False
) -> ResultTable:
    """Make a table with an average per task and a row for each system."""
    names = [task.name for task in found[0].tasks]
    several = len(names) > 1
    rows = []
    for evaluation in found:
        cells = []
        for task in evaluation.tasks:
            value = (task.spearman if spearman else task.pearson)[average]
            cells.append((value, task.complete))
        if several:
            cells.append((mean_of([value for value, _ in cells]), all(whole for _, whole in cells)))
        texts = [number(value, 1) + ("" if whole else "*") for value, whole in cells]
        rows.append([evaluation.vectors, evaluation.system.name, *texts])
    noted = any(evaluation.notes for evaluation in found)
    return ResultTable(
        columns=["vectors", "system", *names, *(["mean of tasks"] if several else [])],
        rows=rows,
        align="ll" + "r" * (len(names) + several),
        title=f"{'Spearman' if spearman else 'Pearson'} × 100, {TITLES[average]}",
        caption="* not over all subtasks; see the notes" if noted else "",
    )


def comparison_table(comparison: Comparison, *, holm: bool = False) -> ResultTable:
    """Make the paper's table of significance for one set of vectors."""
    system, baseline, mean = comparison.system, comparison.baseline, comparison.overall
    parts = [
        (
            *(row.dataset.key, row.system, row.baseline, row.difference),
            row.corrected if holm else row.difference.decision,
        )
        for row in comparison.rows
    ]
    whole = ("mean of tasks", system.mean_pearson, baseline.mean_pearson, mean, mean.decision)
    rows = [
        [key, number(a), number(b), signed(item.delta), interval(item.low, item.high), said]
        for key, a, b, item, said in (*parts, whole)
    ]
    return ResultTable(
        columns=[
            "subtask", "system", "baseline", "Δ", "95 % interval",
            "decision (Holm)" if holm else "decision",
        ],
        rows=rows,
        align="lrrrrl",
        title=f"{system.vectors} {system.system.name} against"
        f" {baseline.vectors} {baseline.system.name}",
        rules=frozenset([len(parts)]),
    )  # fmt: skip


def counts_text(counts: DecisionCounts) -> str:
    """Write decisions as a line."""
    undefined = f", {counts.undefined} undefined" if counts.undefined else ""
    return (
        f"{counts.better} better, {counts.worse} worse, {counts.not_significant} not significant"
        f"{undefined}"
    )


def counts_line(comparison: Comparison, *, holm: bool) -> str:
    """Write the decisions of the subtasks as one line."""
    counts = comparison.corrected_counts if holm else comparison.counts
    return f"{counted(counts.total, 'subtask')}: {counts_text(counts)}"
