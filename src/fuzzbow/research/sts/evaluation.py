"""Scores of systems on datasets, correlations per subtask and task, and comparisons.

A task has three averages that must not be mixed up:

* mean: the mean of the subtasks' correlations, the paper's convention;
* weighted mean: each subtask counts by its number of pairs;
* all: one correlation over the pairs of all subtasks together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
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
from fuzzbow.research import bootstrap
from fuzzbow.research.bootstrap import Bootstrap, Difference, count_decisions, pearson, spearman
from fuzzbow.research.sts.cache import key_of, read_cached, write_cached
from fuzzbow.research.sts.datasets import SUBTASKS, Dataset
from fuzzbow.research.sts.systems import TEXTS, System, UserMeasure, VectorSource, user_measure

CACHE_FORMAT = 2
AVERAGES = ("mean", "weighted_mean", "all")


@dataclass(frozen=True)
class SystemScorer:
    """Scorer of a system on vectors; the model is loaded when a score is not in the cache."""

    source: VectorSource
    system: System

    def score(self, dataset: Dataset) -> Floats | str:
        """Score all pairs of a `dataset`, (n,); an error of the measure is returned as a text."""
        cache = self.source.cache
        key = "" if cache is None else self.key(dataset)
        known = read_cached(cache, "scores", key, "scores")
        if known is not None:
            try:
                return _checked(known, len(dataset))
            except (InputError, TypeError, ValueError):
                pass  # a damaged entry is computed again
        run = self._run  # options or vectors that cannot be used are errors of the whole run
        try:
            scores = _checked(run(dataset.lefts, dataset.rights), len(dataset))
        except MissingExtraError:
            raise
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        facts = {"system": self.system.name, "vectors": self.source.label, "data": dataset.key}
        write_cached(cache, "scores", key, {**facts, "scores": scores.tolist()})
        return scores

    @cached_property
    def _user(self) -> UserMeasure | None:
        return user_measure(self.system.measure)

    @cached_property
    def _run(self) -> Callable[[Sequence[str], Sequence[str]], Any]:
        """Function from two lists of texts to scores."""
        user = self._user
        if user is not None and user.parameters == TEXTS:
            return lambda lefts, rights: user.function(list(lefts), list(rights))
        spec: ModelSpec = replace(self.system, source=self.source.vectors)
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
            self._counts,
        )

    @cached_property
    def _counts(self) -> str | None:
        """Name of the source of word frequencies, or hash of their file."""
        counts = self.system.counts
        if counts in (None, "rank", "wordfreq"):
            return counts
        path = Path(str(counts))
        if not path.is_file():
            raise InputError(f"counts must be a file, 'wordfreq' or 'rank'; got '{path}'")
        return hashlib.sha256(path.read_bytes()).hexdigest()


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
    """Result of one system on one dataset, which failed without scores; `note` says why."""

    dataset: Dataset = field(repr=False)
    scores: Floats | None = field(repr=False)  # (n,)
    pearson: float | None = None
    spearman: float | None = None
    note: str | None = None


@dataclass(frozen=True)
class Task:
    """Result of one system on a task; `note` lists subtasks outside the averages."""

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
    tasks: dict[str, Task]  # by name
    mean_pearson: float | None
    mean_spearman: float | None

    @property
    def notes(self) -> list[str]:
        """List missing parts as messages."""
        return [f"{name}: {task.note}" for name, task in self.tasks.items() if task.note]

    @property
    def failed(self) -> bool:
        """Return whether a subtask could not be scored."""
        return any(subtask.scores is None for subtask in self.subtasks)


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
        return Subtask(dataset, None, note=f"failed ({scores})")
    linear, ranked = pearson(scores, dataset.gold), spearman(scores, dataset.gold)
    if linear is not None and ranked is not None:
        return Subtask(dataset, scores, linear, ranked)
    side = "gold scores" if np.ptp(dataset.gold) == 0.0 else "scores of the system"
    return Subtask(dataset, scores, note=f"correlation undefined: all {side} are the same")


def summarise(vectors: str, system: System, subtasks: Sequence[Subtask]) -> Evaluation:
    """Average correlations per task and over the tasks."""
    names = dict.fromkeys(part.dataset.task for part in subtasks)
    tasks = {
        name: _task(name, [part for part in subtasks if part.dataset.task == name])
        for name in names
    }
    means = (
        mean_of([sides["mean"] for sides in found])
        for found in zip(*((task.pearson, task.spearman) for task in tasks.values()), strict=True)
    )
    return Evaluation(vectors, system, tuple(subtasks), tasks, *means)


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
        return Task(whole, 0, dict.fromkeys(AVERAGES), dict.fromkeys(AVERAGES), note)
    sizes = np.array([len(subtask.dataset) for subtask in used], dtype=np.float64)
    scores = np.concatenate([part.scores for part in used if part.scores is not None])
    gold = np.concatenate([part.dataset.gold for part in used])
    averages: list[dict[str, float | None]] = []
    for kind, correlate in (("pearson", pearson), ("spearman", spearman)):
        found = np.array([getattr(part, kind) for part in used], dtype=np.float64)
        means = float(found.mean()), float(found @ sizes / sizes.sum()), correlate(scores, gold)
        averages.append(dict(zip(AVERAGES, means, strict=True)))
    return Task(whole, len(used), averages[0], averages[1], note if reasons else None)


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

    def compare(
        self, a: Evaluation, b: Evaluation, tasks: Sequence[str] = ()
    ) -> tuple[Difference, list[Difference]]:
        """Compare `a` with `b` in the mean over some tasks, or all, and on each of their subtasks.

        The mean is that of the tasks, each the mean over its subtasks.
        """
        pairs = zip(self.datasets, self.samples, strict=True)
        chosen = [(data.task, item) for data, item in pairs if not tasks or data.task in tasks]
        names, samples = [name for name, _ in chosen], [item for _, item in chosen]
        weights = [1.0 / (len(set(names)) * names.count(name)) for name in names]
        sides = self._column(a), self._column(b)
        mean = bootstrap.difference(samples, *sides, weights)
        return mean, [bootstrap.difference([sample], *sides) for sample in samples]

    def interval(self, evaluation: Evaluation, task: str) -> tuple[float, float] | None:
        """Compute the 95 % percentile interval of a task's mean, for error bars."""
        column, pairs = self._column(evaluation), zip(self.datasets, self.samples, strict=True)
        resampled = [item.resampled[:, column] for data, item in pairs if data.task == task]
        means = np.mean(resampled, axis=0)
        means = means[np.isfinite(means)]
        if not len(means):
            return None
        low, high = np.quantile(means, [0.025, 0.975]).tolist()
        return low, high

    def _column(self, evaluation: Evaluation) -> int:
        same = (number for number, other in enumerate(self.evaluations) if other is evaluation)
        return next(same)


def bootstrap_all(
    evaluations: Sequence[Evaluation],
    *,
    resamples: int = bootstrap.RESAMPLES,
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
    """
    bootstrap.check_resamples(resamples)
    datasets = tuple(subtask.dataset for subtask in evaluations[0].subtasks)
    samples = []
    for number, dataset in enumerate(datasets):
        missing = np.zeros(len(dataset))  # constant, so its correlation is undefined
        found = (evaluation.subtasks[number].scores for evaluation in evaluations)
        scores = np.column_stack([missing if column is None else column for column in found])
        # the data seed the draw too, so a subtask's interval does not depend on its neighbours
        seeds = [seed, int(dataset.fingerprint[:8], 16)]
        samples.append(
            bootstrap.bootstrap_correlations(dataset.gold, scores, resamples=resamples, seed=seeds)
        )
        progress(number + 1, len(datasets))
    return Bootstraps(tuple(evaluations), datasets, tuple(samples))


@dataclass(frozen=True)
class Comparison:
    """Comparison of a system with a baseline, as in the paper's table of significance."""

    system: Evaluation = field(repr=False)
    baseline: Evaluation = field(repr=False)
    # by key of the subtask: correlations of both, fields of the difference, and `decision_holm`
    rows: dict[str, dict[str, Any]]
    tasks: dict[str, Difference]
    overall: Difference  # of the mean over the tasks

    @property
    def counts(self) -> dict[str, int]:
        """Numbers of subtasks: better, worse and not significant by the intervals."""
        return count_decisions(row["decision"] for row in self.rows.values())

    @property
    def counts_holm(self) -> dict[str, int]:
        """Numbers of subtasks by decision after Holm's correction."""
        return count_decisions(row["decision_holm"] for row in self.rows.values())


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
    """
    found = [bootstraps.compare(a, b) for a, b in pairs]
    corrected = iter(bootstrap.holm_decisions([item for _, items in found for item in items]))
    results = []
    for (a, b), (overall, differences) in zip(pairs, found, strict=True):
        rows = {}
        for left, right, item in zip(a.subtasks, b.subtasks, differences, strict=True):
            sides = {"system": left.pearson, "baseline": right.pearson}
            rows[left.dataset.key] = sides | asdict(item) | {"decision_holm": next(corrected)}
        tasks = {name: bootstraps.compare(a, b, [name])[0] for name in bootstraps.tasks}
        results.append(Comparison(a, b, rows, tasks, overall))
    return results
