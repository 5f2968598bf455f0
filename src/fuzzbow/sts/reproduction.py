"""All of the paper on the vectors at hand: compute everything once, render it elsewhere."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

import numpy as np

from fuzzbow import __version__
from fuzzbow.errors import InputError
from fuzzbow.progress import Progress, no_progress
from fuzzbow.sts.cache import Cache
from fuzzbow.sts.claims import Claim, Outcome, Study, judge
from fuzzbow.sts.comparison import Bootstraps, Comparison, bootstrap_all, compare_all
from fuzzbow.sts.correlation import RESAMPLES
from fuzzbow.sts.datasets import Dataset
from fuzzbow.sts.evaluation import evaluate
from fuzzbow.sts.paper_claims import CLAIMS
from fuzzbow.sts.published import paper
from fuzzbow.sts.scoring import Frequencies, Scorer
from fuzzbow.sts.significance import Counts, count_decisions
from fuzzbow.sts.sources import Source
from fuzzbow.sts.systems import TOKENIZER, System, parse_system
from fuzzbow.sts.tables import OURS, Found, ResultTable, make_tables, needed_systems

Stage = Callable[[str], AbstractContextManager[Progress]]


@dataclass(frozen=True)
class Settings:
    """Settings of a run, for the report."""

    resamples: int
    seed: int
    tokenizer: str
    counts: str
    fuzzbow: str = __version__
    python: str = field(default_factory=platform.python_version)
    numpy: str = np.__version__


@dataclass(frozen=True)
class Reproduction:
    """Every number of the report."""

    sources: tuple[Source, ...]
    datasets: tuple[Dataset, ...]
    found: Found = field(repr=False)
    bootstraps: Bootstraps = field(repr=False)
    tables: tuple[ResultTable, ...]
    comparisons: tuple[Comparison, ...]  # the paper's, one for each set of vectors
    own_comparisons: tuple[Comparison, ...]  # weighted-jaccard against the same baseline
    claims: tuple[Claim, ...]
    outcomes: dict[str, dict[str, Outcome]]  # label of vectors -> claim -> outcome
    settings: Settings

    @property
    def tasks(self) -> list[str]:
        """Names of the tasks, in order."""
        return list(dict.fromkeys(dataset.task for dataset in self.datasets))

    @property
    def notes(self) -> list[str]:
        """List missing numbers."""
        return [
            f"{evaluation.vectors}, {evaluation.system.name}, {note}"
            for evaluation in self.found.values()
            for note in evaluation.notes
        ]

    @property
    def counts(self) -> Counts:
        """DynaMax against the baseline, over all vectors and subtasks."""
        return count_decisions(
            row.difference.decision for item in self.comparisons for row in item.rows
        )


def reproduce(
    sources: Sequence[Source],
    datasets: Sequence[Dataset],
    *,
    frequencies: Frequencies = Frequencies(),  # noqa: B008 - it is frozen
    tokenizer: str = TOKENIZER,
    resamples: int = RESAMPLES,
    seed: int = 0,
    cache: Cache | None = None,
    stage: Stage = lambda name: nullcontext(no_progress),
) -> Reproduction:
    """Run every system of the paper on every set of vectors, `sources`, and all `datasets`.

    `frequencies` are those of words, `tokenizer` names how texts are split, and intervals come
    from `resamples`. A `cache` keeps scores between runs; `stage` shows progress.
    """
    if not sources:
        raise InputError("at least one set of vectors must be given")
    names = needed_systems()
    scorers = [
        Scorer(source, _named(name, tokenizer), frequencies, cache)
        for source in sources
        for name in names
    ]
    with stage("evaluating") as progress:
        evaluations = evaluate(scorers, datasets, progress=progress)
    with stage("resampling") as progress:
        bootstraps = bootstrap_all(evaluations, resamples=resamples, seed=seed, progress=progress)
    keys = [(source.label, name) for source in sources for name in names]
    found = dict(zip(keys, evaluations, strict=True))
    tasks = list(dict.fromkeys(dataset.task for dataset in datasets))
    return Reproduction(
        sources=tuple(sources),
        datasets=tuple(datasets),
        found=found,
        bootstraps=bootstraps,
        tables=tuple(make_tables(sources, found, tasks)),
        comparisons=tuple(_against_baseline(bootstraps, sources, found, None)),
        own_comparisons=tuple(_against_baseline(bootstraps, sources, found, OURS)),
        claims=CLAIMS,
        outcomes={source.label: _judged(source, found, bootstraps) for source in sources},
        settings=Settings(resamples, seed, tokenizer, frequencies.title),
    )


def _named(name: str, tokenizer: str) -> System:
    return parse_system(name, tokenizer=tokenizer)


def _against_baseline(
    bootstraps: Bootstraps, sources: Sequence[Source], found: Found, system: str | None
) -> list[Comparison]:
    """A system (the paper's unless named) against the paper's baseline on each set of vectors."""
    published = paper()["significance"]
    first = system or published["system"]
    pairs = [
        (found[source.label, first], found[source.label, published["baseline"]])
        for source in sources
    ]
    return compare_all(bootstraps, pairs)


def _judged(source: Source, found: Found, bootstraps: Bootstraps) -> dict[str, Outcome]:
    """Every claim on one set of vectors."""
    paper_vectors = source.paper
    study = Study(
        source.label,
        {name: item for (label, name), item in found.items() if label == source.label},
        bootstraps,
        None if paper_vectors is None else paper_vectors.key,
        paper_vectors is not None and paper_vectors.supervised,
    )
    return judge(CLAIMS, study)
