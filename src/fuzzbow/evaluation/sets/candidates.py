"""Candidates of each query, as in answer selection: JSON lines of query, candidates, relevant.

`relevant` holds a grade for each candidate. A query of whose candidates none is relevant is left
out; the statistics of a collection are those of all distinct candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from fuzzbow.errors import DataError, InputError
from fuzzbow.evaluation import metrics
from fuzzbow.evaluation.sets.base import Measured, RankingSet, SetKind, SetOptions
from fuzzbow.evaluation.sets.json_records import numbered_records, text_field
from fuzzbow.evaluation.systems import System
from fuzzbow.evaluation.ties import occurrences, ranked, tie_keys
from fuzzbow.tasks import BATCH_ROWS, JSONL, format_of, read_table
from fuzzbow.tasks.formats import Record

FIELD = "candidates"


@dataclass(frozen=True)
class Question:
    """A query with its candidates and their grades."""

    query: str
    candidates: tuple[str, ...]
    grades: tuple[float, ...]


@dataclass(frozen=True)
class CandidateSet(RankingSet):
    """Queries, each with candidates of its own."""

    name: str
    questions: tuple[Question, ...] = field(repr=False)
    kind = "candidates"
    baselines = ("bm25",)
    purposes = ("answers", "sentences", "passages")
    metrics = ("MAP", "MRR")

    def __post_init__(self) -> None:
        """Some query must have a relevant candidate."""
        if not self.judged:
            raise InputError(f"{self.name}: some query must have a relevant candidate; none has")

    @cached_property
    def judged(self) -> list[Question]:
        """Return the questions with a relevant candidate."""
        return [item for item in self.questions if max(item.grades, default=0.0) > 0.0]

    @property
    def texts_of_queries(self) -> Sequence[str]:
        """The queries that count."""
        return [item.query for item in self.judged]

    @property
    def sizes(self) -> dict[str, int]:
        """Queries that count and that do not, and candidates."""
        judged = len(self.judged)
        return {
            "queries": judged,
            "queries_left_out": len(self.questions) - judged,
            "candidates": sum(len(item.candidates) for item in self.questions),
        }

    def measure(self, system: System, *, seed: int = 0) -> Measured:
        """Order the candidates of each query; a candidate is told by its text in ties."""
        everything = dict.fromkeys(text for item in self.questions for text in item.candidates)
        collection = system.over(list(everything))
        lefts = [item.query for item in self.judged for _ in item.candidates]
        rights = [text for item in self.judged for text in item.candidates]
        scores = collection.pairs(lefts, rights)
        ties = tie_keys(occurrences(zip(lefts, rights, strict=True)), seed=seed)
        rows, unanswered, start = [], 0, 0
        for item in self.judged:
            part = slice(start, start + len(item.candidates))
            start = part.stop
            grades = np.array(item.grades)[ranked(scores[part], ties[part])]
            relevant = grades[grades > 0.0]
            rows.append(
                [metrics.average_precision(grades, relevant), metrics.reciprocal_rank(grades)]
            )
            unanswered += not scores[part].max() > 0.0
        return self.measured(rows, unanswered)


def read_candidates(path: Path, options: SetOptions) -> CandidateSet:
    """Read the set of a file with a query on each line."""
    questions = tuple(
        _question(record, f"{path}, line {line}") for line, record in numbered_records(path)
    )
    return CandidateSet(path.name.partition(".")[0] or path.name, questions)


def has_candidates(path: Path, options: SetOptions) -> bool:
    """Return whether a path is a file of JSON lines with candidates."""
    if not path.is_file() or FIELD not in read_table(path, batch_rows=BATCH_ROWS).columns:
        return False
    return format_of(path) is JSONL


CANDIDATES = SetKind("candidates", "JSON lines with candidates", has_candidates, read_candidates)


def _question(record: Record, place: str) -> Question:
    texts, grades = record.get(FIELD), record.get("relevant")
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise DataError(f"{place}: {FIELD!r} must be a list of texts; got {texts!r:.40}")
    if not isinstance(grades, list) or not all(map(_is_grade, grades)):
        raise DataError(f"{place}: 'relevant' must be a list of numbers; got {grades!r:.40}")
    if len(texts) != len(grades):
        raise DataError(
            f"{place}: {FIELD!r} and 'relevant' must have equal length;"
            f" got {len(texts)} and {len(grades)}"
        )
    return Question(text_field(record, "query", place), tuple(texts), tuple(map(float, grades)))


def _is_grade(value: Any) -> bool:
    return isinstance(value, bool | int | float) and bool(np.isfinite(value))
