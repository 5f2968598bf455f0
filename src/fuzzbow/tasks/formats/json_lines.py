"""JSON: one object on each line, or one array of objects or texts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain
from typing import IO, Any

from fuzzbow.errors import DataError, InputError
from fuzzbow.tasks.formats.lines import Lines
from fuzzbow.tasks.formats.table import Record, Write
from fuzzbow.tasks.formats.text import TextFormat

DEEPEST_JSON = 100  # lists and objects inside each other
MARKS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},]')  # strings, so that no mark in one counts
NOT_DEEP = f"at most {DEEPEST_JSON} levels deep"


def _read(lines: Lines) -> tuple[list[str], Iterator[Record]]:
    """The columns are those of the first object."""
    records = _records(lines)
    first = next(records, None)
    if first is None:
        raise DataError(f"{lines.path}: must hold at least one JSON object; got an empty file")
    return list(first), chain([first], records)


def _records(lines: Lines) -> Iterator[Record]:
    """Read one object from each line that is not blank, or the elements of one array."""
    stream = iter(lines)
    first = next((line for line in stream if line.strip()), "")
    if first.lstrip().startswith("["):
        parts = _elements(lines, chain([first], stream))
    else:
        parts = _lines(lines, chain([first], stream))
    for part, place in parts:
        try:
            record = _record(part, place)
        except InputError as error:
            lines.refuse(error)
        else:
            yield record


def _lines(lines: Lines, stream: Iterator[str]) -> Iterator[tuple[str, str]]:
    """Lines that are not blank, and where each is."""
    for line in stream:
        lines.record_began = lines.characters
        if line.strip():
            yield line, f"{lines.path}, line {lines.number}"


def _elements(lines: Lines, stream: Iterator[str]) -> Iterator[tuple[str, str]]:
    """Elements of the one array of a file as JSON, and where each ends.

    No string of JSON goes over a line end, so that brackets and commas are found line by line.
    """
    parts: list[str] = []
    depth, found = 0, False
    for line in stream:
        start = 0
        place = f"{lines.path}, line {lines.number}"
        for token in MARKS.finditer(line):
            mark, at = token[0], token.start()
            if depth == 0 and (found or mark != "["):
                raise DataError(f"{place}: must end with the array; got {line[at : at + 40]!r}")
            if depth == 1 and mark in ",]":
                part = "".join([*parts, line[start:at]])
                if part.strip() or mark == "," or found:
                    yield _as_object(part), place
                parts, start, found = [], at + 1, True
                lines.record_began = lines.characters
            elif depth == 0:
                start = at + 1
            depth += (mark in "[{") - (mark in "]}")
        rest = line[start:]
        if depth > 0:
            parts.append(rest)
        elif rest.strip():
            raise DataError(f"{lines.path}, line {lines.number}: must end with the array")
    if depth > 0:
        raise DataError(f"{lines.path}: must be JSON; the array does not end")


def _as_object(part: str) -> str:
    """A text of an array as an object with a column `text`."""
    return f'{{"text": {part}}}' if part.lstrip().startswith('"') else part


def _record(line: str, place: str) -> Record:
    """The object of a line."""
    try:
        record = json.loads(line)
    except ValueError as error:
        raise DataError(f"{place}: must be JSON: {error}") from error
    except (RecursionError, MemoryError) as error:
        raise DataError(f"{place}: must be JSON that fits in memory, {NOT_DEEP}") from error
    if not isinstance(record, dict):
        raise DataError(f"{place}: must be a JSON object; got {line[:40]!r}")
    # most lines have fewer brackets than the depth that is allowed
    if line.count("[") + line.count("{") > DEEPEST_JSON and _depth(record) > DEEPEST_JSON:
        raise DataError(f"{place}: must be JSON {NOT_DEEP}")
    return record


def _depth(value: Any) -> int:
    """How many lists and objects lie inside each other at most."""
    depth, level = 0, [value]
    while level := [item for item in level if isinstance(item, dict | list)]:
        depth += 1
        level = [
            inner for item in level for inner in (item.values() if isinstance(item, dict) else item)
        ]
    return depth


def json_line(data: Any, encoding: str | None, *, allow_nan: bool = True) -> str:
    """One line of JSON; escaped to ASCII if the encoding (None is UTF-8) cannot hold it."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=allow_nan) + "\n"
    try:
        text.encode(encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(data, allow_nan=allow_nan) + "\n"
    return text


def _write(stream: IO[str], columns: list[str], delimiter: str | None) -> Write:
    encoding = getattr(stream, "encoding", None)
    return lambda records: stream.writelines(json_line(record, encoding) for record in records)


JSONL = TextFormat("jsonl", (".jsonl", ".ndjson", ".json"), _read, _write)
