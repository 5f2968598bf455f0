"""The rows of a file as texts, ids and metadata for an index."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from fuzzbow.errors import InputError
from fuzzbow.tasks.files import Records, Table
from fuzzbow.tasks.index.building import Given, check_given
from fuzzbow.tasks.scoring import check_text_columns, text_of
from fuzzbow.text import whole_value

INTEGER = re.compile(r"-?(0|[1-9]\d{0,17})")
NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
TYPES = {
    "string": "string",
    "int": "int64",
    "float": "float64",
    "bool": "bool",
    "date": "date32",
    "timestamp": "timestamp[us]",
}


@dataclass(frozen=True)
class Column:
    """A column of a file, and its type if that is known."""

    name: str
    type: str | None = None


def parse_column(text: str) -> Column:
    """A column as the command line names it: `year` or `year:int`.

    >>> parse_column("year:int")
    Column(name='year', type='int')
    """
    name, colon, kind = text.rpartition(":")
    if not colon:
        return Column(text)
    if kind not in TYPES:
        raise InputError(f"the type of a column must be one of {', '.join(TYPES)}; got {text!r}")
    return Column(name, kind)


def given_rows(
    table: Table, place: str, text: str, name: Column | None, metadata: Sequence[Column] | None
) -> Iterator[Given]:
    """Batches of a file's rows; without a choice all other columns are metadata.

    In CSV and TSV all values are strings. The type of a column whose type is not told is then
    that of its values in the first batch; an empty value is missing where it is not a string.
    """
    if metadata is None:
        others = [column for column in table.columns if column not in (text, name and name.name)]
        metadata = [Column(column) for column in others]
    columns = [Column(text), *([name] if name else []), *metadata]
    names = [column.name for column in columns]
    check_text_columns(table.columns, names, place)
    if len(set(names)) < len(names):
        raise InputError(f"{place}: each column can have one use; got {', '.join(names)}")
    first = next(table.batches, [])
    metadata = [_typed(column, first) for column in metadata]
    name = None if name is None else _typed(name, first)
    done = 0
    for records in chain([first], table.batches):
        yield _given(records, done, text, name, metadata)
        done += len(records)


def _typed(column: Column, records: Records) -> Column:
    """The column with the type that strings suggest, if all its values are strings."""
    values = [value for record in records if (value := record.get(column.name)) not in (None, "")]
    if column.type is not None or not all(isinstance(value, str) for value in values):
        return column
    kinds = (("int", INTEGER), ("float", NUMBER))
    for kind, pattern in kinds:
        if values and all(pattern.fullmatch(value) for value in values):
            return replace(column, type=kind)
    return replace(column, type="string")


def _given(
    records: Records, done: int, text: str, name: Column | None, metadata: Sequence[Column]
) -> Given:
    """One batch."""
    texts = [text_of(record, text, done + place) for place, record in enumerate(records)]
    ids = None if name is None else _values(records, name, done)
    return check_given(
        texts, ids, {column.name: _values(records, column, done) for column in metadata}
    )


def _values(records: Records, column: Column, done: int) -> Any:
    """The values of a column, of its type."""
    import pyarrow as pa

    values = [whole_value(record.get(column.name)) for record in records]
    try:
        if column.type is None:
            return pa.array(values)
        if column.type != "string":
            values = [None if value == "" else value for value in values]
        strings = all(value is None or isinstance(value, str) for value in values)
        array = pa.array(values, pa.string()) if strings else pa.array(values)
        return array.cast(TYPES[column.type])
    except (pa.ArrowException, TypeError) as error:
        raise InputError(
            f"column {column.name!r} must hold {column.type or 'values of one type'}, as in the"
            f" rows before; rows {done + 1} to {done + len(records)} do not: {error}"
            f" (name it {column.name}:string to keep it as it is)"
        ) from error
