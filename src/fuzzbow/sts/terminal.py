"""Results as tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from rich.table import Column, Table

from fuzzbow.plurals import counted
from fuzzbow.sts.comparison import Comparison
from fuzzbow.sts.evaluation import Evaluation, Task


class AverageKind(str, Enum):
    """Kind of a task's average."""

    MEAN = "mean"
    WEIGHTED = "weighted_mean"
    ALL = "all"


TITLES = {
    AverageKind.MEAN: "mean over subtasks (the paper's convention)",
    AverageKind.WEIGHTED: "mean over subtasks, weighted by pairs",
    AverageKind.ALL: "over all pairs of a task together",
}


def run_table(
    found: Sequence[Evaluation], average: AverageKind = AverageKind.MEAN, *, spearman: bool = False
) -> Table:
    """An average per task, a row for each system."""
    name = "Spearman" if spearman else "Pearson"
    table = Table(title=f"{name} × 100, {TITLES[average]}")
    table.add_column("vectors", overflow="fold")  # a name is never cut
    table.add_column("system", overflow="fold")
    for task in found[0].tasks:
        table.add_column(task.name, justify="right")
    if len(found[0].tasks) > 1:
        table.add_column("mean of tasks", justify="right")
    for evaluation in found:
        values = [_of_task(task, average, spearman) for task in evaluation.tasks]
        whole = [task.complete for task in evaluation.tasks]
        if len(values) > 1:
            known = [value for value in values if value is not None]
            values.append(sum(known) / len(known) if len(known) == len(values) else None)
            whole.append(all(whole))
        cells = [
            _number(value) + ("" if complete else "*")
            for value, complete in zip(values, whole, strict=True)
        ]
        table.add_row(evaluation.vectors, evaluation.system.name, *cells)
    if any(evaluation.notes for evaluation in found):
        table.caption = "* not over all subtasks; see the notes"
    return table


def _of_task(task: Task, average: AverageKind, spearman: bool) -> float | None:
    values = task.spearman if spearman else task.pearson
    chosen = {
        AverageKind.MEAN: values.mean,
        AverageKind.WEIGHTED: values.weighted_mean,
        AverageKind.ALL: values.all,
    }
    return chosen[average]


def comparison_table(comparison: Comparison, *, holm: bool) -> Table:
    """The paper's table of significance for one set of vectors."""
    system, baseline = comparison.system, comparison.baseline
    table = Table(
        Column("subtask", overflow="fold"),
        title=f"{system.vectors} {system.system.name} against"
        f" {baseline.vectors} {baseline.system.name}",
    )
    for name in ("system", "baseline", "Δ", "95 % interval"):
        table.add_column(name, justify="right")
    table.add_column("decision (Holm)" if holm else "decision")
    for row in comparison.rows:
        decision = row.corrected if holm else row.difference.decision
        item = row.difference
        table.add_row(
            row.dataset.key, _number(row.system, 2), _number(row.baseline, 2),
            _signed(item.delta), _interval(item.low, item.high), decision.value,
        )  # fmt: skip
    mean = comparison.overall
    table.add_section()
    table.add_row(
        "mean of tasks", _number(system.mean_pearson, 2), _number(baseline.mean_pearson, 2),
        _signed(mean.delta), _interval(mean.low, mean.high), mean.decision.value,
    )  # fmt: skip
    return table


def counts_line(comparison: Comparison, *, holm: bool) -> str:
    """Write the decisions of the subtasks as one line."""
    counts = comparison.corrected_counts if holm else comparison.counts
    undefined = f", {counts.undefined} undefined" if counts.undefined else ""
    return (
        f"{counted(counts.total, 'subtask')}: {counts.better} better, {counts.worse} worse,"
        f" {counts.not_significant} not significant{undefined}"
    )


def _number(value: float | None, digits: int = 1) -> str:
    return "undefined" if value is None else f"{value:.{digits}f}"


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{round(value, 2) + 0.0:+.2f}"  # never -0.00


def _interval(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"[{low:.2f}, {high:.2f}]"
