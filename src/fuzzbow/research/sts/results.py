"""Results of `fuzzbow sts` as plain data for JSON and CSV, and as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.table import Table

from fuzzbow.plurals import counted
from fuzzbow.research.evaluation.sets.scored import ScoredPairSet
from fuzzbow.research.sts.evaluation import AVERAGES, Comparison, Evaluation, mean_of
from fuzzbow.research.tables import interval, number, results_dict, signed, terminal_table

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


def run_to_dict(evaluations: Sequence[Evaluation]) -> dict[str, Any]:
    """Convert the results of `fuzzbow sts run` to plain data."""
    return results_dict(
        averages=AVERAGES_NOTE,
        datasets=list(map(set_to_dict, evaluations[0].sets)),
        results=[evaluation_to_dict(evaluation) for evaluation in evaluations],
    )


def set_to_dict(item: ScoredPairSet) -> dict[str, Any]:
    """Describe a set by name, size and content hash."""
    sizes = {"pairs": len(item), "skipped": item.skipped}
    return {"key": item.name, **sizes, "sha256": item.fingerprint}


def evaluation_to_dict(evaluation: Evaluation) -> dict[str, Any]:
    """Convert one system on vectors to plain data."""
    return {
        "vectors": evaluation.vectors,
        "system": evaluation.system.name,
        **_options(evaluation),
        "subtasks": {item.name: values for item, values in _subtasks(evaluation)},
        "tasks": {name: asdict(task) for name, task in evaluation.tasks.items()},
        "mean_of_tasks": {
            "pearson": evaluation.mean_pearson,
            "spearman": evaluation.mean_spearman,
        },
        "complete": all(task.complete for task in evaluation.tasks.values()),
        "notes": evaluation.notes,
    }


def _subtasks(evaluation: Evaluation) -> Iterator[tuple[ScoredPairSet, dict[str, Any]]]:
    """Yield each set with the correlations, the number of pairs and the note."""
    for item, result in zip(evaluation.sets, evaluation.subtasks.values(), strict=True):
        values = {metric.lower(): value for metric, value in result.values.items()}
        yield item, {**values, "pairs": len(item), "note": "; ".join(result.notes) or None}


def _options(evaluation: Evaluation) -> dict[str, Any]:
    system = evaluation.system
    weights = {"weights": system.weights.value, "normalise": system.normalise}
    return {"measure": system.measure, **weights, "tokenizer": system.tokenizer}


def comparison_to_dict(comparison: Comparison) -> dict[str, Any]:
    """Convert a system against a baseline to plain data."""
    system, baseline = comparison.system, comparison.baseline
    return {
        "system": {"vectors": system.vectors, "name": system.system.name},
        "baseline": {"vectors": baseline.vectors, "name": baseline.system.name},
        "subtasks": comparison.rows,
        "tasks": {name: asdict(item) for name, item in comparison.tasks.items()},
        "mean_of_tasks": asdict(comparison.overall),
        "counts": comparison.counts,
        "counts_holm": comparison.counts_holm,
        "notes": [*system.notes, *baseline.notes],
    }


def csv_rows(evaluations: Sequence[Evaluation]) -> Iterator[dict[str, Any]]:
    """Yield a row per subtask, and three per task, each with the name of its `statistic`."""
    for evaluation in evaluations:
        system = {"vectors": evaluation.vectors, **_options(evaluation)}
        for item, values in _subtasks(evaluation):
            key = {"task": item.task, "subtask": item.subtask, "statistic": "subtask"}
            yield {**system, **key, **values}
        for name, task in evaluation.tasks.items():
            for kind in AVERAGES:
                values = {"pearson": task.pearson[kind], "spearman": task.spearman[kind]}
                yield {**system, "task": name, "statistic": kind, "note": task.note, **values}


def run_table(
    found: Sequence[Evaluation], average: str = "mean", *, spearman: bool = False
) -> Table:
    """Make a table with an average per task and a row for each system."""
    names = list(found[0].tasks)
    several = len(names) > 1
    rows = []
    for evaluation in found:
        cells = [
            ((task.spearman if spearman else task.pearson)[average], task.complete)
            for task in evaluation.tasks.values()
        ]
        if several:
            cells.append((mean_of([value for value, _ in cells]), all(whole for _, whole in cells)))
        texts = [number(value, 1) + ("" if whole else "*") for value, whole in cells]
        rows.append([evaluation.vectors, evaluation.system.name, *texts])
    noted = any(evaluation.notes for evaluation in found)
    return terminal_table(
        ["vectors", "system", *names, *(["mean of tasks"] if several else [])],
        rows,
        "ll" + "r" * (len(names) + several),
        title=f"{'Spearman' if spearman else 'Pearson'} × 100, {TITLES[average]}",
        caption="* not over all subtasks; see the notes" if noted else "",
    )


def comparison_table(comparison: Comparison, *, holm: bool = False) -> Table:
    """Make the paper's table of significance for one set of vectors."""
    system, baseline = comparison.system, comparison.baseline
    decision = "decision_holm" if holm else "decision"
    whole = asdict(comparison.overall)
    whole |= {"system": system.mean_pearson, "baseline": baseline.mean_pearson}
    whole["decision_holm"] = whole["decision"]
    rows = [
        [key, *row_texts(row), row[decision]]
        for key, row in (*comparison.rows.items(), ("mean of tasks", whole))
    ]
    return terminal_table(
        [
            *("subtask", "system", "baseline", "Δ", "95 % interval"),
            "decision (Holm)" if holm else "decision",
        ],
        rows,
        "lrrrrl",
        title=f"{system.vectors} {system.system.name} against"
        f" {baseline.vectors} {baseline.system.name}",
        rule=len(comparison.rows),
    )


def row_texts(row: Mapping[str, Any]) -> list[str]:
    """Format a row of a comparison: both correlations, their difference and its interval."""
    sides = [number(row["system"]), number(row["baseline"])]
    return [*sides, signed(row["delta"]), interval(row["low"], row["high"])]


def counts_text(counts: Mapping[str, int]) -> str:
    """Write decisions as a line."""
    undefined = f", {counts['undefined']} undefined" if counts["undefined"] else ""
    return (
        f"{counts['better']} better, {counts['worse']} worse,"
        f" {counts['not_significant']} not significant{undefined}"
    )


def counts_line(comparison: Comparison, *, holm: bool) -> str:
    """Write the decisions of the subtasks as one line."""
    counts = comparison.counts_holm if holm else comparison.counts
    return f"{counted(sum(counts.values()), 'subtask')}: {counts_text(counts)}"
