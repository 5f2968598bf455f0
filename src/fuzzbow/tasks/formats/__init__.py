"""Formats of table files. A new one is registered in FORMATS, and nowhere else."""

from __future__ import annotations

from pathlib import Path

from fuzzbow.errors import InputError, nearest
from fuzzbow.streams import WRITERS
from fuzzbow.tasks.formats.delimited import CSV, TSV
from fuzzbow.tasks.formats.excel import EXCEL
from fuzzbow.tasks.formats.json_lines import JSONL, json_line
from fuzzbow.tasks.formats.lines import Lines
from fuzzbow.tasks.formats.parquet import PARQUET
from fuzzbow.tasks.formats.plain_text import TXT
from fuzzbow.tasks.formats.recognition import recognised_format
from fuzzbow.tasks.formats.table import (
    AS_IT_IS,
    BadRows,
    Reading,
    Record,
    Records,
    Table,
    TableFormat,
    Write,
    stored_names,
)
from fuzzbow.tasks.formats.text import TextFormat

__all__ = [
    "AS_IT_IS",
    "CSV",
    "EXCEL",
    "FORMATS",
    "JSONL",
    "PARQUET",
    "TSV",
    "TXT",
    "BadRows",
    "Lines",
    "Reading",
    "Record",
    "Records",
    "Table",
    "TableFormat",
    "TextFormat",
    "Write",
    "format_named",
    "format_of",
    "json_line",
    "recognised_format",
    "stored_names",
]

FORMATS: list[TableFormat] = [CSV, TSV, JSONL, TXT, PARQUET, EXCEL]


def format_of(path: Path, *, writing: bool = False) -> TableFormat:
    """The format that the name of a file tells, compression aside."""
    suffix = Path(path.stem).suffix if path.suffix in WRITERS else path.suffix
    usable = [known for known in FORMATS if known.writable or not writing]
    for known in usable:
        if suffix.lower() in known.suffixes:
            return known
    suffixes = (suffix for known in usable for suffix in known.suffixes)
    raise InputError(
        f"'{path}' must end in one of {', '.join(suffixes)}"
        f" ({', '.join(WRITERS)} may follow a text format)"
    )


def format_named(name: str) -> TableFormat:
    """The format of that name."""
    names = [known.name for known in FORMATS]
    if name not in names:
        raise InputError(
            f"format must be one of {', '.join(names)}; got {name!r:.40}{nearest(name, names)}"
        )
    return FORMATS[names.index(name)]
