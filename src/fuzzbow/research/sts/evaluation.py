"""Scores of systems on datasets, correlations per subtask and task, and comparisons.

A task has three averages that must not be mixed up:

* mean: the mean of the subtasks' correlations, the paper's convention;
* weighted mean: each subtask counts by its number of pairs;
* all: one correlation over the pairs of all subtasks together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from fuzzbow import __version__
from fuzzbow.arrays import Floats
from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.model import ModelSpec
from fuzzbow.plurals import counted
from fuzzbow.progress import Progress, no_progress
from fuzzbow.research.bootstrap import (
    RESAMPLES,
    Bootstrap,
    Decision,
    DecisionCounts,
    Difference,
    bootstrap_correlations,
    check_resamples,
    difference,
    holm_decisions,
    mean_difference,
    pearson,
    spearman,
)
from fuzzbow.research.sts.cache import Cache, key_of
from fuzzbow.research.sts.datasets import SUBTASKS, Dataset
from fuzzbow.research.sts.systems import (
    TEXTS,
    System,
    UserMeasure,
    VectorSource,
    is_user_measure,
    load_user_measure,
)
from fuzzbow.vectors.weights import Counts, read_counts

CACHE_FORMAT = 1
AVERAGES = ("mean", "weighted_mean", "all")


@dataclass(frozen=True)
class Frequencies:
    """Source of word frequencies: None (the vectors' own), rank, wordfreq or a file."""

    given: str | None = None

    @cached_property
    def counts(self) -> Counts | None:
        """Return the `counts` for `fuzzbow.load`; a file is read once."""
        return read_counts(str(self.given)) if self.is_file else self.given

    @cached_property
    def identity(self) -> str | None:
        """Name of the source, or hash of the file."""
        path = Path(str(self.given))
        if self.is_file and not path.is_file():
            raise InputError(f"counts must be a file, 'wordfreq' or 'rank'; got '{path}'")
        return hashlib.sha256(path.read_bytes()).hexdigest() if self.is_file else self.given

    @property
    def title(self) -> str:
        """Name of the file, or description of another source."""
        return Path(self.given or "the vectors' own counts, else rank").name

    @property
    def is_file(self) -> bool:
        """Return whether the source is a file."""
        return self.given not in (None, "rank", "wordfreq")


@dataclass(frozen=True)
class SystemScorer:
    """Scorer of a system on vectors; the model is loaded when a score is not in the cache."""

    source: VectorSource
    system: System
    frequencies: Frequencies = Frequencies()
    cache: Cache | None = None

    def score(self, dataset: Dataset) -> Floats | str:
        """Score all pairs of a `dataset`, (n,); an error of the measure is returned as a text."""
        key = self.key(dataset) if self.cache is not None else ""
        known = None if self.cache is None else self.cache.read("scores", key)
        if known is not None:
            try:
                return _checked(known.get("scores"), len(dataset))
            except (InputError, TypeError, ValueError):
                pass  # a damaged entry is computed again
        run = self._run  # options or vectors that cannot be used are errors of the whole run
        try:
            scores = _checked(run(dataset.lefts, dataset.rights), len(dataset))
        except MissingExtraError:
            raise
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        if self.cache is not None:
            facts = {"system": self.system.name, "vectors": self.source.label, "data": dataset.key}
            self.cache.write("scores", key, {**facts, "scores": scores.tolist()})
        return scores

    @cached_property
    def _user(self) -> UserMeasure | None:
        measure = self.system.measure
        return load_user_measure(measure) if is_user_measure(measure) else None

    @cached_property
    def _run(self) -> Callable[[Sequence[str], Sequence[str]], Any]:
        """Function from two lists of texts to scores."""
        user = self._user
        if user is not None and user.parameters == TEXTS:
            return lambda lefts, rights: user.function(list(lefts), list(rights))
        spec: ModelSpec = replace(
            self.system, source=self.source.vectors, counts=self.frequencies.counts
        )
        return (spec if user is None else replace(spec, measure=user.factory)).load().pairs

    def key(self, dataset: Dataset) -> str:
        """Return a cache key of all that decides the scores; user files enter by their content."""
        user, system = self._user, self.system
        return key_of(
            CACHE_FORMAT,
            __version__,
            dataset.fingerprint,
            None if user and user.parameters == TEXTS else self.source.fingerprint,
            system.measure if user is None else [user.name, user.digest],
            system.weights.value,
            system.normalise,
            system.tokenizer,
            self.frequencies.identity,
        )


def _checked(found: Any, size: int) -> Floats:
    """Check that there is one finite score for each pair: (n,)."""
    scores = np.asarray(found, dtype=np.float64)
    if scores.shape != (size,):
        raise InputError(f"a measure must give one score per pair, ({size},); got {scores.shape}")
    bad = np.flatnonzero(~np.isfinite(scores))
    if len(bad):
        raise InputError(
            f"scores must be finite; pair {bad[0] + 1} has {scores[bad[0]]}"
            f" ({len(bad)} of {size} are not)"
        )
    return scores


@dataclass(frozen=True)
class Subtask:
    """Result of one system on one dataset; if a correlation is None, `note` says why."""

    dataset: Dataset = field(repr=False)
    scores: Floats | None = field(repr=False)  # (n,)
    pearson: float | None = None
    spearman: float | None = None
    note: str | None = None
    failed: bool = False


@dataclass(frozen=True)
class Task:
    """Result of one system on a task; `note` lists subtasks outside the averages."""

    name: str
    subtasks: int
    used: int
    pearson: dict[str, float | None]  # by kind of average
    spearman: dict[str, float | None]
    note: str | None = None

    @property
    def complete(self) -> bool:
        """Return whether every subtask counts."""
        return self.used == self.subtasks


@dataclass(frozen=True)
class Evaluation:
    """Result of one system on vectors: all subtasks, all tasks, and the mean over the tasks."""

    vectors: str
    system: System
    subtasks: tuple[Subtask, ...]
    tasks: tuple[Task, ...]
    mean_pearson: float | None
    mean_spearman: float | None

    @property
    def notes(self) -> list[str]:
        """List missing parts as messages."""
        return [f"{task.name}: {task.note}" for task in self.tasks if task.note]

    @property
    def failed(self) -> bool:
        """Return whether a subtask could not be scored."""
        return any(subtask.failed for subtask in self.subtasks)

    def task(self, name: str) -> Task | None:
        """Return the task of that name, None if there is none."""
        return next((task for task in self.tasks if task.name == name), None)


def evaluate(
    scorers: Sequence[SystemScorer],
    datasets: Sequence[Dataset],
    *,
    progress: Progress = no_progress,
) -> list[Evaluation]:
    """Score every dataset by every system; vectors are closed after their last system.

    Parameters
    ----------
    scorers : sequence of SystemScorer
        Systems on vectors.
    datasets : sequence of Dataset
        Data, as `load_tasks` reads them.
    progress : function, optional
        Called with the number of scored datasets and of all.

    Returns
    -------
    list of Evaluation
        One for each scorer, in order.
    """
    total = len(scorers) * len(datasets)
    results = []
    for done, scorer in enumerate(scorers):
        worker = replace(scorer)  # so that its model ends with it
        found = []
        for number, dataset in enumerate(datasets, start=1):
            found.append(assess(dataset, worker.score(dataset)))
            progress(done * len(datasets) + number, total)
        results.append(summarise(scorer.source.label, scorer.system, found))
        if all(later.source is not scorer.source for later in scorers[done + 1 :]):
            scorer.source.release()
    return results


def assess(dataset: Dataset, scores: Floats | str) -> Subtask:
    """Correlate scores with the gold scores; a text is the reason why there are no scores."""
    if isinstance(scores, str):
        return Subtask(dataset, None, note=f"failed ({scores})", failed=True)
    linear, ranked = pearson(scores, dataset.gold), spearman(scores, dataset.gold)
    if linear is not None and ranked is not None:
        return Subtask(dataset, scores, linear, ranked)
    side = "gold scores" if np.ptp(dataset.gold) == 0.0 else "scores of the system"
    return Subtask(dataset, scores, note=f"correlation undefined: all {side} are the same")


def summarise(vectors: str, system: System, subtasks: Iterable[Subtask]) -> Evaluation:
    """Average correlations per task and over the tasks."""
    found = tuple(subtasks)
    groups: dict[str, list[Subtask]] = {}
    for part in found:
        groups.setdefault(part.dataset.task, []).append(part)
    tasks = tuple(_task(name, parts) for name, parts in groups.items())
    means = ([task.pearson["mean"] for task in tasks], [task.spearman["mean"] for task in tasks])
    return Evaluation(vectors, system, found, tasks, *map(mean_of, means))


def _task(name: str, subtasks: Sequence[Subtask]) -> Task:
    used = [subtask for subtask in subtasks if subtask.pearson is not None]
    whole = max(len(SUBTASKS.get(name, ())), len(subtasks))
    reasons = [
        f"{subtask.dataset.name or name}: {subtask.note}"
        for subtask in subtasks
        if subtask.pearson is None
    ]
    if len(subtasks) < whole:
        reasons.append(f"{whole - len(subtasks)} not asked for")
    note = f"averages over {len(used)} of {counted(whole, 'subtask')} ({'; '.join(reasons)})"
    if not used:
        return Task(name, whole, 0, dict.fromkeys(AVERAGES), dict.fromkeys(AVERAGES), note)
    sizes = np.array([len(subtask.dataset) for subtask in used], dtype=np.float64)
    scores = np.concatenate([part.scores for part in used if part.scores is not None])
    gold = np.concatenate([part.dataset.gold for part in used])
    linear = np.array([part.pearson for part in used], dtype=np.float64)
    ranked = np.array([part.spearman for part in used], dtype=np.float64)
    averages: list[dict[str, float | None]] = []
    for of, correlate in ((linear, pearson), (ranked, spearman)):
        means = float(of.mean()), float(of @ sizes / sizes.sum()), correlate(scores, gold)
        averages.append(dict(zip(AVERAGES, means, strict=True)))
    return Task(name, whole, len(used), averages[0], averages[1], note if reasons else None)


def mean_of(values: Sequence[float | None]) -> float | None:
    """Compute the mean; None if a value is missing or there are no values."""
    numbers = [value for value in values if value is not None]
    return float(np.mean(numbers)) if numbers and len(numbers) == len(values) else None


@dataclass(frozen=True)
class Bootstraps:
    """Resampled correlations of all evaluations, so that any two can be compared."""

    evaluations: tuple[Evaluation, ...] = field(repr=False)
    datasets: tuple[Dataset, ...] = field(repr=False)
    samples: tuple[Bootstrap, ...] = field(repr=False)  # one per dataset, a column per evaluation

    @property
    def tasks(self) -> list[str]:
        """Names of the tasks."""
        return list(dict.fromkeys(dataset.task for dataset in self.datasets))

    def subtasks(self, a: Evaluation, b: Evaluation, tasks: Sequence[str] = ()) -> list[Difference]:
        """Compare `a` with `b` on each dataset of some tasks, or of all."""
        columns = self._column(a), self._column(b)
        return [difference(sample, *columns) for _, sample in self._of(tasks)]

    def mean(self, a: Evaluation, b: Evaluation, tasks: Sequence[str] = ()) -> Difference:
        """Compare `a` with `b` in the mean over tasks, each the mean over its subtasks."""
        names = [name for name, _ in self._of(tasks)]
        weights = [1.0 / (len(set(names)) * names.count(name)) for name in names]
        samples = [sample for _, sample in self._of(tasks)]
        return mean_difference(samples, self._column(a), self._column(b), weights)

    def interval(self, evaluation: Evaluation, task: str) -> tuple[float, float] | None:
        """Compute the 95 % percentile interval of a task's mean, for error bars."""
        column = self._column(evaluation)
        means = np.mean([sample.resampled[:, column] for _, sample in self._of([task])], axis=0)
        means = means[np.isfinite(means)]
        if not len(means):
            return None
        low, high = np.quantile(means, [0.025, 0.975]).tolist()
        return low, high

    def _of(self, tasks: Sequence[str]) -> list[tuple[str, Bootstrap]]:
        """Yield task and sample of each dataset of some tasks, or of all."""
        pairs = zip(self.datasets, self.samples, strict=True)
        return [(data.task, item) for data, item in pairs if not tasks or data.task in tasks]

    def _column(self, evaluation: Evaluation) -> int:
        same = (number for number, other in enumerate(self.evaluations) if other is evaluation)
        return next(same)


def bootstrap_all(
    evaluations: Sequence[Evaluation],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    progress: Progress = no_progress,
) -> Bootstraps:
    """Resample every dataset, once for all evaluations.

    Parameters
    ----------
    evaluations : sequence of Evaluation
        Evaluations of the same datasets; a subtask that failed is undefined.
    resamples, seed : int
        Number of resamples and their seed.
    progress : function, optional
        Called with the number of resampled datasets and of all.

    Returns
    -------
    Bootstraps
    """
    check_resamples(resamples)
    datasets = tuple(subtask.dataset for subtask in evaluations[0].subtasks)
    samples = []
    for number, dataset in enumerate(datasets):
        missing = np.zeros(len(dataset))  # constant, so its correlation is undefined
        columns = [
            missing if found is None else found
            for found in (evaluation.subtasks[number].scores for evaluation in evaluations)
        ]
        # the data seed the draw too, so a subtask's interval does not depend on its neighbours
        seeds = [seed, int(dataset.fingerprint[:8], 16)]
        scores = np.column_stack(columns)
        samples.append(
            bootstrap_correlations(dataset.gold, scores, resamples=resamples, seed=seeds)
        )
        progress(number + 1, len(datasets))
    return Bootstraps(tuple(evaluations), datasets, tuple(samples))


@dataclass(frozen=True)
class Row:
    """Comparison on one subtask; `corrected` is the decision after Holm's correction."""

    dataset: Dataset = field(repr=False)
    system: float | None
    baseline: float | None
    difference: Difference
    corrected: Decision


@dataclass(frozen=True)
class Comparison:
    """Comparison of a system with a baseline, as in the paper's table of significance."""

    system: Evaluation = field(repr=False)
    baseline: Evaluation = field(repr=False)
    rows: tuple[Row, ...]
    tasks: dict[str, Difference]
    overall: Difference  # of the mean over the tasks

    @property
    def counts(self) -> DecisionCounts:
        """Numbers of subtasks: better, worse and not significant by the intervals."""
        return DecisionCounts.of(row.difference.decision for row in self.rows)

    @property
    def corrected_counts(self) -> DecisionCounts:
        """Count decisions after Holm's correction."""
        return DecisionCounts.of(row.corrected for row in self.rows)


def compare_all(
    bootstraps: Bootstraps, pairs: Sequence[tuple[Evaluation, Evaluation]]
) -> list[Comparison]:
    """Compare systems with their baselines; Holm's correction spans all rows of all of them.

    Parameters
    ----------
    bootstraps : Bootstraps
        Resamples of all these evaluations.
    pairs : sequence of (Evaluation, Evaluation)
        Systems, each with its baseline.

    Returns
    -------
    list of Comparison
        One for each pair, in order.
    """
    found = [bootstraps.subtasks(a, b) for a, b in pairs]
    corrected = iter(holm_decisions([item for items in found for item in items]))
    results = []
    for (a, b), differences in zip(pairs, found, strict=True):
        rows = tuple(
            Row(left.dataset, left.pearson, right.pearson, item, next(corrected))
            for left, right, item in zip(a.subtasks, b.subtasks, differences, strict=True)
        )
        tasks = {name: bootstraps.mean(a, b, [name]) for name in bootstraps.tasks}
        results.append(Comparison(a, b, rows, tasks, bootstraps.mean(a, b)))
    return results
