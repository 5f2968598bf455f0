"""CSV and TSV. Every value of such a file stays the string that it is."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, Any

from fuzzbow.errors import DataError, InputError
from fuzzbow.plurals import counted
from fuzzbow.streams import LONGEST_LINE
from fuzzbow.tasks.formats.lines import Lines
from fuzzbow.tasks.formats.table import Record, Records, Write, stored_names
from fuzzbow.tasks.formats.text import TextFormat
from fuzzbow.text import whole_value

csv.field_size_limit(LONGEST_LINE)  # a text may be megabytes long


class Tabs(csv.excel_tab):
    """Tab-separated values as they are defined: no quoting, a quote is a character."""

    quoting = csv.QUOTE_NONE
    quotechar = None
    lineterminator = "\n"


class Commas(csv.excel):
    """Comma-separated values with one kind of line end."""

    lineterminator = "\n"


DELIMITERS = ",;\t|"  # of files that are called CSV, by how many there are


def _read(dialect: type[csv.Dialect], lines: Lines) -> tuple[list[str], Iterator[Record]]:
    stream = iter(lines)
    first = next(stream, "")
    delimiter = lines.reading.delimiter or dialect.delimiter
    if dialect is Commas:
        delimiter = lines.delimiter = lines.reading.delimiter or _delimiter_of(first)
    rows = csv.reader(chain([first], stream), dialect, strict=True, delimiter=delimiter)
    columns = _header(lines.path, rows)
    return columns, _records(lines, rows, columns)


def _delimiter_of(header: str) -> str:
    """What separates most columns of a header, outside quotes; a comma among equals.

    >>> _delimiter_of('id;"name, first";year')
    ';'
    """
    outside = "".join(header.split('"')[::2])
    return max(DELIMITERS, key=outside.count)


def _header(path: Path, rows: Any) -> list[str]:
    """The column names of a CSV or TSV file."""
    try:
        columns: list[str] = next(rows, [])
    except csv.Error as error:
        raise DataError(f"{path}, line {rows.line_num}: {error}") from error
    if not columns:
        raise DataError(f"{path}: must begin with a row of column names; got an empty file")
    if len(set(columns)) < len(columns):
        raise DataError(f"{path}: column names must differ; got {', '.join(columns)}")
    return columns


def _records(lines: Lines, rows: Any, columns: list[str]) -> Iterator[Record]:
    """Rows as records; each must have as many fields as there are columns."""
    place = f"{lines.path}, line"
    lines.record_began = lines.characters
    while True:
        began = rows.line_num + 1
        try:
            row = next(rows, None)
        except csv.Error as error:
            lines.refuse(DataError(f"{place} {began}: {_reason(error)}"))
            lines.record_began = lines.characters
            continue
        if row is None:
            return
        lines.record_began = lines.characters
        if len(row) == len(columns):
            yield dict(zip(columns, row, strict=True))
        elif row:
            lines.refuse(
                InputError(
                    f"{place} {began}: must have {counted(len(columns), 'field')}; got {len(row)}"
                )
            )


def _reason(error: csv.Error) -> str:
    """What is wrong with a row, in plain words."""
    if "unexpected end" in str(error):
        return "a quote is opened here and never closed"
    return str(error)


def _write(
    dialect: type[csv.Dialect], stream: IO[str], columns: list[str], delimiter: str | None
) -> Write:
    rows = csv.writer(stream, dialect)
    if dialect is Commas and delimiter is not None:
        rows = csv.writer(stream, dialect, delimiter=delimiter)
    rows.writerow(stored_names(columns))
    return lambda records: _write_rows(rows, records, columns)


def _write_rows(rows: Any, records: Records, columns: list[str]) -> None:
    try:
        rows.writerows(
            [whole_value(record.get(column)) for column in columns] for record in records
        )
    except csv.Error as error:
        raise DataError(
            f"a value holds a tab or a line end, which TSV cannot; write .csv or .jsonl ({error})"
        ) from error


CSV = TextFormat("csv", (".csv",), partial(_read, Commas), partial(_write, Commas))
TSV = TextFormat("tsv", (".tsv",), partial(_read, Tabs), partial(_write, Tabs), one_line=True)
