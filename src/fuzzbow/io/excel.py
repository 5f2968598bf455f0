"""Reading of Excel workbooks: the first sheet, with all values as strings, as in CSV.

A workbook is a zip archive of XML, so that a small file may hold huge parts. openpyxl keeps
in memory all shared strings, one row of a sheet, and the whole of every other part. So the archive
is checked by its directory, and each large part is read once by a parser that stores nothing.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time
from pathlib import Path
from typing import Any
from xml.parsers import expat

import pyarrow as pa

from fuzzbow.errors import DataError, InputError, MissingExtraError
from fuzzbow.io.streams import BROKEN, LARGEST_TEXT, LONGEST_LINE, damaged, largest_unpacked
from fuzzbow.io.tables import Reading, Table, TableFormat, batched

# what reading a damaged workbook can raise
UNREADABLE = (*BROKEN, KeyError, TypeError, AttributeError, SyntaxError, IndexError)
CELL = 16  # bytes that an empty cell counts for
MOST_ROWS = 1 << 20  # of a sheet, as in Excel
TOO_MANY_ROWS = f"a sheet must have at most {MOST_ROWS} rows; it has more"
LARGE_PART = 1 << 24  # bytes; a smaller part fits into memory, whatever it holds
MOST_ELEMENTS = 1 << 20  # of XML in one row of a sheet, or in one string
LONGEST_TAG = 1 << 20  # bytes; the parser reads a tag again with every piece of it
STRING_BYTES = 100  # of a shared string besides its characters
CHUNK = 1 << 16
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # begins workbooks with a password, and those before 2007
RECORDS = {"worksheet": "row", "sst": "si"}  # root of a part -> the element that it repeats


def _read(path: Path, options: Reading, batch_rows: int) -> Table:
    """Open a file; its rows come in batches of at most `batch_rows`."""
    rows = _rows(path)
    names = [_text(value) or "" for value in next(rows, ())]
    while names and not names[-1]:  # empty cells at the end
        names.pop()
    if not names:
        raise DataError(f"{path}: must begin with a row of column names; got an empty sheet")
    if len(set(names)) < len(names) or "" in names:
        raise DataError(f"{path}: column names must be present and differ; got {', '.join(names)}")
    schema = pa.schema([(name, pa.string()) for name in names])

    def texts() -> Iterator[tuple[list[str | None], int]]:
        for row in rows:
            values = [_text(value) for value in row[: len(names)]]
            if any(value is not None for value in values):  # as a blank line of CSV is none
                size = sum(len(value or "") + CELL for value in values)
                yield values + [None] * (len(names) - len(values)), size

    batches = (
        pa.record_batch(list(map(list, zip(*batch, strict=True))), schema=schema)
        for batch in batched(texts(), batch_rows)
    )
    return Table(schema, batches)


EXCEL = TableFormat("xlsx", (".xlsx",), _read, is_text=False)


def _rows(path: Path) -> Iterator[tuple[Any, ...]]:
    """Read the rows of the first sheet, one at a time."""
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise MissingExtraError("openpyxl", "excel") from error
    _check_workbook(path)
    try:
        # an open file, for openpyxl wants a path to end as workbooks do, and stdin's has no ending
        with path.open("rb") as file:
            book = load_workbook(file, read_only=True, data_only=True)
            sheet = book.worksheets[0]
            sheet.reset_dimensions()  # which not all programs write as they are
            for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
                if number > MOST_ROWS:
                    raise DataError(f"{path}: {TOO_MANY_ROWS}")
                yield row
    except InputError:
        raise
    except UNREADABLE as error:
        raise DataError(f"{path}: not a readable Excel file: {error}") from error


def _text(value: Any) -> str | None:
    """Write a cell as Excel would export it; None if it is empty."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, datetime | date | time) else str(value)


def _check_workbook(path: Path) -> None:
    """Refuse a workbook that is encrypted, compressed in an unknown way, or too large."""
    with path.open("rb") as file:
        if file.read(len(OLE)) == OLE:
            raise DataError(
                f"{path}: not a readable Excel file: it is encrypted, or older than Excel 2007;"
                " save it as .xlsx without a password"
            )
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
            for part in parts:
                problem = f"{path}, {part.filename}: not a readable Excel file"
                if part.flag_bits & 1:
                    raise DataError(f"{problem}: it is encrypted")
                if part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    method = f"deflate, method 8; got method {part.compress_type}"
                    raise DataError(f"{problem}: its compression must be {method}")
            largest = largest_unpacked(path.stat().st_size)
            if sum(part.file_size for part in parts) > largest:
                raise DataError(
                    f"{path}: unpacks to more than {largest} bytes, which no file of its size"
                    " should; save the sheet as .csv if it is right"
                )
            for part in parts:
                if part.file_size > LARGE_PART:
                    _LargePart(f"{path}, {part.filename}").check(archive, part)
    except zipfile.BadZipFile as error:
        raise DataError(f"{path}: not a readable Excel file: {error}") from error
    except InputError:
        raise
    except BROKEN as error:
        raise damaged(str(path), error) from error


class _LargePart:
    """Sheet or shared strings being read."""

    def __init__(self, location: str) -> None:
        self._location = location
        self._record = ""  # the name of the element that the part repeats
        self._characters = self._elements = self._records = self._text = 0

    def check(self, archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> None:
        """Read the part and count its cells; invalid XML is left to openpyxl."""
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._add
        done = 0
        with archive.open(part) as content:
            while chunk := content.read(CHUNK):
                try:
                    parser.Parse(chunk)
                except expat.ExpatError:
                    return
                done += len(chunk)
                if done - parser.CurrentByteIndex > LONGEST_TAG:
                    raise self._error(f"a tag must have at most {LONGEST_TAG} bytes; one has more")

    def _start(self, name: str, attributes: Any) -> None:
        if not self._record:
            root = name.rpartition(" ")[2]
            if root not in RECORDS:
                what = f"at most {LARGE_PART} bytes, unless it is a sheet or the shared strings"
                raise self._error(f"must have {what}; it has more")
            self._record = RECORDS[root]
        self._elements += 1
        if self._elements > MOST_ELEMENTS:
            raise self._too_large()

    def _add(self, text: str) -> None:
        self._characters += len(text)
        if self._characters > LONGEST_LINE:
            raise self._too_large()

    def _end(self, name: str) -> None:
        if name.rpartition(" ")[2] != self._record:
            return
        self._records += 1
        self._text += self._characters + STRING_BYTES
        self._characters = self._elements = 0
        if self._record == "row" and self._records > MOST_ROWS:
            raise self._error(TOO_MANY_ROWS)
        if self._record == "si" and self._text > LARGEST_TEXT:
            most = f"the texts of a workbook must fit into {LARGEST_TEXT} bytes"
            raise self._error(f"{most}; save the sheet as .csv")

    def _too_large(self) -> DataError:
        what = "a row" if self._record == "row" else "a text"
        most = f"{LONGEST_LINE} characters and {MOST_ELEMENTS} elements of XML"
        return self._error(
            f"{what} must have at most {most}; {self._record} {self._records + 1} has more"
        )

    def _error(self, problem: str) -> DataError:
        return DataError(f"{self._location}: {problem}")
