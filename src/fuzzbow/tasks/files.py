"""Tables in files, streamed in: CSV, TSV, JSON lines and Parquet.

A table is its columns and batches of records. Text formats are passed through as they
stand: every value of a CSV or TSV file stays the string that it is.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from fuzzbow.errors import InputError
from fuzzbow.streams import LONGEST_LINE, WRITERS, open_stream

Record = dict[str, Any]  # one row: column -> value
Records = list[Record]
Progress = Callable[[int, int | None], None]  # rows done, of how many if that is known

BATCH_ROWS = 16_384  # rows that are read, scored or stored at once


class Format(str, Enum):
    """What a file holds."""

    CSV = "csv"
    TSV = "tsv"
    JSONL = "jsonl"
    PARQUET = "parquet"


SUFFIXES = {
    ".csv": Format.CSV,
    ".tsv": Format.TSV,
    ".jsonl": Format.JSONL,
    ".ndjson": Format.JSONL,
    ".parquet": Format.PARQUET,
}
DEEPEST_JSON = 100  # lists and objects inside each other
NOT_DEEP = f"at most {DEEPEST_JSON} levels deep"
BATCH_CHARACTERS = 1 << 26  # a batch with so many ends before it has all its rows

csv.field_size_limit(LONGEST_LINE)  # a text may be megabytes long


class Tabs(csv.excel_tab):
    """Tab-separated values as they are defined: no quoting, a quote is a character."""

    quoting = csv.QUOTE_NONE
    quotechar = None
    lineterminator = "\n"


class Commas(csv.excel):
    """Comma-separated values with one kind of line end."""

    lineterminator = "\n"


DIALECTS: dict[Format, type[csv.Dialect]] = {Format.CSV: Commas, Format.TSV: Tabs}


@dataclass(frozen=True)
class Table:
    """A file being read; `schema` is Parquet's, which has types to keep."""

    columns: list[str]
    batches: Iterator[Records]
    rows: int | None = None
    schema: Any = None


def format_of(path: Path) -> Format:
    """The format that a name stands for, compression aside."""
    suffix = Path(path.stem).suffix if path.suffix in WRITERS else path.suffix
    if suffix.lower() in SUFFIXES:
        return SUFFIXES[suffix.lower()]
    raise InputError(
        f"'{path}' must end in one of {', '.join(SUFFIXES)}"
        f" ({', '.join(WRITERS)} may follow a text format)"
    )


def read_table(path: Path, *, batch_rows: int) -> Table:
    """Open a table; its rows come in batches of at most `batch_rows`."""
    kind = format_of(path)
    if not path.is_file():
        what = "a directory" if path.is_dir() else "nothing there"
        raise InputError(f"'{path}' must be a file; got {what}")
    if kind is Format.PARQUET:
        return _read_parquet(path, batch_rows)
    lines = _Lines(path)
    if kind is Format.JSONL:
        records = _json_records(lines)
        first = next(records, None)
        if first is None:
            raise InputError(f"{path}: must hold at least one JSON object; got an empty file")
        return Table(list(first), _batched(_chain(first, records), lines, batch_rows))
    rows = csv.reader(lines, DIALECTS[kind], strict=True)
    columns = _header(path, rows)
    return Table(columns, _batched(_csv_records(lines, rows, columns), lines, batch_rows))


class _Lines:
    """Decoded lines of a text file, line ends kept, and how much of it has been read.

    A record that spans lines is held to the length of one: a quote that never ends would
    make the rest of the file one value.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.number = 0
        self.characters = 0
        self.record_began = 0  # at which character; set by whoever knows where a record ends

    def __iter__(self) -> Iterator[str]:
        with open_stream(self.path) as stream:
            named = self.path.suffix if self.path.suffix in WRITERS else stream.compression
            if stream.head and named != stream.compression:
                raise InputError(
                    f"{self.path}: broken compression: its name says {named}, its content does not"
                )
            for line in stream.text_lines():
                self.number += 1
                self.characters += len(line)
                if self.characters - self.record_began > LONGEST_LINE:
                    raise self._too_long()
                yield line

    def _too_long(self) -> InputError:
        return InputError(
            f"{self.path}, line {self.number}: a record must have at most {LONGEST_LINE}"
            " characters; it has more (is a quote left open?)"
        )


def _header(path: Path, rows: Any) -> list[str]:
    """The column names of a CSV or TSV file."""
    try:
        columns: list[str] = next(rows, [])
    except csv.Error as error:
        raise InputError(f"{path}, line {rows.line_num}: {error}") from error
    if not columns:
        raise InputError(f"{path}: must begin with a row of column names; got an empty file")
    if len(set(columns)) < len(columns):
        raise InputError(f"{path}: column names must differ; got {', '.join(columns)}")
    return columns


def _csv_records(lines: _Lines, rows: Any, columns: list[str]) -> Iterator[Record]:
    """Rows as records; each must have as many fields as there are columns."""
    place = f"{lines.path}, line"
    lines.record_began = lines.characters
    try:
        for row in rows:
            lines.record_began = lines.characters
            if len(row) == len(columns):
                yield dict(zip(columns, row, strict=True))
            elif row:
                raise InputError(
                    f"{place} {rows.line_num}: must have {len(columns)} fields; got {len(row)}"
                )
    except csv.Error as error:
        raise InputError(f"{place} {rows.line_num}: {error}") from error


def _json_records(lines: _Lines) -> Iterator[Record]:
    """One object for each line that is not blank."""
    for line in lines:
        lines.record_began = lines.characters
        if not line.strip():
            continue
        place = f"{lines.path}, line {lines.number}"
        try:
            record = json.loads(line)
        except ValueError as error:
            raise InputError(f"{place}: must be JSON: {error}") from error
        except (RecursionError, MemoryError) as error:
            raise InputError(f"{place}: must be JSON that fits in memory, {NOT_DEEP}") from error
        if not isinstance(record, dict):
            raise InputError(f"{place}: must be a JSON object; got {line[:40]!r}")
        # most lines have fewer brackets than the depth that is allowed
        if line.count("[") + line.count("{") > DEEPEST_JSON and _depth(record) > DEEPEST_JSON:
            raise InputError(f"{place}: must be JSON {NOT_DEEP}")
        yield record


def _depth(value: Any) -> int:
    """How many lists and objects lie inside each other at most."""
    depth, level = 0, [value]
    while level := [item for item in level if isinstance(item, dict | list)]:
        depth += 1
        level = [
            inner for item in level for inner in (item.values() if isinstance(item, dict) else item)
        ]
    return depth


def _chain(first: Record, rest: Iterator[Record]) -> Iterator[Record]:
    yield first
    yield from rest


def _batched(records: Iterator[Record], lines: _Lines, size: int) -> Iterator[Records]:
    """Lists of at most `size` records, fewer where they are very long."""
    batch: Records = []
    began = 0
    for record in records:
        batch.append(record)
        if len(batch) == size or lines.characters - began > BATCH_CHARACTERS:
            yield batch
            batch, began = [], lines.characters
    if batch:
        yield batch


# what Arrow raises for damaged files, and what Python does with the values in them
UNREADABLE = (OSError, ValueError, OverflowError, TypeError, KeyError, MemoryError)


def _read_parquet(path: Path, batch_rows: int) -> Table:
    """Row groups, a batch at a time."""
    import pyarrow.parquet as pq
    from pyarrow import ArrowException

    unreadable = (ArrowException, *UNREADABLE)
    try:
        file = pq.ParquetFile(path)
        schema = file.schema_arrow
        names, rows = list(schema.names), file.metadata.num_rows
    except unreadable as error:
        raise InputError(f"{path}: not a readable Parquet file: {error}") from error

    def batches() -> Iterator[Records]:
        parts = file.iter_batches(batch_size=batch_rows)
        while True:
            try:
                part = next(parts, None)
                records = None if part is None else part.to_pylist()
            except unreadable as error:
                raise InputError(f"{path}: broken Parquet file: {error}") from error
            if records is None:
                return
            yield records

    return Table(names, batches(), rows, schema)
