"""The paper's claims, each as a sentence and a test, judged on the vectors at hand.

A difference is tested by the BCa interval of the mean over the tasks. A claim of several
comparisons holds if all of them do, and does not hold if one is significantly the other way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from fuzzbow.sts.comparison import Bootstraps
from fuzzbow.sts.evaluation import Evaluation
from fuzzbow.sts.significance import Counts, Difference, count_decisions

EQUAL = 1.5  # points: as far as the paper's own "almost identical" numbers are apart
FAILS = 20.0  # points: "consistently perform 20-50 points worse"


class Verdict(str, Enum):
    """Verdict of the data on a claim."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does not hold"
    NOT_SIGNIFICANT = "not significant"
    NOT_TESTED = "not tested"


@dataclass(frozen=True)
class Evidence:
    """One comparison behind a verdict; `where` is the tasks' mean or one task."""

    system: str
    baseline: str
    where: str
    difference: Difference
    counts: Counts
    verdict: Verdict


@dataclass(frozen=True)
class Outcome:
    """A claim on one set of vectors."""

    verdict: Verdict
    evidence: tuple[Evidence, ...] = ()
    reason: str | None = None


@dataclass(frozen=True)
class Study:
    """All systems on one set of vectors."""

    vectors: str
    evaluations: dict[str, Evaluation] = field(repr=False)
    bootstraps: Bootstraps = field(repr=False)
    paper_key: str | None = None
    supervised: bool = False

    @property
    def tasks(self) -> list[str]:
        """Names of the tasks."""
        return list(dict.fromkeys(dataset.task for dataset in self.bootstraps.datasets))

    def mean(self, a: str, b: str, tasks: Sequence[str] = ()) -> Difference:
        """`a` less `b` in the mean over tasks."""
        return self.bootstraps.mean(self.evaluations[a], self.evaluations[b], tasks)

    def counts(self, a: str, b: str, tasks: Sequence[str] = ()) -> Counts:
        """On how many subtasks `a` is better and worse than `b`."""
        left, right = self.evaluations[a], self.evaluations[b]
        return count_decisions(
            self.bootstraps.subtask(left, right, place).decision
            for place, dataset in enumerate(self.bootstraps.datasets)
            if not tasks or dataset.task in tasks
        )


Test = Callable[[Study], Outcome]


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper (or of ours) and how it is tested."""

    key: str
    sentence: str
    place: str
    test: Test = field(repr=False)
    ours: bool = False


def beats(*pairs: tuple[str, str], by: float = 0.0) -> Test:
    """Each first system is better than its second, by more than `by` points."""

    def test(study: Study) -> Outcome:
        return _together(
            _evidence(study, a, b, "mean of tasks", (), lambda item: _above(item, by))
            for a, b in pairs
        )

    return test


def beats_every_task(a: str, b: str) -> Test:
    """Better in the mean of every single task."""

    def test(study: Study) -> Outcome:
        return _together(
            _evidence(study, a, b, task, (task,), lambda item: _above(item, 0.0))
            for task in study.tasks
        )

    return test


def equals(*pairs: tuple[str, str], within: float = EQUAL) -> Test:
    """The interval of the difference lies within ± `within` points."""

    def test(study: Study) -> Outcome:
        return _together(
            _evidence(study, a, b, "mean of tasks", (), lambda item: _inside(item, within))
            for a, b in pairs
        )

    return test


def wins_most_subtasks(a: str, b: str) -> Test:
    """Significantly better on most subtasks, worse on at most one in twenty."""

    def test(study: Study) -> Outcome:
        counts = study.counts(a, b)
        good = counts.better > counts.total / 2 and counts.worse <= counts.total / 20
        verdict = Verdict.HOLDS if good else Verdict.DOES_NOT_HOLD
        found = Evidence(a, b, "subtasks", study.mean(a, b), counts, verdict)
        return Outcome(verdict, (found,))

    return test


def unsupervised_only(test: Test) -> Test:
    """A claim about vectors trained without labels."""

    def guarded(study: Study) -> Outcome:
        if study.supervised:
            return Outcome(Verdict.NOT_TESTED, reason="the vectors were trained on paraphrases")
        return test(study)

    return guarded


def only_on(keys: Sequence[str], titles: str, test: Test) -> Test:
    """A claim about certain vectors of the paper."""

    def guarded(study: Study) -> Outcome:
        if study.paper_key not in keys:
            return Outcome(Verdict.NOT_TESTED, reason=f"the claim is about {titles}")
        return test(study)

    return guarded


def judge(claims: Iterable[Claim], study: Study) -> dict[str, Outcome]:
    """The verdict on each claim."""
    return {claim.key: claim.test(study) for claim in claims}


def _evidence(
    study: Study,
    a: str,
    b: str,
    where: str,
    tasks: Sequence[str],
    decide: Callable[[Difference], Verdict],
) -> Evidence:
    item = study.mean(a, b, tasks)
    return Evidence(a, b, where, item, study.counts(a, b, tasks), decide(item))


def _above(item: Difference, limit: float) -> Verdict:
    if item.low is None or item.high is None:
        return Verdict.NOT_TESTED
    if item.low > limit:
        return Verdict.HOLDS
    return Verdict.DOES_NOT_HOLD if item.high < limit else Verdict.NOT_SIGNIFICANT


def _inside(item: Difference, limit: float) -> Verdict:
    if item.low is None or item.high is None:
        return Verdict.NOT_TESTED
    if -limit < item.low and item.high < limit:
        return Verdict.HOLDS
    outside = item.low > limit or item.high < -limit
    return Verdict.DOES_NOT_HOLD if outside else Verdict.NOT_SIGNIFICANT


def _together(found: Iterable[Evidence]) -> Outcome:
    """One verdict from several."""
    evidence = tuple(found)
    verdicts = [item.verdict for item in evidence]
    for decisive in (Verdict.NOT_TESTED, Verdict.DOES_NOT_HOLD, Verdict.NOT_SIGNIFICANT):
        if decisive in verdicts:
            reason = "a correlation is undefined" if decisive is Verdict.NOT_TESTED else None
            return Outcome(decisive, evidence, reason)
    return Outcome(Verdict.HOLDS, evidence)
