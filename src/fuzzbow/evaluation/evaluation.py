"""Models beside baselines on sets, with paired bootstrap intervals of their differences."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from fuzzbow.errors import InputError, check_count, nearest
from fuzzbow.evaluation.baselines import BASELINES
from fuzzbow.evaluation.results import EvaluationResult, SetResult, SystemResult
from fuzzbow.evaluation.sets import EvaluationSet, Measured, read_set
from fuzzbow.evaluation.systems import ModelSystem, System
from fuzzbow.measures import MEASURES
from fuzzbow.model import Model
from fuzzbow.progress import Progress, no_progress
from fuzzbow.sts.correlation import RESAMPLES
from fuzzbow.sts.significance import difference

FEWEST_RESAMPLES = 100
Models = Model | Iterable[Model] | Mapping[str, Model]


@dataclass(frozen=True)
class Entry:
    """A name with its variants, of which the best on a set stands for all."""

    name: str
    variants: Sequence[System]


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
    """Models on sets, each beside the baselines, with the differences from them.

    One of the `sets` is what `read_set` gives, or a path. The `models` go by the names of their
    measures, or by those of a mapping. The `baselines` are bm25, bm25-best, tfidf, char-tfidf
    or measures, which take the vectors of the first model; None stands for the usual ones of
    each kind of set, and an empty list for none. `progress` hears of the systems done, of how
    many. Intervals come from `resamples` of the queries or pairs.
    """
    if resamples < FEWEST_RESAMPLES:
        raise InputError(f"resamples must be at least {FEWEST_RESAMPLES}; got {resamples}")
    check_count(seed, "seed", least=0)
    given = [sets] if isinstance(sets, str | os.PathLike | EvaluationSet) else list(sets)
    if not given:
        raise InputError("sets must hold at least one; got none")
    found = [item if isinstance(item, EvaluationSet) else read_set(item) for item in given]
    entries = _models(models, threads)
    plans = [(item, _rivals(item, baselines, entries)) for item in found]
    total = sum(len(entries) + len(rivals) for _, rivals in plans)
    results: list[SetResult] = []
    for item, rivals in plans:
        done = sum(len(result.systems) for result in results)
        watch = _Watch(progress, done, total)
        results.append(_on_set(item, entries, rivals, resamples, seed, watch))
    return EvaluationResult(tuple(results), resamples, seed)


@dataclass
class _Watch:
    """Counts systems for whoever listens."""

    progress: Progress
    done: int
    total: int

    def step(self) -> None:
        self.done += 1
        self.progress(self.done, self.total)


def _models(models: Models, threads: int | None) -> list[Entry]:
    """Models under names that differ."""
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
    return [Entry(name, [ModelSystem(name, model, threads)]) for name, model in named]


def _rivals(item: EvaluationSet, names: Sequence[str] | None, models: list[Entry]) -> list[Entry]:
    """The baselines of a set; one that is among the models anyway is not run twice."""
    chosen = item.baselines if names is None else tuple(dict.fromkeys(names))
    return [
        next((entry for entry in models if entry.name == name), None) or _rival(name, models)
        for name in chosen
    ]


def _rival(name: str, models: list[Entry]) -> Entry:
    if name in BASELINES:
        return Entry(name, BASELINES[name]())
    if name not in MEASURES:
        known = [*BASELINES, *MEASURES]
        raise InputError(
            f"baseline must be one of {', '.join(BASELINES)}, or a measure;"
            f" got {name!r}{nearest(name, known)}"
        )
    first = models[0].variants[0]
    if not isinstance(first, ModelSystem):  # entries of models hold nothing else
        raise TypeError(type(first).__name__)
    return Entry(name, [replace(first, name=name, model=first.model.with_measure(name))])


def _on_set(
    item: EvaluationSet,
    models: list[Entry],
    rivals: list[Entry],
    resamples: int,
    seed: int,
    watch: _Watch,
) -> SetResult:
    """All systems on one set."""
    entries = list({entry.name: entry for entry in (*models, *rivals)}.values())
    measured = []
    for entry in entries:
        measured.append(_best(item, entry, seed))
        watch.step()
    baselines = tuple(entry.name for entry in rivals)
    names = [entry.name for entry in entries]
    drawn = item.bootstrap(measured, resamples=resamples, seed=seed) if rivals else {}
    systems = [
        SystemResult(
            name,
            found.values,
            found.notes,
            found.threshold,
            {
                other: {
                    metric: difference(sample, place, names.index(other))
                    for metric, sample in drawn.items()
                }
                for other in baselines
                if other != name and place < len(models)
            },
        )
        for place, (name, found) in enumerate(zip(names, measured, strict=True))
    ]
    return SetResult(item.name, item.kind, item.sizes, item.metrics, baselines, tuple(systems))


def _best(item: EvaluationSet, entry: Entry, seed: int) -> Measured:
    """The variant with the highest value of the set's first metric, the first of equals."""
    found: list[Measured] = []
    for system in entry.variants:
        one = item.measure(system, seed=seed)
        about = (system.note,) if system.note else ()
        found.append(replace(one, notes=(*about, *one.notes)))
    return max(found, key=lambda one: one.values[item.metrics[0]])
