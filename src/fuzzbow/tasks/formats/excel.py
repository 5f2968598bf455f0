"""Excel workbooks, which are read only: the first sheet, every value as a string like in CSV."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from fuzzbow.errors import DataError, InputError, MissingExtraError
from fuzzbow.streams import BROKEN
from fuzzbow.tasks.formats.lines import BATCH_CHARACTERS
from fuzzbow.tasks.formats.table import AS_IT_IS, Reading, Record, Records, Table, Write
from fuzzbow.tasks.formats.workbook_limits import MOST_ROWS, check_workbook, too_many_rows

# what reading a damaged workbook can raise
UNREADABLE = (*BROKEN, KeyError, TypeError, AttributeError, SyntaxError, IndexError)
CELL = 16  # characters that an empty cell counts for


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
    check_workbook(path)
    try:
        # an open file, for openpyxl wants a path to end as workbooks do, and stdin's has no ending
        with path.open("rb") as file:
            book = load_workbook(file, read_only=True, data_only=True)
            sheet = book.worksheets[0]
            sheet.reset_dimensions()  # which not all programs write as they are
            for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
                if number > MOST_ROWS:
                    raise too_many_rows(str(path))
                yield row
    except InputError:
        raise
    except UNREADABLE as error:
        raise DataError(f"{path}: not a readable Excel file: {error}") from error


def _header(path: Path, row: tuple[Any, ...]) -> list[str]:
    """The names of the columns; empty cells at the end are none."""
    names = [_text(value) or "" for value in row]
    while names and not names[-1]:
        names.pop()
    if not names:
        raise DataError(f"{path}: must begin with a row of column names; got an empty sheet")
    if len(set(names)) < len(names) or "" in names:
        raise DataError(f"{path}: column names must be there and differ; got {', '.join(names)}")
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
    """Lists of at most `size` records, fewer where they are very long."""
    batch: Records = []
    characters = 0
    for record in records:
        batch.append(record)
        characters += sum(len(value or "") + CELL for value in record.values())
        if len(batch) == size or characters > BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


EXCEL = Excel()
