"""Formats of table files. A new one is registered in FORMATS, and nowhere else."""

from __future__ import annotations

from pathlib import Path

from fuzzbow.errors import InputError
from fuzzbow.streams import WRITERS
from fuzzbow.tasks.formats.delimited import CSV, TSV
from fuzzbow.tasks.formats.json_lines import JSONL, json_line
from fuzzbow.tasks.formats.lines import Lines
from fuzzbow.tasks.formats.parquet import PARQUET
from fuzzbow.tasks.formats.table import (
    Record,
    Records,
    Table,
    TableFormat,
    Write,
    stored_names,
)
from fuzzbow.tasks.formats.text import TextFormat

__all__ = [
    "CSV",
    "FORMATS",
    "JSONL",
    "PARQUET",
    "TSV",
    "Lines",
    "Record",
    "Records",
    "Table",
    "TableFormat",
    "TextFormat",
    "Write",
    "format_of",
    "json_line",
    "stored_names",
]

FORMATS: list[TableFormat] = [CSV, TSV, JSONL, PARQUET]


def format_of(path: Path) -> TableFormat:
    """The format that the name of a file tells, compression aside."""
    suffix = Path(path.stem).suffix if path.suffix in WRITERS else path.suffix
    for known in FORMATS:
        if suffix.lower() in known.suffixes:
            return known
    suffixes = (suffix for known in FORMATS for suffix in known.suffixes)
    raise InputError(
        f"'{path}' must end in one of {', '.join(suffixes)}"
        f" ({', '.join(WRITERS)} may follow a text format)"
    )
