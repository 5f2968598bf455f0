"""The format of a table without a name, by its first bytes."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from fuzzbow.errors import DataError
from fuzzbow.streams import HEAD, encoding_of, open_stream
from fuzzbow.tasks.formats.delimited import DELIMITERS
from fuzzbow.tasks.formats.table import Reading

MARKS = {b"PAR1": "parquet", b"PK\x03\x04": "xlsx"}  # first bytes of formats that are not text
SAMPLE = 20  # lines that must have as many fields as the first
COLUMN_NAME = re.compile(r"[\w.-]+")  # alone in a line it is a header, not a text


def recognised_format(path: Path, reading: Reading) -> str:
    """Name the format of a file: what its first bytes, or else its first lines, look like."""
    with path.open("rb") as file:
        begin = file.read(4)
    if begin in MARKS:
        return MARKS[begin]
    with open_stream(path) as stream:
        head = stream.head
    text = head.decode(reading.encoding or encoding_of(head), "replace").removeprefix("\ufeff")
    if not text.strip():
        raise DataError(f"{path}: must hold a table; got an empty file")
    if text.lstrip()[0] in "[{":
        return "jsonl"
    lines = text.splitlines(keepends=True)
    return _delimited(
        lines if len(lines) == 1 or len(head) < HEAD else lines[:-1], reading.delimiter
    )


def _delimited(lines: list[str], delimiter: str | None) -> str:
    """Tell CSV and TSV from plain text by whether the first lines have as many fields."""
    first = lines[0].strip()
    if "\t" in first and delimiter is None and _fits(lines, "\t"):
        return "tsv"
    if delimiter is not None or any(mark in first and _fits(lines, mark) for mark in DELIMITERS):
        return "csv"
    return "csv" if COLUMN_NAME.fullmatch(first.strip('"')) else "txt"


def _fits(lines: list[str], delimiter: str) -> bool:
    """Whether the first rows have several fields, and equally many."""
    rows = csv.reader(lines[:SAMPLE], delimiter=delimiter)
    try:
        counts = [len(row) for row in rows if row]
    except csv.Error:
        return False
    return counts[0] > 1 and len(set(counts)) == 1
