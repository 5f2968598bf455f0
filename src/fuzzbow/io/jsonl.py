"""JSON: one object on each line, or one array of objects or texts.

A column has one Arrow type in a batch: strings, int64, double or bool. Where values have several
types, or are lists or objects, it holds their JSON (`values.is_json`), so that nothing is lost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa

from fuzzbow.errors import DataError, InputError
from fuzzbow.io.tables import Reading, Table, TableFormat, Write, batched, stored_names
from fuzzbow.io.text import TextFile
from fuzzbow.io.values import as_json, dump_json, joined_lines, json_field
from fuzzbow.text import whole_text, whole_value

DEEPEST_JSON = 100  # lists and objects inside each other
MARKS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},]')  # strings, so that no mark in one counts
NOT_DEEP = f"at most {DEEPEST_JSON} levels deep"
TYPES = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}


def _read(path: Path, options: Reading, batch_rows: int) -> Table:
    """Open a file; its columns are the keys of the objects of the first batch."""
    file = TextFile(path, options)
    batches = _batches(file, batch_rows)
    first = next(batches, None)
    if first is None:
        raise DataError(f"{path}: must hold at least one JSON object; got an empty file")
    share = lambda: file.share  # noqa: E731
    return Table(first.schema, chain([first], batches), share=share, bad=file.bad)


@contextmanager
def _write(sink: Any, schema: pa.Schema, delimiter: str | None) -> Iterator[Write]:
    """Yield a function that writes rows with all their columns."""

    def write(batch: Any) -> None:
        parts: list[Any] = []
        for its, column in zip(batch.schema, batch.columns, strict=True):
            name = json.dumps(its.name, ensure_ascii=False)
            parts += [f"{', ' if parts else '{'}{name}: ", as_json(its, column)]
        sink.write(joined_lines([*parts, "}\n"]))

    yield write


JSON_LINES = TableFormat("jsonl", (".jsonl", ".ndjson", ".json"), _read, _write)


def _batches(file: TextFile, batch_rows: int) -> Iterator[Any]:
    """Collect objects in batches; a key that appears later adds a column from there on."""
    names: dict[str, None] = {}
    for batch in batched(records(file), batch_rows):
        for record in batch:
            if not record.keys() <= names.keys():
                names |= dict.fromkeys(record)
        columns = [_column(name, [record.get(name) for record in batch]) for name in names]
        schema = pa.schema([field for field, _ in columns])
        stored_names(schema.names)
        yield pa.record_batch([column for _, column in columns], schema=schema)


def _column(name: str, values: list[Any]) -> tuple[Any, Any]:
    """Convert values to a column of their type, or of JSON if types differ: field, column."""
    name = whole_text(name)
    kinds = set(map(type, values)) - {type(None)}
    kind = TYPES.get(next(iter(kinds))) if len(kinds) == 1 else None if kinds else pa.null()
    if kind is not None:
        try:
            return pa.field(name, kind), pa.array(values, kind)
        except UnicodeEncodeError:
            return pa.field(name, kind), pa.array(map(whole_value, values), kind)
        except OverflowError:  # of an integer of more than 64 bits
            pass
    texts = (None if value is None else dump_json(whole_value(value)) for value in values)
    return json_field(name), pa.array(texts, pa.string())


def records(file: TextFile) -> Iterator[tuple[dict[str, Any], int]]:
    """Read one object from each line that is not blank, or the elements of one array.

    Yield each with its size in bytes.
    """
    lines = file.record_lines()
    first = next((line for line in lines if line.strip()), "")
    parts = _elements if first.lstrip().startswith("[") else _lines
    for part, location in parts(file, chain([first], lines)):
        try:
            record = _record(part, location)
        except InputError as error:
            file.refuse(error)
        else:
            yield record, len(part)


def _lines(file: TextFile, lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield lines that are not blank, and the position of each."""
    for line in lines:
        file.end_record()
        if line.strip():
            yield line, file.location


def _elements(file: TextFile, lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the elements of the array of a file as JSON, and the line where each ends.

    No string of JSON contains a line end, so that brackets and commas are found line by line.
    """
    parts: list[str] = []
    depth, found = 0, False
    for line in lines:
        start = 0
        location = file.location
        for token in MARKS.finditer(line):
            mark, at = token[0], token.start()
            if depth == 0 and (found or mark != "["):
                raise DataError(f"{location}: must end with the array; got {line[at : at + 40]!r}")
            if depth == 1 and mark in ",]":
                part = "".join([*parts, line[start:at]])
                if part.strip() or mark == "," or found:
                    is_text = part.lstrip().startswith('"')
                    yield f'{{"text": {part}}}' if is_text else part, location
                parts, start, found = [], at + 1, True
                file.end_record()
            elif depth == 0:
                start = at + 1
            depth += (mark in "[{") - (mark in "]}")
        rest = line[start:]
        if depth > 0:
            parts.append(rest)
        elif rest.strip():
            raise DataError(f"{file.location}: must end with the array")
    if depth > 0:
        raise DataError(f"{file.path}: must be JSON; the array does not end")


def _record(line: str, location: str) -> dict[str, Any]:
    """Parse the object of a line."""
    try:
        record = json.loads(line)
    except ValueError as error:
        raise DataError(f"{location}: must be JSON: {error}") from error
    except (RecursionError, MemoryError) as error:
        raise DataError(f"{location}: must be JSON that fits in memory, {NOT_DEEP}") from error
    if not isinstance(record, dict):
        raise DataError(f"{location}: must be a JSON object; got {line[:40]!r}")
    # most lines have fewer brackets than the depth that is allowed
    if line.count("[") + line.count("{") > DEEPEST_JSON and _depth(record) > DEEPEST_JSON:
        raise DataError(f"{location}: must be JSON {NOT_DEEP}")
    return record


def _depth(value: Any) -> int:
    """Count the levels of nested lists and objects."""
    depth, level = 0, [value]
    while level := [item for item in level if isinstance(item, dict | list)]:
        depth += 1
        level = [
            inner for item in level for inner in (item.values() if isinstance(item, dict) else item)
        ]
    return depth
