"""Evaluation of models and baselines on sets, with paired bootstrap intervals of differences."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from fuzzbow.errors import InputError, check_count, nearest
from fuzzbow.measures import MEASURES
from fuzzbow.model import Model
from fuzzbow.progress import Progress, no_progress
from fuzzbow.research.bootstrap import RESAMPLES, check_resamples, difference
from fuzzbow.research.evaluation.results import EvaluationResult, SetResult, SystemResult
from fuzzbow.research.evaluation.sets import EvaluationSet, Measured, read_set
from fuzzbow.research.evaluation.systems import BASELINES, ModelSystem, Scoring

Models = Model | Iterable[Model] | Mapping[str, Model]
Variants = Sequence[Scoring]  # the best on a set is reported


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
        model. None stands for the usual ones of each kind of set, an empty list for none.
    resamples, seed : int
        Resamples of the queries or pairs for intervals; seed of resamples and order of ties.
    threads : int, optional
        Number of threads; all cores unless given.
    progress : function, optional
        Called with the number of evaluated systems and of all.

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
    systems = _systems(models, threads)
    plans = [(item, _rivals(item, baselines, systems)) for item in found]
    total = sum(len(systems) + len(rivals) for _, rivals in plans)
    results: list[SetResult] = []
    done = 0
    for item, rivals in plans:
        entries: dict[str, Variants] = {name: [system] for name, system in systems.items()} | rivals
        measured = {}
        for name, variants in entries.items():
            measured[name] = _best(item, variants, seed)
            done += 1
            progress(done, total)
        results.append(_compared(item, measured, list(systems), list(rivals), resamples, seed))
    return EvaluationResult(tuple(results), resamples, seed)


def _systems(models: Models, threads: int | None) -> dict[str, ModelSystem]:
    """Return the models as systems by name; names must differ."""
    if isinstance(models, Mapping):
        named = list(models.items())
    else:
        several = [models] if isinstance(models, Model) else list(models)
        named = [(model.spec.name, model) for model in several]
    names = [name for name, _ in named]
    if not names:
        raise InputError("models must hold at least one; got none")
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise InputError(
            f"models must have names that differ; got {', '.join(repeated)} more than once"
            " (a mapping gives them others)"
        )
    return {name: ModelSystem(name, model, threads) for name, model in named}


def _rivals(
    item: EvaluationSet, names: Sequence[str] | None, systems: dict[str, ModelSystem]
) -> dict[str, Variants]:
    """Return the systems of the baselines; one that is also a model is that model."""
    first = next(iter(systems.values()))
    rivals: dict[str, Variants] = {}
    for name in item.baselines if names is None else names:
        if name in systems:
            rivals[name] = [systems[name]]
        elif name in BASELINES:
            rivals[name] = BASELINES[name]()
        elif name in MEASURES:
            rivals[name] = [replace(first, name=name, model=first.model.with_measure(name))]
        else:
            raise InputError(
                f"baseline must be one of {', '.join(BASELINES)}, or a measure;"
                f" got {name!r}{nearest(name, [*BASELINES, *MEASURES])}"
            )
    return rivals


def _best(item: EvaluationSet, variants: Variants, seed: int) -> Measured:
    """Return the variant with the highest value of the set's first metric, the first of equals."""
    found = []
    for system in variants:
        one = item.measure(system, seed=seed)
        about = (system.note,) if system.note else ()
        found.append(replace(one, notes=(*about, *one.notes)))
    return max(found, key=lambda one: one.values[item.metrics[0]])


def _compared(
    item: EvaluationSet,
    measured: dict[str, Measured],
    models: list[str],
    baselines: list[str],
    resamples: int,
    seed: int,
) -> SetResult:
    """Compare models with baselines on one set."""
    names, found = list(measured), list(measured.values())
    drawn = item.bootstrap(found, resamples=resamples, seed=seed) if baselines else {}
    systems = []
    for number, (name, one) in enumerate(measured.items()):
        others = [other for other in baselines if other != name and name in models]
        differences = {
            other: {
                metric: difference(sample, number, names.index(other))
                for metric, sample in drawn.items()
            }
            for other in others
        }
        systems.append(SystemResult(name, one.values, one.notes, one.threshold, differences))
    return SetResult(
        item.name, item.kind, item.sizes, item.metrics, tuple(baselines), tuple(systems)
    )
