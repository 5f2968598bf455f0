"""Pairs of texts with a label, as in record matching: CSV, TSV, JSON lines or Parquet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats
from fuzzbow.errors import InputError
from fuzzbow.evaluation import metrics
from fuzzbow.evaluation.bootstrap import bootstrap_precision
from fuzzbow.evaluation.sets.base import (
    EvaluationSet,
    Measured,
    SetKind,
    SetOptions,
    fingerprint,
)
from fuzzbow.evaluation.systems import System
from fuzzbow.evaluation.ties import DIGITS, occurrences, ranked, tie_keys
from fuzzbow.sts.correlation import SCALE, Bootstrap
from fuzzbow.tasks import BATCH_ROWS, read_table
from fuzzbow.tasks.text_columns import check_text_columns

LABELS = {"0": 0.0, "1": 1.0, "false": 0.0, "true": 1.0, "0.0": 0.0, "1.0": 1.0}


@dataclass(frozen=True)
class PairSet(EvaluationSet):
    """Pairs that match (label 1) and that do not (0); `labels` is read-only, (n,)."""

    name: str
    lefts: Sequence[str] = field(repr=False)
    rights: Sequence[str] = field(repr=False)
    labels: Floats = field(repr=False)
    kind = "pairs"
    baselines = ("tfidf", "char-tfidf")
    purposes = ("sentences", "records")
    metrics = ("AP", "best F1")

    def __post_init__(self) -> None:
        """Both labels must be there."""
        for label in (0, 1):
            if not (self.labels == label).any():
                raise InputError(
                    f"{self.name}: some pairs must have label {label};"
                    f" of {len(self.labels)} none has"
                )

    @property
    def sizes(self) -> dict[str, int]:
        """Pairs, and how many match."""
        return {"pairs": len(self.labels), "matches": int(self.labels.sum())}

    def measure(self, system: System, *, seed: int = 0) -> Measured:
        """Rank all pairs; a pair is told by its texts in ties."""
        collection = system.over([*self.lefts, *self.rights])
        scores = collection.pairs(self.lefts, self.rights)
        pairs = zip(self.lefts, self.rights, strict=True)
        order = ranked(scores, tie_keys(occurrences(pairs), seed=seed))
        labels = self.labels[order]
        precision = metrics.average_precision(labels, labels[labels > 0.0])
        f1, threshold = metrics.best_f1(np.round(scores, DIGITS), self.labels)
        return Measured(
            {"AP": SCALE * precision, "best F1": SCALE * f1}, order, threshold=threshold
        )

    def bootstrap(
        self, found: Sequence[Measured], *, resamples: int, seed: int
    ) -> dict[str, Bootstrap]:
        """Pairs are resampled, for average precision."""
        seeds = [seed, fingerprint([*self.lefts, *self.rights])]
        orders = [item.sample for item in found]
        drawn = bootstrap_precision(self.labels, orders, resamples=resamples, seed=seeds)
        return {"AP": drawn}


def read_pairs(path: Path, options: SetOptions) -> PairSet:
    """Read the set of a table from three of its columns."""
    left, right, label = options.left, options.right, options.label
    table = read_table(path, batch_rows=BATCH_ROWS)
    check_text_columns(table.columns, [left, right, label], str(path))
    lefts: list[str] = []
    rights: list[str] = []
    labels: list[float] = []
    for batch in table.batches:
        for record in batch:
            place = f"{path}, row {len(labels) + 1}"
            lefts.append(_text(record.get(left), left, place))
            rights.append(_text(record.get(right), right, place))
            labels.append(_label(record.get(label), label, place))
    values = np.array(labels, dtype=np.float64)
    values.setflags(write=False)
    return PairSet(path.name.partition(".")[0] or path.name, lefts, rights, values)


def is_table_of_pairs(path: Path, options: SetOptions) -> bool:
    """Return whether a path is a table with the column of labels."""
    return path.is_file() and options.label in read_table(path, batch_rows=BATCH_ROWS).columns


PAIRS = SetKind("pairs", "a table with a column of labels", is_table_of_pairs, read_pairs)


def _text(value: Any, column: str, place: str) -> str:
    """A text; a missing one is empty."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(f"{place}: column {column!r} must hold text; got {value!r:.40}")
    return value


def _label(value: Any, column: str, place: str) -> float:
    found = LABELS.get(str(value).strip().lower())
    if found is None:
        raise InputError(f"{place}: column {column!r} must hold 0 or 1; got {value!r:.40}")
    return found
