"""Correlations per subtask and per task: three averages that must not be mixed up.

* mean: the mean of the subtasks' correlations, the paper's convention;
* weighted mean: the same, each subtask counting by its number of pairs;
* all: one correlation over the pairs of all subtasks together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from fuzzbow.arrays import Floats
from fuzzbow.plurals import counted
from fuzzbow.progress import Progress, no_progress
from fuzzbow.sts.correlation import pearson, spearman
from fuzzbow.sts.datasets import SUBTASKS, Dataset
from fuzzbow.sts.scoring import Scored, Scorer
from fuzzbow.sts.systems import System

Correlate = Callable[[Floats, Floats], float | None]


@dataclass(frozen=True)
class Subtask:
    """One system on one dataset; a correlation is None where `note` says why."""

    dataset: Dataset = field(repr=False)
    scores: Floats | None = field(repr=False)  # (n,)
    pearson: float | None
    spearman: float | None
    note: str | None = None
    failed: bool = False


@dataclass(frozen=True)
class Average:
    """Three ways to sum up a task."""

    mean: float | None
    weighted_mean: float | None
    all: float | None


@dataclass(frozen=True)
class Task:
    """One system on the subtasks of a task; `note` says what the averages leave out."""

    name: str
    subtasks: int
    used: int
    pearson: Average
    spearman: Average
    note: str | None = None

    @property
    def complete(self) -> bool:
        """Return whether every subtask counts."""
        return self.used == self.subtasks


@dataclass(frozen=True)
class Evaluation:
    """One system on vectors: every subtask, every task, and the mean of the tasks' means."""

    vectors: str
    system: System
    subtasks: tuple[Subtask, ...]
    tasks: tuple[Task, ...]
    mean_pearson: float | None
    mean_spearman: float | None

    @property
    def notes(self) -> list[str]:
        """List missing parts, for a person."""
        return [f"{task.name}: {task.note}" for task in self.tasks if task.note]

    @property
    def failed(self) -> bool:
        """Return whether a subtask could not be scored."""
        return any(subtask.failed for subtask in self.subtasks)

    def task(self, name: str) -> Task | None:
        """The task of that name."""
        return next((task for task in self.tasks if task.name == name), None)


def evaluate(
    scorers: Sequence[Scorer],
    datasets: Sequence[Dataset],
    *,
    progress: Progress = no_progress,
) -> list[Evaluation]:
    """Each of the `scorers` on each of the `datasets`, in the order given.

    Vectors are let go after the last system that needs them.
    """
    total = len(scorers) * len(datasets)
    results = []
    for place, scorer in enumerate(scorers):
        worker = replace(scorer)  # its model goes with it
        found = []
        for number, dataset in enumerate(datasets, start=1):
            found.append(assess(dataset, worker.score(dataset)))
            progress(place * len(datasets) + number, total)
        results.append(summarise(scorer.source.label, scorer.system, found))
        if all(later.source is not scorer.source for later in scorers[place + 1 :]):
            scorer.source.release()
    return results


def assess(dataset: Dataset, scored: Scored) -> Subtask:
    """Correlations of scores with the gold scores; constant ones have none, which is said."""
    if scored.scores is None:
        return Subtask(dataset, None, None, None, f"failed ({scored.failure})", failed=True)
    linear, ranked = pearson(scored.scores, dataset.gold), spearman(scored.scores, dataset.gold)
    if linear is not None and ranked is not None:
        return Subtask(dataset, scored.scores, linear, ranked)
    side = "gold scores" if np.ptp(dataset.gold) == 0.0 else "scores of the system"
    note = f"correlation undefined: all {side} are the same"
    return Subtask(dataset, scored.scores, None, None, note)


def summarise(vectors: str, system: System, subtasks: Iterable[Subtask]) -> Evaluation:
    """Averages per task and over the tasks."""
    found = tuple(subtasks)
    names = dict.fromkeys(subtask.dataset.task for subtask in found)
    tasks = tuple(
        _task(name, [subtask for subtask in found if subtask.dataset.task == name])
        for name in names
    )
    return Evaluation(
        vectors,
        system,
        found,
        tasks,
        _mean([task.pearson.mean for task in tasks]),
        _mean([task.spearman.mean for task in tasks]),
    )


def _task(name: str, subtasks: Sequence[Subtask]) -> Task:
    used = [subtask for subtask in subtasks if subtask.pearson is not None]
    whole = max(len(SUBTASKS.get(name, ())), len(subtasks))
    return Task(
        name,
        whole,
        len(used),
        _average(used, [subtask.pearson for subtask in used], pearson),
        _average(used, [subtask.spearman for subtask in used], spearman),
        _missing(name, subtasks, len(used), whole),
    )


def _missing(name: str, subtasks: Sequence[Subtask], used: int, whole: int) -> str | None:
    """Describe the subtasks that the averages leave out, and why."""
    reasons = [
        f"{subtask.dataset.name or name}: {subtask.note}"
        for subtask in subtasks
        if subtask.pearson is None
    ]
    if len(subtasks) < whole:
        reasons.append(f"{whole - len(subtasks)} not asked for")
    return (
        f"averages over {used} of {counted(whole, 'subtask')} ({'; '.join(reasons)})"
        if reasons
        else None
    )


def _average(
    used: Sequence[Subtask], values: Sequence[float | None], correlate: Correlate
) -> Average:
    """The three averages over the subtasks that have a correlation."""
    if not used:
        return Average(None, None, None)
    numbers = np.array(values, dtype=np.float64)
    sizes = np.array([len(subtask.dataset) for subtask in used], dtype=np.float64)
    scores = np.concatenate([part.scores for part in used if part.scores is not None])
    gold = np.concatenate([part.dataset.gold for part in used])
    return Average(
        float(numbers.mean()), float(numbers @ sizes / sizes.sum()), correlate(scores, gold)
    )


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean, or None if a value is missing or there is none."""
    numbers = [value for value in values if value is not None]
    return float(np.mean(numbers)) if numbers and len(numbers) == len(values) else None
