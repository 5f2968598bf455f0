"""Reproduction of the paper on given vectors: every system, table, comparison and claim.

A claim is tested by the BCa interval of the difference of means over the tasks. A claim of
several comparisons holds if all of them do, and does not hold if one is significantly the other
way. Claims are data (`data/study.json`); a kind of test is an entry of TESTS.

Tables and outcomes are plain data, as in `report.json`. A cell of a table is the mean Pearson
correlation × 100, `ours` and `published`; it is `partial` if subtasks are missing, and `best` in
its column among the rows of its vectors. Rows that only repeat the paper are not `measured`.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from fuzzbow import __version__
from fuzzbow.errors import InputError
from fuzzbow.plurals import listed
from fuzzbow.progress import Progress, no_progress
from fuzzbow.research.bootstrap import RESAMPLES, Difference, count_decisions
from fuzzbow.research.evaluation.sets.scored import ScoredPairSet
from fuzzbow.research.sts import paper
from fuzzbow.research.sts.evaluation import (
    Bootstraps,
    Comparison,
    Evaluation,
    SystemScorer,
    bootstrap_all,
    compare_all,
    evaluate,
)
from fuzzbow.research.sts.systems import DEFAULT_SYSTEM, System, VectorSource, parse_system

MEAN = "mean"
Stage = Callable[[str], AbstractContextManager[Progress]]
Found = Mapping[tuple[str, str], Evaluation]  # (label of vectors, name of system)
Plain = dict[str, Any]


def make_tables(sources: Sequence[VectorSource], found: Found, tasks: Sequence[str]) -> list[Plain]:
    """Make all of the paper's tables."""
    given = {source.paper["key"] for source in sources if source.paper is not None}
    tables = []
    for key, spec in paper.study()["tables"].items():
        rows = []
        for source in sources:
            vectors = None if source.paper is None else source.paper["key"]
            group = []
            for approach, system in spec["rows"]:
                values = paper.published_values(key, vectors, system)
                cells = _cells(values, tasks, found[source.label, system])
                group.append(_row(source.title, approach, cells, measured=True))
            rows += _mark_best(group, "ours")
        names = {system: approach for approach, system in spec["rows"]}
        for known in paper.study()["vectors"]:
            if known["key"] not in given:
                group = [
                    _row(known["title"], names[system], _cells(values, tasks))
                    for vectors, system, values, _ in paper.published_rows(key)
                    if vectors == known["key"]
                ]
                rows += _mark_best(group, "published")
        rows += [
            _row("literature", system, _cells(values, tasks), note)
            for _, system, values, note in paper.published_rows(key, "literature")
        ]
        head = {name: spec[name] for name in ("title", "source", "caption")}
        tables.append({"key": key, **head, "columns": [*tasks, MEAN], "rows": rows})
    return tables


def _row(
    group: str,
    approach: str,
    cells: list[Plain],
    note: str | None = None,
    *,
    measured: bool = False,
) -> Plain:
    named = {"group": group, "approach": approach}
    return {**named, "cells": cells, "measured": measured, "note": note}


def _cells(
    values: dict[str, float], tasks: Sequence[str], evaluation: Evaluation | None = None
) -> list[Plain]:
    """Make the cells of a row: published values and those of an evaluation per task, and means.

    A published mean is that of all tasks.
    """
    published = [values.get(name) for name in tasks]
    numbers = [value for value in published if value is not None]
    mean = sum(numbers) / len(numbers) if numbers and len(numbers) == len(tasks) else None
    ours: list[float | None] = [None] * (len(tasks) + 1)
    partial = [False] * (len(tasks) + 1)
    if evaluation is not None:
        parts = [evaluation.tasks[name] for name in tasks]
        ours = [*(task.pearson["mean"] for task in parts), evaluation.mean_pearson]
        partial = [not task.complete for task in parts]
        partial.append(any(partial))
    return [
        {"ours": own, "published": theirs, "best": False, "partial": lacks}
        for own, theirs, lacks in zip(ours, [*published, mean], partial, strict=True)
    ]


def _mark_best(rows: list[Plain], side: str) -> list[Plain]:
    """Mark the best cells of each column; cells that are equal when printed tie."""
    for column in zip(*(row["cells"] for row in rows), strict=True):
        printed = [None if cell[side] is None else round(cell[side], 1) for cell in column]
        best = max((value for value in printed if value is not None), default=None)
        for cell, value in zip(column, printed, strict=True):
            cell["best"] = value is not None and value == best
    return rows


Verdict = Literal["holds", "does not hold", "not significant", "not tested"]


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

    def judge(
        self, found: Mapping[str, Evaluation], bootstraps: Bootstraps, vectors: Plain | None = None
    ) -> Plain:
        """Test the claim on systems by name: its verdict, the evidence and the reason.

        `vectors` are those of the paper that the systems have, if any.
        """
        known = vectors or {}
        reason = None
        if self.unsupervised_only and known.get("supervised"):
            reason = "the vectors were trained on paraphrases"
        elif self.only_on and known.get("key") not in self.only_on:
            named = [item for item in paper.study()["vectors"] if item["key"] in self.only_on]
            reason = f"the claim is about {listed([item['title'] for item in named])}"
        if reason is not None:
            return {"verdict": "not tested", "evidence": [], "reason": reason}
        test, where = TESTS[self.test]
        scopes = [(where, bootstraps.tasks)] if where else [(n, [n]) for n in bootstraps.tasks]
        evidence = []
        for a, b in self.pairs:
            for name, tasks in scopes:
                mean, parts = bootstraps.compare(found[a], found[b], tasks)
                counts = count_decisions(item.decision for item in parts)
                evidence.append(
                    {
                        "system": a,
                        "baseline": b,
                        "where": name,
                        "difference": asdict(mean),
                        "counts": counts,
                        "verdict": test(self, mean, counts),
                    }
                )
        verdicts = [item["verdict"] for item in evidence]
        decisive = ("not tested", "does not hold", "not significant")
        verdict = next((item for item in decisive if item in verdicts), "holds")
        if verdict == "not tested":
            reason = "a correlation is undefined"
        return {"verdict": verdict, "evidence": evidence, "reason": reason}


Test = Callable[[Claim, Difference, Mapping[str, int]], Verdict]


def beats(claim: Claim, found: Difference, counts: Mapping[str, int]) -> Verdict:
    """Test whether the first system is better by more than `by` points."""
    if found.low is None or found.high is None:
        return "not tested"
    if found.low > claim.by:
        return "holds"
    return "does not hold" if found.high < claim.by else "not significant"


def equals(claim: Claim, found: Difference, counts: Mapping[str, int]) -> Verdict:
    """Test whether the interval of the difference is within ± `within` points."""
    if found.low is None or found.high is None:
        return "not tested"
    if -claim.within < found.low and found.high < claim.within:
        return "holds"
    apart = found.low > claim.within or found.high < -claim.within
    return "does not hold" if apart else "not significant"


def wins_most(claim: Claim, found: Difference, counts: Mapping[str, int]) -> Verdict:
    """Test for significant wins on most subtasks, and losses on at most one in twenty."""
    total = sum(counts.values())
    good = counts["better"] > total / 2 and counts["worse"] <= total / 20
    return "holds" if good else "does not hold"


# name -> test, and where: the mean over all tasks or their subtasks; None for each task by itself
TESTS: dict[str, tuple[Test, str | None]] = {
    "beats": (beats, "mean of tasks"),
    "beats_every_task": (beats, None),
    "equals": (equals, "mean of tasks"),
    "wins_most_subtasks": (wins_most, "subtasks"),
}


@dataclass(frozen=True)
class Reproduction:
    """Every number of the report."""

    sources: tuple[VectorSource, ...]
    found: Found = field(repr=False)
    bootstraps: Bootstraps = field(repr=False)
    tables: list[Plain]
    comparisons: list[Comparison]  # the paper's, one for each set of vectors
    own_comparisons: list[Comparison]  # weighted-jaccard against the same baseline
    claims: list[Claim]
    outcomes: dict[str, dict[str, Plain]]  # label of vectors -> claim -> outcome
    settings: Plain

    @property
    def datasets(self) -> tuple[ScoredPairSet, ...]:
        """Sets of all systems."""
        return self.bootstraps.sets

    @property
    def notes(self) -> list[str]:
        """List missing numbers."""
        return [
            f"{evaluation.vectors}, {evaluation.system.name}, {note}"
            for evaluation in self.found.values()
            for note in evaluation.notes
        ]

    @property
    def counts(self) -> dict[str, int]:
        """Decisions of DynaMax against the baseline, over all vectors and subtasks."""
        rows = [row for item in self.comparisons for row in item.rows.values()]
        return count_decisions(row["decision"] for row in rows)

    @property
    def verdicts(self) -> dict[str, dict[str, int]]:
        """Label of vectors -> verdict -> number of the paper's claims."""
        keys = [claim.key for claim in self.claims if not claim.ours]
        return {
            label: {
                verdict: sum(outcomes[key]["verdict"] == verdict for key in keys)
                for verdict in get_args(Verdict)
            }
            for label, outcomes in self.outcomes.items()
        }


def reproduce(
    sources: Sequence[VectorSource],
    datasets: Sequence[ScoredPairSet],
    *,
    options: System = DEFAULT_SYSTEM,
    resamples: int = RESAMPLES,
    seed: int = 0,
    stage: Stage = lambda name: nullcontext(no_progress),
) -> Reproduction:
    """Run every system of the paper on every set of vectors and all datasets.

    Parameters
    ----------
    sources : sequence of VectorSource
        Word vectors, as `parse_sources` makes them.
    datasets : sequence of ScoredPairSet
        Data, as `load_tasks` reads them.
    options : System
        Tokenizer and word frequencies of all systems.
    resamples, seed : int
        Resamples of the intervals and their seed.
    stage : function
        From the name of a stage to a context with its progress.

    Returns
    -------
    Reproduction
        Every number of the report, for `report.render_report`.
    """
    if not sources:
        raise InputError("at least one set of vectors must be given")
    systems = {name: parse_system(name, options=options) for name in paper.needed_systems()}
    scorers = [SystemScorer(source, system) for source in sources for system in systems.values()]
    with stage("evaluating") as progress:
        evaluations = evaluate(scorers, datasets, progress=progress)
    with stage("resampling") as progress:
        bootstraps = bootstrap_all(evaluations, resamples=resamples, seed=seed, progress=progress)
    keys = [(source.label, name) for source in sources for name in systems]
    found = dict(zip(keys, evaluations, strict=True))
    published = paper.paper()["significance"]
    comparisons, own_comparisons = (
        compare_all(
            bootstraps,
            [(found[x.label, name], found[x.label, published["baseline"]]) for x in sources],
        )
        for name in (published["system"], paper.OURS)
    )
    claims = [Claim(**claim) for claim in paper.study()["claims"]]
    outcomes = {}
    for source in sources:
        own = {name: found[source.label, name] for name in systems}
        outcomes[source.label] = {
            claim.key: claim.judge(own, bootstraps, source.paper) for claim in claims
        }
    counts = options.counts
    return Reproduction(
        sources=tuple(sources),
        found=found,
        bootstraps=bootstraps,
        tables=make_tables(sources, found, bootstraps.tasks),
        comparisons=comparisons,
        own_comparisons=own_comparisons,
        claims=claims,
        outcomes=outcomes,
        settings={
            "resamples": resamples,
            "seed": seed,
            "tokenizer": options.tokenizer,
            "counts": Path(str(counts)).name if counts else "the vectors' own counts, else rank",
            "fuzzbow": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
        },
    )
