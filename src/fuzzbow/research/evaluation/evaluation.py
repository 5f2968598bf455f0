"""Evaluation of models and baselines on sets, with paired bootstrap intervals of differences."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from fuzzbow.errors import InputError, check_count, nearest
from fuzzbow.measures import MEASURES
from fuzzbow.model import Model
from fuzzbow.progress import Progress, no_progress
from fuzzbow.research.bootstrap import RESAMPLES, check_resamples, difference
from fuzzbow.research.evaluation.results import EvaluationResult, SetResult, SystemResult
from fuzzbow.research.evaluation.sets import EvaluationSet, read_set
from fuzzbow.research.evaluation.systems import BASELINES, Scoring, ScoringError, model_system

Models = Model | Iterable[Model] | Mapping[str, Model]


def evaluate(
    sets: str | os.PathLike[str] | EvaluationSet | Iterable[str | os.PathLike[str] | EvaluationSet],
    models: Models,
    *,
    baselines: Sequence[str] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = no_progress,
) -> EvaluationResult:
    """Evaluate models on sets, with their differences from baselines.

    Parameters
    ----------
    sets : path, EvaluationSet, or an iterable of them
        Sets, as `read_set` makes them.
    models : Model, iterable of Model, or mapping of str to Model
        Models by the names of their measures, or by those of a mapping.
    baselines : sequence of str, optional
        bm25, bm25-best, tfidf, char-tfidf or measures, which take the vectors of the first
        model. None means the defaults of each kind of set, an empty list none.
    resamples, seed : int
        Resamples of the queries or pairs for intervals; seed of resamples and order of ties.
    threads : int, optional
        Number of threads; all cores unless given.
    progress : function, optional
        Called with the number of evaluated systems and their total.

    Returns
    -------
    EvaluationResult

    Raises
    ------
    InputError
        If a set cannot be read, or a choice is unknown.
    """
    check_resamples(resamples)
    check_count(seed, "seed", least=0)
    given = [sets] if isinstance(sets, str | os.PathLike | EvaluationSet) else list(sets)
    if not given:
        raise InputError("sets must hold at least one; got none")
    found = [item if isinstance(item, EvaluationSet) else read_set(item) for item in given]
    named = _by_name(models)
    systems = {name: [model_system(name, model, threads)] for name, model in named.items()}
    first = next(iter(named.values()))
    plans = [
        {
            name: systems.get(name) or _baseline(name, first, threads)
            for name in (item.baselines if baselines is None else baselines)
        }
        for item in found
    ]
    total = sum(len(systems) + len(rivals) for rivals in plans)
    results: list[SetResult] = []
    done = 0
    for item, rivals in zip(found, plans, strict=True):
        measured = {}
        for name, variants in {**systems, **rivals}.items():
            measured[name] = measure_best(item, variants, seed)
            done += 1
            progress(done, total)
        results.append(_compare(item, measured, list(systems), list(rivals), resamples, seed))
    return EvaluationResult(tuple(results), resamples, seed)


def measure_best(item: EvaluationSet, variants: Sequence[Scoring], seed: int = 0) -> SystemResult:
    """Measure variants of a system on a set, and return the best; the first of equals."""

    def main_value(found: SystemResult) -> float:
        value = found.values[item.metrics[0]]
        return -math.inf if value is None else value

    try:
        return max((item.measure(system, seed=seed) for system in variants), key=main_value)
    except ScoringError as error:
        undefined = dict.fromkeys(item.metrics)
        return SystemResult(variants[0].name, undefined, (f"failed ({error})",))


def _by_name(models: Models) -> dict[str, Model]:
    """Return the models by name; names must differ."""
    if not isinstance(models, Mapping):
        several = [models] if isinstance(models, Model) else list(models)
        names = [model.spec.name for model in several]
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise InputError(
                f"models must have names that differ; got {', '.join(repeated)} more than once"
                " (a mapping gives them others)"
            )
        models = dict(zip(names, several, strict=True))
    if not models:
        raise InputError("models must hold at least one; got none")
    return dict(models)


def _baseline(name: str, first: Model, threads: int | None) -> list[Scoring]:
    """Return the variants of a baseline, of which the best on a set is reported."""
    if name in BASELINES:
        return BASELINES[name]()
    if name in MEASURES:
        return [model_system(name, first.with_measure(name), threads)]
    raise InputError(
        f"baseline must be one of {', '.join(BASELINES)}, or a measure;"
        f" got {name!r}{nearest(name, [*BASELINES, *MEASURES])}"
    )


def _compare(
    item: EvaluationSet,
    measured: dict[str, SystemResult],
    models: list[str],
    baselines: list[str],
    resamples: int,
    seed: int,
) -> SetResult:
    """Compare models with baselines on one set."""
    names, samples = list(measured), [result.sample for result in measured.values()]
    drawn = item.bootstrap(samples, resamples=resamples, seed=seed) if baselines else {}
    systems = []
    for number, (name, result) in enumerate(measured.items()):
        differences = {
            other: {
                metric: difference([sample], number, names.index(other))
                for metric, sample in drawn.items()
            }
            for other in baselines
            if other != name and name in models
        }
        systems.append(replace(result, differences=differences))
    return SetResult(
        item.name, item.kind, item.sizes, item.metrics, tuple(baselines), tuple(systems)
    )
