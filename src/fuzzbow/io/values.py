"""Conversion of Arrow columns to fields of CSV and to JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

JSON_TEXT = {b"fuzzbow": b"json"}  # of a field whose strings are JSON of any values
WIDE = pa.large_string()
SPACE = 0x20  # the first character of ASCII that is no control


def is_json(field: Any) -> bool:
    """Return whether a column contains JSON, because its values have several types."""
    return bool(field.metadata) and field.metadata.get(b"fuzzbow") == b"json"


def json_field(name: str) -> Any:
    """Return the field of a column of JSON."""
    return pa.field(name, pa.string(), metadata=JSON_TEXT)


def parsed(field: Any, column: Any) -> Any:
    """Convert a column of JSON to the Arrow type of its values, if they have one."""
    if not is_json(field):
        return column
    values = [None if text is None else json.loads(text) for text in column.to_pylist()]
    return pa.array(values)


def is_string(kind: Any) -> bool:
    """Return whether an Arrow type is a string type."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def as_fields(field: Any, column: Any) -> Any:
    """Write values as `str` does, null as an empty string: column -> large_string array."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = column.type
    if is_json(field):
        values = (None if text is None else json.loads(text) for text in column.to_pylist())
        column, kind = pa.array([None if v is None else str(v) for v in values], WIDE), WIDE
    if is_string(kind) or pa.types.is_integer(kind):
        return column.cast(WIDE).fill_null("")
    if pa.types.is_boolean(kind):
        return pc.if_else(column, "True", "False").cast(WIDE).fill_null("")
    return pa.array(("" if value is None else str(value) for value in column.to_pylist()), WIDE)


def rows_with(texts: Any, characters: bytes, *, controls: bool = False) -> Any:
    """Mark texts with one of these characters of ASCII, or a control: large_string -> booleans."""
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, np.int64, len(texts) + 1, 8 * texts.offset)
    codes = np.frombuffer(data or b"", np.uint8)[ends[0] : ends[-1]]
    found = codes < SPACE if controls else np.zeros(len(codes), np.bool_)
    for character in characters:
        found |= codes == character
    marked = np.zeros(len(texts), np.bool_)
    marked[np.searchsorted(ends - ends[0], np.flatnonzero(found), side="right") - 1] = True
    return pa.array(marked)


def as_json(field: Any, column: Any) -> Any:
    """Write values as JSON: column -> large_string array."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = column.type
    if is_string(kind) and not is_json(field):
        column = column.cast(WIDE)
        special = rows_with(column, b'"\\', controls=True)
        quote, nothing = pa.scalar('"', WIDE), pa.scalar("", WIDE)
        texts = pc.binary_join_element_wise(quote, column, quote, nothing)
        if pc.any(special).as_py():
            escaped = pa.array(map(dump_json, column.filter(special).to_pylist()), WIDE)
            texts = pc.replace_with_mask(texts, special, escaped)
    elif is_json(field) or pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        texts = column.cast(WIDE)
    else:
        return pa.array(map(dump_json, column.to_pylist()), WIDE)
    return texts.fill_null("null")


def dump_json(value: Any) -> str:
    """Write a value as JSON, with dates and similar types as strings."""
    return json.dumps(value, ensure_ascii=False, default=str)


def joined_lines(parts: list[Any]) -> memoryview:
    """Join columns and constants row by row, then all rows: parts of n strings -> UTF-8."""
    parts = [pa.scalar(part, WIDE) if isinstance(part, str) else part for part in parts]
    lines = pc.binary_join_element_wise(*parts, pa.scalar("", WIDE))
    return memoryview(lines.buffers()[2] or b"")
