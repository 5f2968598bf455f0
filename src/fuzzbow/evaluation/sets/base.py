"""Base of evaluation sets: systems are measured on one, and resampled together."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats
from fuzzbow.evaluation.bootstrap import bootstrap_means
from fuzzbow.evaluation.systems import System
from fuzzbow.plurals import counted
from fuzzbow.sts.correlation import SCALE, Bootstrap


@dataclass(frozen=True)
class SetOptions:
    """Options of `read_set`; each kind of set uses its own."""

    left: str = "left"  # columns of pairs
    right: str = "right"
    label: str = "label"
    split: str = "test"  # file of qrels/
    recall_at: tuple[int, ...] = (10, 100)  # ranks of a retrieval set


@dataclass(frozen=True)
class SetKind:
    """Kind of evaluation set: how it is recognised and read."""

    name: str
    layout: str  # of its files, for messages and help
    recognises: Callable[[Path, SetOptions], bool]  # of a path that exists
    read: Callable[[Path, SetOptions], EvaluationSet]


@dataclass(frozen=True)
class Measured:
    """A system on a set: metrics × 100, and per query or pair what intervals are made of."""

    values: dict[str, float]
    sample: Any = field(repr=False)  # (n, metrics) values of queries, or an order (n,) of pairs
    notes: tuple[str, ...] = ()
    threshold: float | None = None  # of the best F1


class EvaluationSet(ABC):
    """Data that systems are measured on; the first of its metrics decides."""

    name: str
    kind: str  # name of its SetKind
    baselines: tuple[str, ...]  # the usual ones
    purposes: tuple[str, ...]  # of the models that fit it

    @property
    @abstractmethod
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""

    @property
    @abstractmethod
    def sizes(self) -> dict[str, int]:
        """Count queries, documents or pairs."""

    @abstractmethod
    def measure(self, system: System, *, seed: int = 0) -> Measured:
        """A system on this set; equal scores are in the order of a hash under the seed."""

    @abstractmethod
    def bootstrap(
        self, found: Sequence[Measured], *, resamples: int, seed: int
    ) -> dict[str, Bootstrap]:
        """Metric -> resamples with a column for each system; metrics without any are left out."""


class RankingSet(EvaluationSet):
    """A set whose metrics are means over queries."""

    def measured(self, rows: Sequence[Sequence[float]], unanswered: int) -> Measured:
        """From the metrics of each query, and how many queries score 0 with everything."""
        values = np.asarray(rows, dtype=np.float64)
        means = (SCALE * values.mean(axis=0)).tolist()
        silent = f"{unanswered} of {counted(len(rows), 'query')} with no score above 0"
        notes = (silent,) if unanswered else ()
        return Measured(dict(zip(self.metrics, means, strict=True)), values, notes)

    @property
    @abstractmethod
    def texts_of_queries(self) -> Sequence[str]:
        """The queries that count."""

    def bootstrap(
        self, found: Sequence[Measured], *, resamples: int, seed: int
    ) -> dict[str, Bootstrap]:
        """Queries are resampled, for all systems and metrics together."""
        columns: Floats = np.concatenate([item.sample for item in found], axis=1)
        seeds = [seed, fingerprint(self.texts_of_queries)]
        drawn = bootstrap_means(columns, resamples=resamples, seed=seeds)
        width = len(self.metrics)
        return {
            metric: Bootstrap(
                drawn.observed[place::width],
                drawn.resampled[:, place::width],
                drawn.jackknife[:, place::width],
            )
            for place, metric in enumerate(self.metrics)
        }


def fingerprint(texts: Iterable[str]) -> int:
    """A number from texts, so that resamples of a set do not depend on its neighbours."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode("utf-8", "surrogatepass") + b"\n")
    return int.from_bytes(digest.digest()[:4], "big")
