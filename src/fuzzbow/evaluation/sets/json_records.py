"""Records of a JSON lines file with the number of their lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fuzzbow.errors import DataError
from fuzzbow.tasks import JSONL
from fuzzbow.tasks.formats import Lines, Record


def numbered_records(path: Path) -> Iterator[tuple[int, Record]]:
    """Line numbers, from 1, and objects."""
    lines = Lines(path)
    _, records = JSONL.records(lines)
    for record in records:
        yield lines.number, record


def text_field(record: Record, name: str, place: str, *, default: str | None = None) -> str:
    """A field that must be text; a missing one is the default, if there is one."""
    value = record.get(name)
    if value is None and default is not None:
        return default
    if not isinstance(value, str):
        raise DataError(f"{place}: {name!r} must be text; got {value!r:.40}")
    return value


def id_field(record: Record, place: str) -> str:
    """The `_id`: text, or a whole number that is taken as text."""
    value: Any = record.get("_id")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value:
        raise DataError(f"{place}: '_id' must be text or a whole number; got {value!r:.40}")
    return value
