"""CSV and TSV; all values are strings.

Arrow parses blocks of whole records. Runs of quotes decide where a record ends, since a run of an
odd number of quotes opens or closes a value. A quote in a position that only a lenient parser
accepts, and a block with a row of a wrong length, are left to Python's parser, which is strict and
knows the numbers of lines.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from fuzzbow.errors import DataError, InputError
from fuzzbow.io.streams import LONGEST_LINE
from fuzzbow.io.tables import Reading, Table, TableFormat, Write, batched, stored_names
from fuzzbow.io.text import TextFile
from fuzzbow.io.values import as_fields, joined_lines, rows_with
from fuzzbow.plurals import counted

csv.field_size_limit(LONGEST_LINE)  # a text may be megabytes long
DELIMITERS = ",;\t|"  # of CSV; the most frequent in the header, outside quotes
SAMPLE = 20  # lines that must have as many fields as the first
COLUMN_NAME = re.compile(r"[\w.-]+")  # alone in a line it is a header, not a text
QUOTE, LINE_ENDS = ord('"'), (ord("\n"), ord("\r"))


def _read(one_line: bool, path: Path, options: Reading, batch_rows: int) -> Table:
    """Open a file; if a row is one line, as in TSV, quotes are ordinary characters."""
    rows = _Rows(TextFile(path, options), one_line, batch_rows)
    schema = pa.schema([(column, pa.string()) for column in rows.columns])
    file, delimiter = rows.file, None if one_line else rows.delimiter
    share = lambda: file.share  # noqa: E731
    return Table(schema, rows.batches(), share=share, bad=file.bad, delimiter=delimiter)


@contextmanager
def _write(one_line: bool, sink: Any, schema: pa.Schema, delimiter: str | None) -> Iterator[Write]:
    """Write the header, and yield a function that writes rows."""
    between = "\t" if one_line else delimiter or ","

    def write(batch: Any) -> None:
        parts: list[Any] = []
        for name in schema.names:
            texts = as_fields(batch.schema.field(name), batch.column(name))
            parts += [_quote(texts, between, one_line, len(schema) == 1), between]
        sink.write(joined_lines([*parts[:-1], "\n"]))

    names = stored_names(schema.names)
    write(pa.record_batch([pa.array([name]) for name in names], names=schema.names))
    yield write


def _quote(texts: Any, between: str, one_line: bool, alone: bool) -> Any:
    """Quote fields that contain a delimiter, a quote or a line end; TSV refuses these."""
    if between.isascii():
        found = rows_with(texts, b"\t\r\n" if one_line else between.encode() + b'\r\n"')
    else:
        found = pc.match_substring_regex(texts, f'[{between}\\r\\n"]')
    if alone and not one_line:  # a blank line would be no row
        found = pc.or_(found, pc.equal(texts, ""))
    if not pc.any(found).as_py():
        return texts
    if one_line:
        raise DataError(
            "a value holds a tab or a line end, which TSV cannot represent; write .csv or .jsonl"
        )
    quote, nothing = pa.scalar('"', texts.type), pa.scalar("", texts.type)
    doubled = pc.replace_substring(texts, '"', '""')
    return pc.if_else(found, pc.binary_join_element_wise(quote, doubled, quote, nothing), texts)


CSV = TableFormat("csv", (".csv",), partial(_read, False), partial(_write, False))
TSV = TableFormat("tsv", (".tsv",), partial(_read, True), partial(_write, True), one_line=True)


class _Rows:
    """Rows of an open file, of which the header is read first."""

    def __init__(self, file: TextFile, one_line: bool, batch_rows: int) -> None:
        self.file, self.batch_rows, self._one_line = file, batch_rows, one_line
        self._blocks = file.blocks
        data = next(self._blocks, b"")
        first = data[: 1 << 20].decode("utf-8", "ignore").splitlines() or [""]
        given = file.options.delimiter
        self.delimiter = given or ("\t" if one_line else delimiter_of(first[0]))
        while True:
            error = None
            try:
                self.columns, used = self._header(data)
            except csv.Error as raised:
                error, used = raised, len(data)
            more = next(self._blocks, b"") if used == len(data) else b""
            if not more or len(data) > LONGEST_LINE:
                break
            data += more
        if error is not None:
            raise DataError(f"{file.path}, line 1: {_reason(error)}") from error
        if not self.columns:
            raise DataError(
                f"{file.path}: must begin with a row of column names; got an empty file"
            )
        if len(set(self.columns)) < len(self.columns):
            raise DataError(f"{file.path}: column names must differ; got {', '.join(self.columns)}")
        file.skip(data[:used])
        file.advance(used)
        self._rest = data[used:]

    def _header(self, data: bytes) -> tuple[list[str], int]:
        """Parse the first record: its fields and its size in bytes."""
        used = 0

        def lines() -> Iterator[str]:
            nonlocal used
            for line in data.splitlines(keepends=True):
                used += len(line)
                yield line.decode("utf-8", "replace")

        return next(self._parse(lines()), []), used

    def _parse(self, lines: Iterable[str]) -> Any:
        quoting: Any = csv.QUOTE_NONE if self._one_line else csv.QUOTE_MINIMAL
        return csv.reader(lines, delimiter=self.delimiter, quoting=quoting, strict=True)

    def batches(self) -> Iterator[Any]:
        """Read the rows by blocks."""
        rest, least = b"", 0
        quick = self.delimiter.isascii()
        for block in chain([self._rest], self._blocks, [None]):
            data = rest + (b"\n" if block is None else block)
            if block is not None and len(data) < least:
                rest = data
                continue
            end = self._end(data) if quick else None
            least = 0 if end else 2 * len(data)  # so that a long record is not scanned too often
            rest = b"" if end is None else data[end:]
            if end is None or len(rest) > LONGEST_LINE or (block is None and rest):
                yield from self._parse_strictly(self.file.record_lines(data))
                return
            yield from self._parsed(data[:end])

    def _end(self, data: bytes) -> int | None:
        """Return the end of the last whole record; None if a quote is in an unusual position."""
        end = max(data.rfind(b"\n"), data.rfind(b"\r", 0, len(data) - 1)) + 1
        if self._one_line or b'"' not in data:
            return end
        codes = np.frombuffer(data, np.uint8, end)
        quotes = np.flatnonzero(codes == QUOTE)
        first = np.flatnonzero(np.diff(quotes, prepend=-2) != 1)
        sizes = np.diff(first, append=len(quotes))
        starts, odd = quotes[first], sizes % 2 == 1
        is_edge = np.zeros(256, np.bool_)
        is_edge[[*LINE_ENDS, ord(self.delimiter)]] = True
        opens = (starts == 0) | is_edge[codes[starts - 1]]
        closes = is_edge[codes[starts + sizes]]  # the last code is a line end
        inside = (np.cumsum(odd) - odd) % 2 == 1
        if not np.where(inside, ~odd | closes, opens & (odd | closes)).all():
            return None
        toggles = starts[odd]
        if len(toggles) % 2 == 0:
            return end
        # a value is open at the end: the last line end outside of values
        ends = np.flatnonzero((codes == LINE_ENDS[0]) | (codes == LINE_ENDS[1]))
        outside = ends[np.searchsorted(toggles, ends) % 2 == 0]
        return int(outside[-1]) + 1 if len(outside) else 0

    def _parsed(self, data: bytes) -> Iterator[Any]:
        """Parse a block of whole records."""
        if not data.strip(b"\r\n"):
            self.file.skip(data)
            return
        wrong: list[Any] = []

        def skip(row: Any) -> str:
            wrong.append(row)
            return "skip"

        table = pacsv.read_csv(
            pa.py_buffer(data),
            pacsv.ReadOptions(
                column_names=self.columns, block_size=len(data) + 1, use_threads=False
            ),
            pacsv.ParseOptions(
                delimiter=self.delimiter,
                quote_char=False if self._one_line else '"',
                newlines_in_values=not self._one_line,
                invalid_row_handler=skip,
            ),
            pacsv.ConvertOptions(
                column_types=dict.fromkeys(self.columns, pa.string()),
                null_values=[],
                check_utf8=False,  # the file has decoded it
            ),
        )
        if wrong:
            yield from self._parse_strictly(self.file.lines_of(data))
            return
        for batch in table.combine_chunks().to_batches():
            for start in range(0, len(batch), self.batch_rows):
                part = batch.slice(start, self.batch_rows)
                self.file.advance(round(len(data) * len(part) / len(batch)))
                yield part
        self.file.skip(data)

    def _parse_strictly(self, lines: Iterator[str]) -> Iterator[Any]:
        """Parse lines one by one, and refuse malformed rows."""
        self.file.end_record()
        for batch in batched(self._strict_rows(self._parse(lines)), self.batch_rows):
            columns = [pa.array(column, pa.string()) for column in zip(*batch, strict=True)]
            yield pa.record_batch(columns, names=self.columns)

    def _strict_rows(self, parsed: Any) -> Iterator[tuple[list[str], int]]:
        row: list[str] | None = []
        while row is not None:
            first = self.file.line + 1
            try:
                row = next(parsed, None)
            except csv.Error as error:
                row = []
                self.file.refuse(DataError(f"{self.file.path}, line {first}: {_reason(error)}"))
            size = self.file.end_record()
            if row and len(row) != len(self.columns):
                fields = counted(len(self.columns), "field")
                problem = f"must have {fields}; got {len(row)}"
                self.file.refuse(InputError(f"{self.file.path}, line {first}: {problem}"))
            elif row:
                yield row, size


def delimiter_of(header: str) -> str:
    """Return the delimiter that separates most columns of a header; on ties, a comma.

    >>> delimiter_of('id;"name, first";year')
    ';'
    """
    outside = "".join(header.split('"')[::2])
    return max(DELIMITERS, key=outside.count)


def fitting_format(lines: list[str], delimiter: str | None) -> str:
    """Distinguish CSV and TSV from plain text: their first lines have equally many fields."""
    first = lines[0].strip()
    if "\t" in first and delimiter is None and _fits(lines, "\t"):
        return "tsv"
    if delimiter is not None or any(mark in first and _fits(lines, mark) for mark in DELIMITERS):
        return "csv"
    return "csv" if COLUMN_NAME.fullmatch(first.strip('"')) else "txt"


def _fits(lines: list[str], delimiter: str) -> bool:
    """Return whether the first rows have several fields, and equally many."""
    rows = csv.reader(lines[:SAMPLE], delimiter=delimiter)
    try:
        counts = [len(row) for row in rows if row]
    except csv.Error:
        return False
    return counts[0] > 1 and len(set(counts)) == 1


def _reason(error: csv.Error) -> str:
    """Explain the error of a malformed row."""
    if "unexpected end" in str(error):
        return "a quote is opened here and never closed"
    return str(error)
