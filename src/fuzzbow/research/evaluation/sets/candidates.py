"""Candidates of each query, as in answer selection: JSON lines of query, candidates, relevant.

`relevant` is a list with a grade for each candidate. A query without a relevant candidate is left
out; the statistics of a collection are those of all distinct candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from fuzzbow.errors import DataError, InputError
from fuzzbow.io.tables import format_of, read_table
from fuzzbow.research.evaluation import metrics
from fuzzbow.research.evaluation.results import SystemResult
from fuzzbow.research.evaluation.sets.base import EvaluationSetOptions, RankingSet
from fuzzbow.research.evaluation.systems import Scoring, occurrences, ranked, tie_keys
from fuzzbow.research.loading import json_records, set_name, text_field

FIELD = "candidates"


Question = tuple[str, Sequence[str], Sequence[float]]  # query, candidates and their grades


@dataclass(frozen=True)
class CandidateSet(RankingSet):
    """Queries, each with candidates of its own."""

    name: str
    questions: tuple[Question, ...] = field(repr=False)
    kind = "candidates"
    layout = "JSON lines with candidates"
    baselines = ("bm25",)
    purposes = ("answers", "sentences", "passages")
    metrics = ("MAP", "MRR")

    def __post_init__(self) -> None:
        """Check that some query has a relevant candidate."""
        if not self.judged:
            raise InputError(f"{self.name}: some query must have a relevant candidate; none has")

    @classmethod
    def recognises(cls, path: Path, options: EvaluationSetOptions) -> bool:
        """Return whether a path is a file of JSON lines with candidates."""
        return (
            path.is_file() and FIELD in read_table(path).columns and format_of(path).name == "jsonl"
        )

    @classmethod
    def read(cls, path: Path, options: EvaluationSetOptions) -> CandidateSet:
        """Read a file with a query on each line."""
        questions = []
        for location, record in json_records(path):
            texts, grades = record.get(FIELD), record.get("relevant")
            if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
                raise DataError(f"{location}: {FIELD!r} must be a list of texts; got {texts!r:.40}")
            if not isinstance(grades, list) or not all(
                isinstance(value, bool | int | float) and np.isfinite(value) for value in grades
            ):
                raise DataError(
                    f"{location}: 'relevant' must be a list of numbers; got {grades!r:.40}"
                )
            if len(texts) != len(grades):
                raise DataError(
                    f"{location}: {FIELD!r} and 'relevant' must have equal length;"
                    f" got {len(texts)} and {len(grades)}"
                )
            query = text_field(record, "query", location)
            questions.append((query, texts, list(map(float, grades))))
        return cls(set_name(path), tuple(questions))

    @cached_property
    def judged(self) -> list[Question]:
        """Return the questions with a relevant candidate."""
        return [item for item in self.questions if max(item[2], default=0.0) > 0.0]

    @property
    def texts_of_queries(self) -> Sequence[str]:
        """Queries that are evaluated."""
        return [query for query, _, _ in self.judged]

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers of evaluated queries, of other queries, and of candidates."""
        judged = len(self.judged)
        return {
            "queries": judged,
            "queries_left_out": len(self.questions) - judged,
            "candidates": sum(len(candidates) for _, candidates, _ in self.questions),
        }

    def measure(self, system: Scoring, *, seed: int = 0) -> SystemResult:
        """Order the candidates of each query; ties are ordered by the candidates' texts."""
        everything = dict.fromkeys(text for _, texts, _ in self.questions for text in texts)
        collection = system.over(list(everything))
        pairs = [(query, text) for query, texts, _ in self.judged for text in texts]
        lefts, rights = map(list, zip(*pairs, strict=True))
        scores = collection.pairs(lefts, rights)
        ties = tie_keys(occurrences(pairs), seed=seed)
        rows, unanswered, start = [], 0, 0
        for _, _, given in self.judged:
            part = slice(start, start + len(given))
            start = part.stop
            grades = np.array(given)[ranked(scores[part], ties[part])]
            precision = metrics.average_precision(grades, grades[grades > 0.0])
            rows.append([precision, metrics.reciprocal_rank(grades)])
            unanswered += not scores[part].max() > 0.0
        return self.measured(system, rows, unanswered)
