"""Plain text: one text on each line, in a column `text`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from fuzzbow.errors import DataError, InputError
from fuzzbow.tasks.formats.lines import Lines
from fuzzbow.tasks.formats.table import Record, Write
from fuzzbow.tasks.formats.text import TextFormat

COLUMN = "text"


def _read(lines: Lines) -> tuple[list[str], Iterator[Record]]:
    return [COLUMN], _records(lines)


def _records(lines: Lines) -> Iterator[Record]:
    """One record for each line, blank ones too."""
    for line in lines:
        lines.record_began = lines.characters
        text = line.rstrip("\r\n")
        if "\0" in text:
            raise DataError(
                f"{lines.path}, line {lines.number}: must be text; it holds a zero byte"
            )
        yield {COLUMN: text}


def _write(stream: IO[str], columns: list[str], delimiter: str | None) -> Write:
    raise InputError("plain text is read, not written; write .csv or .jsonl")


TXT = TextFormat("txt", (".txt",), _read, _write, one_line=True, writable=False)
