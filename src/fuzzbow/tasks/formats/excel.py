"""Excel workbooks, which are read only: the first sheet, every value as a string like in CSV."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.tasks.formats.table import AS_IT_IS, Reading, Record, Records, Table, Write

# what reading a damaged workbook can raise
UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, SyntaxError, IndexError)


@dataclass(frozen=True)
class Excel:
    """Workbooks of Excel 2007 and later."""

    name: str = "xlsx"
    suffixes: tuple[str, ...] = (".xlsx",)
    one_line: bool = False
    writable: bool = False

    def read(self, path: Path, *, batch_rows: int, reading: Reading = AS_IT_IS) -> Table:
        """Open a file; its rows come in batches of at most `batch_rows`."""
        rows = _rows(path)
        columns = _header(path, next(rows, ()))
        return Table(columns, _batches(_records(rows, columns), batch_rows))

    def writer(
        self, path: Path, name: Path, source: Table, added: dict[str, Any]
    ) -> AbstractContextManager[Write]:
        """Workbooks are not written."""
        raise InputError(f"'{name}': Excel is read, not written; write .csv, which Excel opens")


def _rows(path: Path) -> Iterator[tuple[Any, ...]]:
    """The rows of the first sheet, one at a time."""
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise MissingExtraError("openpyxl", "excel") from error
    try:
        book = load_workbook(path, read_only=True, data_only=True)
        try:
            yield from book.worksheets[0].iter_rows(values_only=True)
        finally:
            book.close()
    except (zipfile.BadZipFile, *UNREADABLE) as error:
        raise InputError(f"{path}: not a readable Excel file: {error}") from error


def _header(path: Path, row: tuple[Any, ...]) -> list[str]:
    """The names of the columns; empty cells at the end are none."""
    names = [_text(value) or "" for value in row]
    while names and not names[-1]:
        names.pop()
    if not names:
        raise InputError(f"{path}: must begin with a row of column names; got an empty sheet")
    if len(set(names)) < len(names) or "" in names:
        raise InputError(f"{path}: column names must be there and differ; got {', '.join(names)}")
    return names


def _records(rows: Iterator[tuple[Any, ...]], columns: list[str]) -> Iterator[Record]:
    """Rows as records; one without any value is passed over, as a blank line of CSV is."""
    for row in rows:
        values = [_text(value) for value in row[: len(columns)]]
        if any(value is not None for value in values):
            values += [None] * (len(columns) - len(values))
            yield dict(zip(columns, values, strict=True))


def _text(value: Any) -> str | None:
    """A cell as Excel would export it; None where it is empty."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, datetime | date | time) else str(value)


def _batches(records: Iterator[Record], size: int) -> Iterator[Records]:
    batch: Records = []
    for record in records:
        batch.append(record)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


EXCEL = Excel()
