"""A dataset from a table of the user's own: CSV, TSV, JSON lines or Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fuzzbow.errors import InputError, nearest
from fuzzbow.sts.datasets import Dataset, Row, make_dataset
from fuzzbow.tasks import BATCH_ROWS, read_table


def load_table(path: Path, *, left: str, right: str, score: str) -> Dataset:
    """Pairs from the columns `left`, `right` and `score` of the table at `path`.

    The task is named after the file.
    """
    table = read_table(path, batch_rows=BATCH_ROWS)
    for column in (left, right, score):
        if column not in table.columns:
            raise InputError(
                f"{path}: column {column!r} is not there; there are"
                f" {', '.join(table.columns)}{nearest(column, table.columns)}"
            )
    rows: list[Row] = []
    for batch in table.batches:
        for record in batch:
            place = f"{path}, row {len(rows) + 1}"
            texts = _text(record.get(left), left, place), _text(record.get(right), right, place)
            rows.append((*texts, _score(record.get(score))))
    task = path.name.partition(".")[0] or path.name
    return make_dataset(task, "", rows, str(path), unit="row")


def _text(value: Any, column: str, place: str) -> str:
    """A text; a missing one is empty."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(f"{place}: column {column!r} must hold text; got {value!r:.40}")
    return value


def _score(value: Any) -> str:
    """A score as written; a missing one is an unlabelled pair."""
    return "" if value is None else str(value)
