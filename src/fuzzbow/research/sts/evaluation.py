"""Scores of systems on sets, correlations per subtask and task, and comparisons.

A task has three averages that must not be mixed up:

* mean: the mean of the subtasks' correlations, the paper's convention;
* weighted mean: each subtask counts by its number of pairs;
* all: one correlation over the pairs of all subtasks together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
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
from fuzzbow.research.evaluation.evaluation import measure_best
from fuzzbow.research.evaluation.results import SystemResult
from fuzzbow.research.evaluation.sets.scored import ScoredPairSet
from fuzzbow.research.evaluation.systems import ScoredCollection, Scoring, ScoringError
from fuzzbow.research.sts.cache import key_of, read_cached, write_cached
from fuzzbow.research.sts.datasets import SUBTASKS
from fuzzbow.research.sts.systems import TEXTS, System, UserMeasure, VectorSource, user_measure

CACHE_FORMAT = 3
AVERAGES = ("mean", "weighted_mean", "all")


@dataclass(frozen=True)
class SystemScorer:
    """Scorer of a system on vectors; the model is loaded when a score is not in the cache."""

    source: VectorSource
    system: System

    @property
    def scoring(self) -> Scoring:
        """System under evaluation."""
        return Scoring(self.system.name, lambda texts: ScoredCollection(list(texts), self.pairs))

    def pairs(self, lefts: Sequence[str], rights: Sequence[str]) -> Floats:
        """Score pairs, (n,); raise a `ScoringError` if the measure fails."""
        cache = self.source.cache
        key = "" if cache is None else self.key(lefts, rights)
        known = read_cached(cache, key)
        if known is not None:
            with suppress(InputError, TypeError, ValueError):  # a damaged entry is computed again
                return _checked(known, len(lefts))
        run = self._run  # options or vectors that cannot be used are errors of the whole run
        try:
            scores = _checked(run(lefts, rights), len(lefts))
        except MissingExtraError:
            raise
        except Exception as error:
            raise ScoringError(f"{type(error).__name__}: {error}") from error
        write_cached(cache, key, scores.tolist())
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

    def key(self, lefts: Sequence[str], rights: Sequence[str]) -> str:
        """Return a cache key of everything that decides the scores; user files are hashed."""
        user, system = self._user, self.system
        return key_of(
            CACHE_FORMAT,
            __version__,
            list(lefts),
            list(rights),
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
    sets: tuple[ScoredPairSet, ...] = field(repr=False)
    results: tuple[SystemResult, ...] = field(repr=False)  # on each set

    @property
    def subtasks(self) -> dict[str, SystemResult]:
        """Results by name of the set."""
        return dict(zip((item.name for item in self.sets), self.results, strict=True))

    @cached_property
    def tasks(self) -> dict[str, Task]:
        """Averages by name of the task."""
        found = list(zip(self.sets, self.results, strict=True))
        names = dict.fromkeys(item.task for item in self.sets)
        return {name: _task(name, [one for one in found if one[0].task == name]) for name in names}

    @property
    def mean_pearson(self) -> float | None:
        """Mean over the tasks."""
        return mean_of([task.pearson["mean"] for task in self.tasks.values()])

    @property
    def mean_spearman(self) -> float | None:
        """Mean over the tasks."""
        return mean_of([task.spearman["mean"] for task in self.tasks.values()])

    @property
    def notes(self) -> list[str]:
        """List missing parts as messages."""
        return [f"{name}: {task.note}" for name, task in self.tasks.items() if task.note]

    @property
    def failed(self) -> bool:
        """Return whether a subtask could not be scored."""
        return any(result.sample is None for result in self.results)


def evaluate(
    scorers: Sequence[SystemScorer],
    sets: Sequence[ScoredPairSet],
    *,
    progress: Progress = no_progress,
) -> list[Evaluation]:
    """Measure every set by every system; vectors are closed after their last system.

    Parameters
    ----------
    scorers : sequence of SystemScorer
        Systems on vectors.
    sets : sequence of ScoredPairSet
        Data, as `load_tasks` reads them.
    progress : function, optional
        Called with the number of measured sets and their total.
    """
    results = []
    for done, scorer in enumerate(scorers):
        system = replace(scorer).scoring  # so that its model ends with it
        found = []
        for number, item in enumerate(sets, start=1):
            found.append(measure_best(item, [system]))
            progress(done * len(sets) + number, len(scorers) * len(sets))
        results.append(Evaluation(scorer.source.label, scorer.system, tuple(sets), tuple(found)))
        if all(later.source is not scorer.source for later in scorers[done + 1 :]):
            scorer.source.release()
    return results


def _task(name: str, found: Sequence[tuple[ScoredPairSet, SystemResult]]) -> Task:
    used = [one for one in found if one[1].values["Pearson"] is not None]
    whole = max(len(SUBTASKS.get(name, ())), len(found))
    reasons = [
        f"{item.subtask or name}: {result.notes[-1]}"
        for item, result in found
        if result.values["Pearson"] is None
    ]
    if len(found) < whole:
        reasons.append(f"{whole - len(found)} not requested")
    note = f"averages over {len(used)} of {counted(whole, 'subtask')} ({'; '.join(reasons)})"
    if not used:
        return Task(whole, 0, dict.fromkeys(AVERAGES), dict.fromkeys(AVERAGES), note)
    sizes = np.array([len(item) for item, _ in used], dtype=np.float64)
    scores = np.concatenate([result.sample for _, result in used])
    gold = np.concatenate([item.gold for item, _ in used])
    averages: list[dict[str, float | None]] = []
    for metric, correlate in (("Pearson", pearson), ("Spearman", spearman)):
        each = np.array([result.values[metric] for _, result in used], dtype=np.float64)
        means = float(each.mean()), float(each @ sizes / sizes.sum()), correlate(scores, gold)
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
    samples: tuple[Bootstrap, ...] = field(repr=False)  # one per set, a column per evaluation

    @property
    def sets(self) -> tuple[ScoredPairSet, ...]:
        """Sets of all evaluations."""
        return self.evaluations[0].sets

    @property
    def tasks(self) -> list[str]:
        """Names of the tasks."""
        return list(dict.fromkeys(item.task for item in self.sets))

    def compare(
        self, a: Evaluation, b: Evaluation, tasks: Sequence[str] = ()
    ) -> tuple[Difference, list[Difference]]:
        """Compare `a` with `b` in the mean over some tasks, or all, and on each of their subtasks.

        The mean is that of the tasks, each the mean over its subtasks.
        """
        pairs = zip(self.sets, self.samples, strict=True)
        chosen = [(item.task, one) for item, one in pairs if not tasks or item.task in tasks]
        names, samples = [name for name, _ in chosen], [one for _, one in chosen]
        weights = [1.0 / (len(set(names)) * names.count(name)) for name in names]
        sides = self._column(a), self._column(b)
        mean = bootstrap.difference(samples, *sides, weights)
        return mean, [bootstrap.difference([sample], *sides) for sample in samples]

    def interval(self, evaluation: Evaluation, task: str) -> tuple[float, float] | None:
        """Compute the 95 % percentile interval of a task's mean, for error bars."""
        column, pairs = self._column(evaluation), zip(self.sets, self.samples, strict=True)
        resampled = [one.resampled[:, column] for item, one in pairs if item.task == task]
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
    """Resample every set, once for all evaluations.

    Parameters
    ----------
    evaluations : sequence of Evaluation
        Evaluations on the same sets; a subtask that failed is undefined.
    resamples, seed : int
        Number of resamples and their seed.
    progress : function, optional
        Called with the number of resampled sets and their total.
    """
    bootstrap.check_resamples(resamples)
    sets, samples = evaluations[0].sets, []
    for number, item in enumerate(sets):
        scores = [evaluation.results[number].sample for evaluation in evaluations]
        samples.append(item.bootstrap(scores, resamples=resamples, seed=seed)["Pearson"])
        progress(number + 1, len(sets))
    return Bootstraps(tuple(evaluations), tuple(samples))


@dataclass(frozen=True)
class Comparison:
    """Comparison of a system with a baseline, as in the paper's table of significance."""

    system: Evaluation = field(repr=False)
    baseline: Evaluation = field(repr=False)
    # by name of the subtask: correlations of both, fields of the difference, and `decision_holm`
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
        for name, item in zip(a.subtasks, differences, strict=True):
            left, right = (side.subtasks[name].values["Pearson"] for side in (a, b))
            sides = {"system": left, "baseline": right}
            rows[name] = sides | asdict(item) | {"decision_holm": next(corrected)}
        tasks = {name: bootstraps.compare(a, b, [name])[0] for name in bootstraps.tasks}
        results.append(Comparison(a, b, rows, tasks, overall))
    return results
