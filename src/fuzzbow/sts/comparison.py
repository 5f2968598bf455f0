"""Systems against each other on the same pairs, subtask by subtask and over tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from fuzzbow.errors import InputError
from fuzzbow.progress import Progress, no_progress
from fuzzbow.sts.correlation import RESAMPLES, Bootstrap, bootstrap_correlations
from fuzzbow.sts.datasets import Dataset
from fuzzbow.sts.evaluation import Evaluation
from fuzzbow.sts.significance import (
    Counts,
    Decision,
    Difference,
    count_decisions,
    difference,
    holm_decisions,
    mean_difference,
)


@dataclass(frozen=True)
class Bootstraps:
    """All evaluations on the same resamples, so that any two can be compared."""

    evaluations: tuple[Evaluation, ...] = field(repr=False)
    datasets: tuple[Dataset, ...] = field(repr=False)
    samples: tuple[Bootstrap, ...] = field(repr=False)  # one per dataset, a column per evaluation
    resamples: int
    seed: int

    def subtask(self, a: Evaluation, b: Evaluation, place: int) -> Difference:
        """`a` less `b` on the dataset at a place."""
        return difference(self.samples[place], self._column(a), self._column(b))

    def mean(self, a: Evaluation, b: Evaluation, tasks: Sequence[str] = ()) -> Difference:
        """`a` less `b` in the mean over tasks, each the mean over its subtasks."""
        chosen = [
            place
            for place, dataset in enumerate(self.datasets)
            if not tasks or dataset.task in tasks
        ]
        names = [self.datasets[place].task for place in chosen]
        weights = [1.0 / (len(set(names)) * names.count(name)) for name in names]
        samples = [self.samples[place] for place in chosen]
        return mean_difference(samples, self._column(a), self._column(b), weights)

    def interval(self, evaluation: Evaluation, task: str) -> tuple[float, float] | None:
        """The 95 % percentile interval of a task's mean, for error bars."""
        column = self._column(evaluation)
        chosen = [
            sample.resampled[:, column]
            for sample, dataset in zip(self.samples, self.datasets, strict=True)
            if dataset.task == task
        ]
        means = np.mean(chosen, axis=0)
        means = means[np.isfinite(means)]
        if not len(means):
            return None
        low, high = np.quantile(means, [0.025, 0.975]).tolist()
        return low, high

    def _column(self, evaluation: Evaluation) -> int:
        return next(place for place, other in enumerate(self.evaluations) if other is evaluation)


def bootstrap_all(
    evaluations: Sequence[Evaluation],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    progress: Progress = no_progress,
) -> Bootstraps:
    """Resample every dataset `resamples` times, once for all `evaluations`.

    A subtask that failed is undefined.
    """
    if resamples < 100:
        raise InputError(f"resamples must be at least 100; got {resamples}")
    datasets = tuple(subtask.dataset for subtask in evaluations[0].subtasks)
    samples = []
    for place, dataset in enumerate(datasets):
        missing = np.zeros(len(dataset))  # constant, so its correlation is undefined
        columns = [
            missing if found is None else found
            for found in (evaluation.subtasks[place].scores for evaluation in evaluations)
        ]
        # the data seed the draw too, so a subtask's interval does not depend on its neighbours
        seeds = [seed, int(dataset.fingerprint[:8], 16)]
        samples.append(
            bootstrap_correlations(
                dataset.gold, np.column_stack(columns), resamples=resamples, seed=seeds
            )
        )
        progress(place + 1, len(datasets))
    return Bootstraps(tuple(evaluations), datasets, tuple(samples), resamples, seed)


@dataclass(frozen=True)
class Row:
    """One subtask of a comparison; `corrected` is the decision after Holm's correction."""

    dataset: Dataset = field(repr=False)
    system: float | None
    baseline: float | None
    difference: Difference
    corrected: Decision


@dataclass(frozen=True)
class Comparison:
    """A system against a baseline, as the paper's table of significance."""

    system: Evaluation = field(repr=False)
    baseline: Evaluation = field(repr=False)
    rows: tuple[Row, ...]
    tasks: dict[str, Difference]
    overall: Difference  # of the mean over the tasks

    @property
    def counts(self) -> Counts:
        """Better, worse and not significant by the intervals."""
        return count_decisions(row.difference.decision for row in self.rows)

    @property
    def corrected_counts(self) -> Counts:
        """Count decisions after Holm's correction."""
        return count_decisions(row.corrected for row in self.rows)


def compare_all(
    bootstraps: Bootstraps, pairs: Sequence[tuple[Evaluation, Evaluation]]
) -> list[Comparison]:
    """Systems against their baselines, `pairs` of a system and its baseline.

    Both are of the `bootstraps`. Holm's correction spans all rows of all of them.
    """
    places = range(len(bootstraps.datasets))
    found = [[bootstraps.subtask(a, b, place) for place in places] for a, b in pairs]
    corrected = iter(holm_decisions([item for items in found for item in items]))
    names = list(dict.fromkeys(dataset.task for dataset in bootstraps.datasets))
    results = []
    for (a, b), differences in zip(pairs, found, strict=True):
        rows = tuple(
            Row(dataset, left.pearson, right.pearson, item, next(corrected))
            for dataset, left, right, item in zip(
                bootstraps.datasets, a.subtasks, b.subtasks, differences, strict=True
            )
        )
        tasks = {name: bootstraps.mean(a, b, [name]) for name in names}
        results.append(Comparison(a, b, rows, tasks, bootstraps.mean(a, b)))
    return results
