"""Base of evaluation sets, on which systems are measured and resampled."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from fuzzbow.plurals import counted
from fuzzbow.research.bootstrap import SCALE, Bootstrap, bootstrap_means
from fuzzbow.research.evaluation.results import SystemResult
from fuzzbow.research.evaluation.systems import Scoring


@dataclass(frozen=True)
class EvaluationSetOptions:
    """Options of `read_set`; each kind of set uses its own."""

    left: str = "left"  # columns of pairs
    right: str = "right"
    label: str = "label"
    score: str = "score"
    split: str = "test"  # file of qrels/
    recall_at: tuple[int, ...] = (10, 100)  # ranks of a retrieval set


class EvaluationSet(ABC):
    """Data that systems are measured on; the first of its metrics is the main one."""

    name: str
    kind: ClassVar[str]
    layout: ClassVar[str]  # of its files, for messages and help
    baselines: ClassVar[tuple[str, ...]]  # the usual ones
    purposes: ClassVar[tuple[str, ...]]  # of the models that fit it

    @classmethod
    @abstractmethod
    def recognises(cls, path: Path, options: EvaluationSetOptions) -> bool:
        """Return whether a path that exists is a set of this kind."""

    @classmethod
    @abstractmethod
    def read(cls, path: Path, options: EvaluationSetOptions) -> EvaluationSet:
        """Read a set of this kind."""

    @property
    @abstractmethod
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""

    @property
    @abstractmethod
    def sizes(self) -> dict[str, int]:
        """Count queries, documents or pairs."""

    @abstractmethod
    def measure(self, system: Scoring, *, seed: int = 0) -> SystemResult:
        """Measure a system; equal scores are in the order of a hash under the seed."""

    @abstractmethod
    def bootstrap(
        self, samples: Sequence[Any], *, resamples: int, seed: int
    ) -> dict[str, Bootstrap]:
        """Resample the metrics that can be resampled, with a column for each system."""


class RankingSet(EvaluationSet):
    """A set whose metrics are means over queries."""

    @property
    @abstractmethod
    def texts_of_queries(self) -> Sequence[str]:
        """Queries that are evaluated."""

    def measured(
        self, system: Scoring, rows: Sequence[Sequence[float]], unanswered: int
    ) -> SystemResult:
        """Average the metrics of queries, of which `unanswered` have no score above 0."""
        values = np.asarray(rows, dtype=np.float64)
        means = (SCALE * values.mean(axis=0)).tolist()
        silent = f"{unanswered} of {counted(len(rows), 'query')} with no score above 0"
        notes = (system.note, silent if unanswered else "")
        metrics = dict(zip(self.metrics, means, strict=True))
        return SystemResult(system.name, metrics, tuple(filter(None, notes)), sample=values)

    def bootstrap(
        self, samples: Sequence[Any], *, resamples: int, seed: int
    ) -> dict[str, Bootstrap]:
        """Resample queries, for all systems and metrics together."""
        columns = np.concatenate(samples, axis=1)
        seeds = [seed, fingerprint(self.texts_of_queries)]
        drawn = bootstrap_means(columns, resamples=resamples, seed=seeds)
        parts = (drawn.observed, drawn.resampled, drawn.jackknife)
        width = len(self.metrics)
        return {
            metric: Bootstrap(*(part[..., number::width] for part in parts))
            for number, metric in enumerate(self.metrics)
        }


def fingerprint(texts: Iterable[str]) -> int:
    """Hash texts to a seed, so that the resamples of a set do not depend on other sets."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode("utf-8", "surrogatepass") + b"\n")
    return int.from_bytes(digest.digest()[:4], "big")
