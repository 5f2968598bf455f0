"""Encode the texts of a file: a row of memberships for each, as a list of numbers."""

from __future__ import annotations

from typing import Any

from fuzzbow.arrays import Floats
from fuzzbow.measures import TextMeasure
from fuzzbow.progress import Progress, no_progress
from fuzzbow.tasks.added_column import RowReport, add_column
from fuzzbow.tasks.files import BATCH_ROWS
from fuzzbow.tasks.formats import Table, Write
from fuzzbow.tasks.text_columns import TextColumns

MEMBERSHIPS = "memberships"  # the column, unless it is named
AT_ONCE = 2_000_000  # memberships that are computed together: those of a vocabulary are many a text


def rows_at_once(model: TextMeasure) -> int:
    """Of how many texts memberships are computed together."""
    return max(min(AT_ONCE // universe_size(model), BATCH_ROWS), 1)


def universe_size(model: TextMeasure) -> int:
    """How many memberships a text has."""
    return int(model.encode([]).shape[1])


def membership_type(model: TextMeasure) -> Any:
    """The Arrow type of the column: a list of so many numbers."""
    import pyarrow as pa

    return pa.list_(pa.float32(), universe_size(model))


def encode_table(
    model: TextMeasure,
    table: Table,
    write: Write,
    *,
    text: TextColumns,
    column: str = MEMBERSHIPS,
    threads: int | None = None,
    progress: Progress = no_progress,
) -> RowReport:
    """Write every row with the memberships of its text; `progress` gets rows done."""

    def values(texts: list[str]) -> list[Floats]:
        return list(model.encode(texts, threads=threads))

    at_once = rows_at_once(model)
    return add_column(table, write, [text], column, values, at_once=at_once, progress=progress)
