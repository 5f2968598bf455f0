"""JSON lines: one object on each line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from typing import IO, Any

from fuzzbow.errors import InputError
from fuzzbow.tasks.formats.lines import Lines
from fuzzbow.tasks.formats.table import Record, Write
from fuzzbow.tasks.formats.text import TextFormat

DEEPEST_JSON = 100  # lists and objects inside each other
NOT_DEEP = f"at most {DEEPEST_JSON} levels deep"


def _read(lines: Lines) -> tuple[list[str], Iterator[Record]]:
    """The columns are those of the first object."""
    records = _records(lines)
    first = next(records, None)
    if first is None:
        raise InputError(f"{lines.path}: must hold at least one JSON object; got an empty file")
    return list(first), chain([first], records)


def _records(lines: Lines) -> Iterator[Record]:
    """One object for each line that is not blank."""
    for line in lines:
        lines.record_began = lines.characters
        if not line.strip():
            continue
        try:
            record = _record(line, f"{lines.path}, line {lines.number}")
        except InputError as error:
            lines.refuse(error)
        else:
            yield record


def _record(line: str, place: str) -> Record:
    """The object of a line."""
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


def _write(stream: IO[str], columns: list[str]) -> Write:
    encoding = getattr(stream, "encoding", None)
    return lambda records: stream.writelines(json_line(record, encoding) for record in records)


JSONL = TextFormat("jsonl", (".jsonl", ".ndjson"), _read, _write)
