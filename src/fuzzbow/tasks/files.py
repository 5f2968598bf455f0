"""Tables in files, streamed in: CSV, TSV, JSON lines and Parquet.

A table is its columns and batches of records. Text formats are passed through as they
stand: every value of a CSV or TSV file stays the string that it is.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import lzma
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import Any

from fuzzbow.errors import InputError

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
OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}

csv.field_size_limit(sys.maxsize)  # a text may be a megabyte long


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
    suffix = Path(path.stem).suffix if path.suffix in OPENERS else path.suffix
    if suffix.lower() in SUFFIXES:
        return SUFFIXES[suffix.lower()]
    raise InputError(
        f"'{path}' must end in one of {', '.join(SUFFIXES)}"
        f" ({', '.join(OPENERS)} may follow a text format)"
    )


def read_table(path: Path, *, batch_rows: int) -> Table:
    """Open a table; its rows come in batches of at most `batch_rows`."""
    kind = format_of(path)
    if not path.is_file():
        what = "a directory" if path.is_dir() else "nothing there"
        raise InputError(f"'{path}' must be a file; got {what}")
    if kind is Format.PARQUET:
        return _read_parquet(path, batch_rows)
    lines = _text_lines(path)
    if kind is Format.JSONL:
        records = _json_records(path, lines)
        first = next(records, None)
        if first is None:
            raise InputError(f"{path}: must hold at least one JSON object; got an empty file")
        return Table(list(first), _batched(_chain(first, records), batch_rows))
    rows = csv.reader(lines, DIALECTS[kind], strict=True)
    columns = _header(path, rows)
    return Table(columns, _batched(_csv_records(path, rows, columns), batch_rows))


def _text_lines(path: Path) -> Iterator[str]:
    """Decoded lines of a text file, line ends kept; bytes that are not UTF-8 are an error."""
    opener = OPENERS.get(path.suffix, open)
    number = 0
    try:
        with opener(path, "rt", encoding="utf-8-sig", newline="") as lines:
            for number, line in enumerate(lines, start=1):  # noqa: B007
                yield line
    except UnicodeDecodeError as error:
        raise InputError(f"{path}, after line {number}: must be UTF-8; {error.reason}") from error
    except (EOFError, gzip.BadGzipFile, lzma.LZMAError) as error:
        raise InputError(f"{path}, after line {number}: broken compression: {error}") from error


def _header(path: Path, rows: Any) -> list[str]:
    """The column names of a CSV or TSV file."""
    columns: list[str] = next(rows, [])
    if not columns:
        raise InputError(f"{path}: must begin with a row of column names; got an empty file")
    if len(set(columns)) < len(columns):
        raise InputError(f"{path}: column names must differ; got {', '.join(columns)}")
    return columns


def _csv_records(path: Path, rows: Any, columns: list[str]) -> Iterator[Record]:
    """Rows as records; each must have as many fields as there are columns."""
    try:
        for row in rows:
            if len(row) == len(columns):
                yield dict(zip(columns, row, strict=True))
            elif row:
                raise InputError(
                    f"{path}, line {rows.line_num}: must have {len(columns)} fields; got {len(row)}"
                )
    except csv.Error as error:
        raise InputError(f"{path}, line {rows.line_num}: {error}") from error


def _json_records(path: Path, lines: Iterable[str]) -> Iterator[Record]:
    """One object for each line that is not blank."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            raise InputError(f"{path}, line {number}: must be JSON: {error}") from error
        if not isinstance(record, dict):
            raise InputError(f"{path}, line {number}: must be a JSON object; got {line[:40]!r}")
        yield record


def _chain(first: Record, rest: Iterator[Record]) -> Iterator[Record]:
    yield first
    yield from rest


def _batched(records: Iterator[Record], size: int) -> Iterator[Records]:
    """Lists of at most `size` records."""
    return iter(lambda: list(islice(records, size)), [])


def _read_parquet(path: Path, batch_rows: int) -> Table:
    """Row groups, a batch at a time."""
    import pyarrow.parquet as pq
    from pyarrow import ArrowException

    try:
        file = pq.ParquetFile(path)
    except (ArrowException, OSError) as error:
        raise InputError(f"{path}: not a readable Parquet file: {error}") from error

    def batches() -> Iterator[Records]:
        try:
            for batch in file.iter_batches(batch_size=batch_rows):
                yield batch.to_pylist()
        except (ArrowException, OSError) as error:
            raise InputError(f"{path}: broken Parquet file: {error}") from error

    schema = file.schema_arrow
    return Table(schema.names, batches(), file.metadata.num_rows, schema)
