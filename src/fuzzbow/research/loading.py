"""Files of evaluation data, pairs in the columns of a table and JSON lines, and of results."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fuzzbow.encoding.text_columns import check_text_columns
from fuzzbow.errors import DataError, InputError
from fuzzbow.io.atomic import replacing
from fuzzbow.io.tables import read_table
from fuzzbow.io.text import TextFile

Record = dict[str, Any]


def set_name(path: Path) -> str:
    """Return the name of a set: its file name without suffixes, or that of its folder."""
    return path.resolve().name if path.is_dir() else path.name.partition(".")[0] or path.name


def labelled_pairs(
    path: Path, left: str, right: str, label: str
) -> Iterator[tuple[str, str, Any, str]]:
    """Yield two texts, a label and the location of each row of a table; a missing text is empty."""
    table = read_table(path)
    check_text_columns(table.columns, [left, right, label], str(path))
    number = 0
    for batch in table.batches:
        columns = (_values(batch, name) for name in (left, right, label))
        for first, second, value in zip(*columns, strict=True):
            number += 1
            location = f"{path}, row {number}"
            for column, text in ((left, first), (right, second)):
                if text is not None and not isinstance(text, str):
                    raise InputError(
                        f"{location}: column {column!r} must hold text; got {text!r:.40}"
                    )
            yield first or "", second or "", value, location


def _values(batch: Any, name: str) -> list[Any]:
    """Return the values of a column of a batch, with JSON parsed; None if it is missing."""
    from fuzzbow.io.values import is_json

    if name not in batch.schema.names:
        return [None] * len(batch)
    values: list[Any] = batch.column(name).to_pylist()
    if is_json(batch.schema.field(name)):
        return [None if value is None else json.loads(value) for value in values]
    return values


def json_records(path: Path) -> Iterator[tuple[str, Record]]:
    """Yield the location and object of each line of JSON; there must be at least one."""
    from fuzzbow.io.jsonl import records

    file = TextFile(path)
    for record, _ in records(file):
        yield file.location, record
    if not file.line:
        raise DataError(f"{path}: must hold at least one JSON object; got an empty file")


def text_field(record: Record, name: str, location: str, *, default: str | None = None) -> str:
    """Return a field that must be text; a missing one is the default, if there is one."""
    value = record.get(name)
    if value is None and default is not None:
        return default
    if not isinstance(value, str):
        raise DataError(f"{location}: {name!r} must be text; got {value!r:.40}")
    return value


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file atomically; text in UTF-8."""
    with replacing(path) as new:
        new.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
