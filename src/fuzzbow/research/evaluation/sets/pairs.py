"""Pairs of texts with a label, as in record matching: CSV, TSV, JSON lines or Parquet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats, read_only
from fuzzbow.errors import InputError
from fuzzbow.io.tables import read_table
from fuzzbow.research.bootstrap import SCALE, Bootstrap, bootstrap_precision
from fuzzbow.research.evaluation import metrics
from fuzzbow.research.evaluation.results import SystemResult
from fuzzbow.research.evaluation.sets.base import (
    EvaluationSet,
    EvaluationSetOptions,
    fingerprint,
)
from fuzzbow.research.evaluation.systems import DIGITS, Scoring, occurrences, ranked, tie_keys
from fuzzbow.research.loading import labelled_pairs, set_name

LABELS = {"0": 0.0, "1": 1.0, "false": 0.0, "true": 1.0, "0.0": 0.0, "1.0": 1.0}


@dataclass(frozen=True)
class PairSet(EvaluationSet):
    """Pairs that match (label 1) and that do not (0); `labels` is read-only, (n,)."""

    name: str
    lefts: Sequence[str] = field(repr=False)
    rights: Sequence[str] = field(repr=False)
    labels: Floats = field(repr=False)
    kind = "pairs"
    layout = "a table with a column of labels"
    baselines = ("tfidf", "char-tfidf")
    purposes = ("sentences", "records")
    metrics = ("AP", "best F1")

    def __post_init__(self) -> None:
        """Check that both labels occur."""
        for label in (0, 1):
            if not (self.labels == label).any():
                raise InputError(
                    f"{self.name}: some pairs must have label {label};"
                    f" of {len(self.labels)} none has"
                )

    @classmethod
    def recognises(cls, path: Path, options: EvaluationSetOptions) -> bool:
        """Return whether a path is a table with the column of labels."""
        return path.is_file() and options.label in read_table(path).columns

    @classmethod
    def read(cls, path: Path, options: EvaluationSetOptions) -> PairSet:
        """Read three columns of a table."""
        rows = []
        columns = (options.left, options.right, options.label)
        for left, right, written, location in labelled_pairs(path, *columns):
            label = LABELS.get(str(written).strip().lower())
            if label is None:
                raise InputError(
                    f"{location}: column {options.label!r} must hold 0 or 1; got {written!r:.40}"
                )
            rows.append((left, right, label))
        lefts, rights, labels = zip(*rows, strict=True) if rows else ((), (), ())
        return cls(set_name(path), lefts, rights, read_only(np.array(labels, dtype=np.float64)))

    @property
    def sizes(self) -> dict[str, int]:
        """Number of pairs, and of matches among them."""
        return {"pairs": len(self.labels), "matches": int(self.labels.sum())}

    def measure(self, system: Scoring, *, seed: int = 0) -> SystemResult:
        """Rank all pairs; ties are ordered by the texts of the pairs."""
        collection = system.over([*self.lefts, *self.rights])
        scores = collection.pairs(self.lefts, self.rights)
        pairs = zip(self.lefts, self.rights, strict=True)
        order = ranked(scores, tie_keys(occurrences(pairs), seed=seed))
        labels = self.labels[order]
        precision = metrics.average_precision(labels, labels[labels > 0.0])
        f1, threshold = metrics.best_f1(np.round(scores, DIGITS), self.labels)
        values = {"AP": SCALE * precision, "best F1": SCALE * f1}
        notes = (system.note,) if system.note else ()
        return SystemResult(system.name, values, notes, threshold, sample=order)

    def bootstrap(
        self, samples: Sequence[Any], *, resamples: int, seed: int
    ) -> dict[str, Bootstrap]:
        """Resample pairs, for average precision."""
        seeds = [seed, fingerprint([*self.lefts, *self.rights])]
        drawn = bootstrap_precision(self.labels, samples, resamples=resamples, seed=seeds)
        return {"AP": drawn}
