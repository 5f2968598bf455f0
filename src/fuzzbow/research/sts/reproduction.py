"""Reproduction of the paper on given vectors: every system, table, comparison and claim.

A claim is tested by the BCa interval of the difference of means over the tasks. A claim of
several comparisons holds if all of them do, and does not hold if one is significantly the other
way. Claims are data (`data/study.json`); a kind of test is a function in TESTS.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np

from fuzzbow import __version__
from fuzzbow.errors import InputError
from fuzzbow.plurals import listed
from fuzzbow.progress import Progress, no_progress
from fuzzbow.research.bootstrap import RESAMPLES, DecisionCounts, Difference
from fuzzbow.research.sts.cache import Cache
from fuzzbow.research.sts.datasets import Dataset
from fuzzbow.research.sts.evaluation import (
    Bootstraps,
    Comparison,
    Evaluation,
    Frequencies,
    SystemScorer,
    bootstrap_all,
    compare_all,
    evaluate,
)
from fuzzbow.research.sts.paper import (
    OURS,
    needed_systems,
    paper,
    paper_vectors,
    published_rows,
    published_values,
    study,
)
from fuzzbow.research.sts.systems import TOKENIZER, VectorSource, parse_system

MEAN = "mean"
Stage = Callable[[str], AbstractContextManager[Progress]]
Found = Mapping[tuple[str, str], Evaluation]  # (label of vectors, name of system)


@dataclass(frozen=True)
class Cell:
    """Mean Pearson correlation × 100, ours and the paper's; `partial` if subtasks are missing."""

    ours: float | None = None
    published: float | None = None
    best: bool = False
    partial: bool = False

    @property
    def difference(self) -> float | None:
        """Our number less the paper's."""
        if self.ours is None or self.published is None:
            return None
        return self.ours - self.published


@dataclass(frozen=True)
class TableRow:
    """Row of one method; `measured` is False for rows that only repeat the paper."""

    group: str
    approach: str
    cells: tuple[Cell, ...]
    measured: bool = True
    note: str | None = None


@dataclass(frozen=True)
class PaperTable:
    """Table of the paper, with our numbers and the published ones."""

    key: str
    title: str
    source: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]


def make_tables(
    sources: Sequence[VectorSource], found: Found, tasks: Sequence[str]
) -> list[PaperTable]:
    """Make all of the paper's tables."""
    given = {source.paper.key for source in sources if source.paper is not None}
    tables = []
    for key, spec in study()["tables"].items():
        rows: list[TableRow] = []
        for source in sources:
            vectors = None if source.paper is None else source.paper.key
            group = []
            for approach, system in spec["rows"]:
                published = published_values(key, vectors, system)
                cells = _measured(found[source.label, system], tasks, published)
                group.append(TableRow(source.title, approach, cells))
            rows += _mark_best(group)
        names = {system: approach for approach, system in spec["rows"]}
        for known in paper_vectors():
            if known.key not in given:
                rows += _mark_best(
                    [
                        TableRow(known.title, names[system], _cells(values, tasks), False)
                        for vectors, system, values, _ in published_rows(key)
                        if vectors == known.key
                    ]
                )
        rows += [
            TableRow("literature", system, _cells(values, tasks), False, note)
            for _, system, values, note in published_rows(key, "literature")
        ]
        title, about, caption = spec["title"], spec["source"], spec["caption"]
        tables.append(PaperTable(key, title, about, caption, (*tasks, MEAN), tuple(rows)))
    return tables


def _measured(
    evaluation: Evaluation, tasks: Sequence[str], published: dict[str, float]
) -> tuple[Cell, ...]:
    """Make the cells of a measured row: our and the paper's numbers per task, and their mean."""
    cells = []
    for name, theirs in zip(tasks, _cells(published, tasks), strict=False):
        task = evaluation.task(name)
        ours = None if task is None else task.pearson["mean"]
        cells.append(replace(theirs, ours=ours, partial=task is None or not task.complete))
    mean = _cells(published, tasks)[-1]
    partial = any(cell.partial for cell in cells)
    return (*cells, replace(mean, ours=evaluation.mean_pearson, partial=partial))


def _cells(values: dict[str, float], tasks: Sequence[str]) -> tuple[Cell, ...]:
    """Make the cells of a published row, with the mean if the paper has all tasks."""
    numbers = [values[name] for name in tasks if name in values]
    mean = sum(numbers) / len(numbers) if numbers and len(numbers) == len(tasks) else None
    return (*(Cell(published=values.get(name)) for name in tasks), Cell(published=mean))


def _mark_best(rows: list[TableRow]) -> list[TableRow]:
    """Mark the best cells of each column; cells that are equal when printed tie."""
    marked = [list(row.cells) for row in rows]
    for column in range(len(rows[0].cells) if rows else 0):
        cells = [row.cells[column] for row in rows]
        values = [cell.ours if rows[0].measured else cell.published for cell in cells]
        printed = [None if value is None else round(value, 1) for value in values]
        best = max((value for value in printed if value is not None), default=None)
        for row, value in zip(marked, printed, strict=True):
            row[column] = replace(row[column], best=value is not None and value == best)
    return [replace(row, cells=tuple(cells)) for row, cells in zip(rows, marked, strict=True)]


Verdict = Literal["holds", "does not hold", "not significant", "not tested"]


@dataclass(frozen=True)
class Evidence:
    """Comparison that supports a verdict; `where` is one task or the mean over the tasks."""

    system: str
    baseline: str
    where: str
    difference: Difference
    counts: DecisionCounts
    verdict: Verdict


@dataclass(frozen=True)
class Outcome:
    """Result of testing a claim on one set of vectors."""

    verdict: Verdict
    evidence: tuple[Evidence, ...] = ()
    reason: str | None = None


@dataclass(frozen=True)
class Study:
    """All systems on one set of vectors."""

    evaluations: dict[str, Evaluation] = field(repr=False)
    bootstraps: Bootstraps = field(repr=False)
    paper_key: str | None = None
    supervised: bool = False

    def compared(
        self, a: str, b: str, tasks: Sequence[str] = ()
    ) -> tuple[Difference, DecisionCounts]:
        """Compare `a` with `b` in the mean over tasks, and count decisions on their subtasks."""
        left, right = self.evaluations[a], self.evaluations[b]
        parts = self.bootstraps.subtasks(left, right, tasks)
        counts = DecisionCounts.of(item.decision for item in parts)
        return self.bootstraps.mean(left, right, tasks), counts


@dataclass(frozen=True)
class Claim:
    """Claim of the paper, or of ours, and its test: a name in TESTS and pairs of systems."""

    key: str
    sentence: str
    place: str
    test: str
    pairs: Sequence[Sequence[str]]
    by: float = 0.0  # points by which the first must be better
    within: float = 0.0  # points within which both are equal
    ours: bool = False
    unsupervised_only: bool = False  # about vectors trained without labels
    only_on: Sequence[str] = ()  # certain vectors of the paper

    def judge(self, study: Study) -> Outcome:
        """Test the claim on one set of vectors."""
        if self.unsupervised_only and study.supervised:
            return Outcome("not tested", reason="the vectors were trained on paraphrases")
        if self.only_on and study.paper_key not in self.only_on:
            about = listed([item.title for item in paper_vectors() if item.key in self.only_on])
            return Outcome("not tested", reason=f"the claim is about {about}")
        evidence = tuple(TESTS[self.test](self, study))
        verdicts = [item.verdict for item in evidence]
        decisives: tuple[Verdict, ...] = ("not tested", "does not hold", "not significant")
        for decisive in decisives:
            if decisive in verdicts:
                reason = "a correlation is undefined" if decisive == "not tested" else None
                return Outcome(decisive, evidence, reason)
        return Outcome("holds", evidence)


def beats(claim: Claim, study: Study) -> Iterator[Evidence]:
    """Test whether each first system is better than its second by more than `by` points."""
    for a, b in claim.pairs:
        item, counts = study.compared(a, b)
        yield Evidence(a, b, "mean of tasks", item, counts, _above(item, claim.by))


def beats_every_task(claim: Claim, study: Study) -> Iterator[Evidence]:
    """Test whether the first system is better in the mean of every task."""
    for a, b in claim.pairs:
        for task in study.bootstraps.tasks:
            item, counts = study.compared(a, b, [task])
            yield Evidence(a, b, task, item, counts, _above(item, claim.by))


def equals(claim: Claim, study: Study) -> Iterator[Evidence]:
    """Test whether the interval of the difference is within ± `within` points."""
    limit = claim.within
    for a, b in claim.pairs:
        item, counts = study.compared(a, b)
        verdict: Verdict = "not significant"
        if item.low is None or item.high is None:
            verdict = "not tested"
        elif -limit < item.low and item.high < limit:
            verdict = "holds"
        elif item.low > limit or item.high < -limit:
            verdict = "does not hold"
        yield Evidence(a, b, "mean of tasks", item, counts, verdict)


def wins_most_subtasks(claim: Claim, study: Study) -> Iterator[Evidence]:
    """Test for significant wins on most subtasks, and losses on at most one in twenty."""
    for a, b in claim.pairs:
        item, counts = study.compared(a, b)
        good = counts.better > counts.total / 2 and counts.worse <= counts.total / 20
        verdict: Verdict = "holds" if good else "does not hold"
        yield Evidence(a, b, "subtasks", item, counts, verdict)


def _above(item: Difference, limit: float) -> Verdict:
    if item.low is None or item.high is None:
        return "not tested"
    if item.low > limit:
        return "holds"
    return "does not hold" if item.high < limit else "not significant"


TESTS: dict[str, Callable[[Claim, Study], Iterable[Evidence]]] = {
    test.__name__: test for test in (beats, beats_every_task, equals, wins_most_subtasks)
}


@dataclass(frozen=True)
class Reproduction:
    """Every number of the report."""

    sources: tuple[VectorSource, ...]
    datasets: tuple[Dataset, ...]
    found: Found = field(repr=False)
    bootstraps: Bootstraps = field(repr=False)
    tables: tuple[PaperTable, ...]
    comparisons: tuple[Comparison, ...]  # the paper's, one for each set of vectors
    own_comparisons: tuple[Comparison, ...]  # weighted-jaccard against the same baseline
    claims: tuple[Claim, ...]
    outcomes: dict[str, dict[str, Outcome]]  # label of vectors -> claim -> outcome
    settings: dict[str, Any]

    @property
    def tasks(self) -> list[str]:
        """Names of the tasks, in order."""
        return self.bootstraps.tasks

    @property
    def notes(self) -> list[str]:
        """List missing numbers."""
        return [
            f"{evaluation.vectors}, {evaluation.system.name}, {note}"
            for evaluation in self.found.values()
            for note in evaluation.notes
        ]

    @property
    def counts(self) -> DecisionCounts:
        """Decisions of DynaMax against the baseline, over all vectors and subtasks."""
        rows = [row for item in self.comparisons for row in item.rows]
        return DecisionCounts.of(row.difference.decision for row in rows)

    @property
    def verdicts(self) -> dict[str, dict[str, int]]:
        """Label of vectors -> verdict -> number of the paper's claims."""
        keys = [claim.key for claim in self.claims if not claim.ours]
        return {
            label: {
                verdict: sum(outcomes[key].verdict == verdict for key in keys)
                for verdict in get_args(Verdict)
            }
            for label, outcomes in self.outcomes.items()
        }


def reproduce(
    sources: Sequence[VectorSource],
    datasets: Sequence[Dataset],
    *,
    frequencies: Frequencies = Frequencies(),  # noqa: B008 - it is frozen
    tokenizer: str = TOKENIZER,
    resamples: int = RESAMPLES,
    seed: int = 0,
    cache: Cache | None = None,
    stage: Stage = lambda name: nullcontext(no_progress),
) -> Reproduction:
    """Run every system of the paper on every set of vectors and all datasets.

    Parameters
    ----------
    sources : sequence of VectorSource
        Word vectors, as `parse_sources` makes them.
    datasets : sequence of Dataset
        Data, as `load_tasks` reads them.
    frequencies : Frequencies
        Frequencies of words, for SIF.
    tokenizer : str
        Name of the tokenizer.
    resamples, seed : int
        Resamples of the intervals and their seed.
    cache : Cache, optional
        Cache of scores between runs.
    stage : function
        From the name of a stage to a context with its progress.

    Returns
    -------
    Reproduction
        Every number of the report, for `report.render_report`.
    """
    if not sources:
        raise InputError("at least one set of vectors must be given")
    names = needed_systems()
    scorers = [
        SystemScorer(source, parse_system(name, tokenizer=tokenizer), frequencies, cache)
        for source in sources
        for name in names
    ]
    with stage("evaluating") as progress:
        evaluations = evaluate(scorers, datasets, progress=progress)
    with stage("resampling") as progress:
        bootstraps = bootstrap_all(evaluations, resamples=resamples, seed=seed, progress=progress)
    keys = [(source.label, name) for source in sources for name in names]
    found = dict(zip(keys, evaluations, strict=True))
    published = paper()["significance"]
    compared = [
        compare_all(
            bootstraps,
            [(found[x.label, name], found[x.label, published["baseline"]]) for x in sources],
        )
        for name in (published["system"], OURS)
    ]
    claims = tuple(Claim(**claim) for claim in study()["claims"])
    outcomes = {}
    for source in sources:
        known = source.paper
        judged = Study(
            {name: found[source.label, name] for name in names},
            bootstraps,
            None if known is None else known.key,
            known is not None and known.supervised,
        )
        outcomes[source.label] = {claim.key: claim.judge(judged) for claim in claims}
    return Reproduction(
        sources=tuple(sources),
        datasets=tuple(datasets),
        found=found,
        bootstraps=bootstraps,
        tables=tuple(make_tables(sources, found, bootstraps.tasks)),
        comparisons=tuple(compared[0]),
        own_comparisons=tuple(compared[1]),
        claims=claims,
        outcomes=outcomes,
        settings={
            "resamples": resamples,
            "seed": seed,
            "tokenizer": tokenizer,
            "counts": frequencies.title,
            "fuzzbow": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
        },
    )
