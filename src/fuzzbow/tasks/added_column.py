"""Rows of a table with one more column, which their texts decide, a batch at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from fuzzbow.arrays import blocks
from fuzzbow.errors import InputError
from fuzzbow.progress import Progress, no_progress
from fuzzbow.tasks.files import BATCH_ROWS
from fuzzbow.tasks.formats import Table, Write
from fuzzbow.tasks.text_columns import TextColumns

Values = Callable[..., Any]  # the texts of each side, n of them -> n values


@dataclass(frozen=True)
class RowReport:
    """What a run did: rows written, and rows with no text on one side."""

    rows: int
    without_text: int


def check_added(columns: Sequence[str], added: str, place: str) -> None:
    """The column that is added must not be there."""
    if added in columns:
        raise InputError(f"{place}: has a column {added!r} already; name the new one another way")


def without_text(sides: Sequence[Iterable[str]]) -> int:
    """How many rows have no text on one side."""
    return sum(not all(map(str.strip, row)) for row in zip(*sides, strict=True))


def add_column(
    table: Table,
    write: Write,
    sides: Sequence[TextColumns],
    column: str,
    values: Values,
    *,
    at_once: int = BATCH_ROWS,
    progress: Progress = no_progress,
) -> RowReport:
    """Write every row with the value of its texts, of `at_once` rows at a time.

    `progress` gets rows done.
    """
    rows = blank = 0
    for batch in table.batches:
        for part in blocks(len(batch), at_once):
            records = batch[part]
            texts = [side.texts(records, rows) for side in sides]
            found = zip(records, values(*texts), strict=True)
            write([record | {column: value} for record, value in found])
            blank += without_text(texts)
            rows += len(records)
            progress(rows, table.total(rows))
    return RowReport(rows, blank)
