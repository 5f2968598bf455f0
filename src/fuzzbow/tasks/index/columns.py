"""Texts, ids and metadata as a caller gives them, made into checked Arrow columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from fuzzbow.errors import InputError, nearest
from fuzzbow.text import whole_text

LARGEST_ID = 10**18 - 1  # of numbers that are given, and the smallest is -LARGEST_ID
NUMBER = re.compile(r"-?[0-9]{1,19}")
RESERVED = ("id", "text", "score", "rank", "query", "metadata")


def id_column(ids: Iterable[Any]) -> Any:
    """Ids as an Arrow column of int64 or of strings."""
    import pyarrow as pa

    try:
        if isinstance(ids, str | bytes) or not isinstance(ids, Iterable):
            raise InputError(f"ids must be a list; got {type(ids).__name__}")
        column = _array(ids)
        kind = column.type
        if pa.types.is_integer(kind):
            column = column.cast(pa.int64())
        elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
            column = column.cast(pa.string())
        elif len(column):
            raise InputError(f"ids must be whole numbers or strings; got {kind}")
        else:
            column = column.cast(pa.int64())
    except (pa.ArrowException, TypeError, OverflowError, UnicodeEncodeError) as error:
        raise InputError(
            f"ids must be whole numbers or strings, all of one kind; {error}"
        ) from error
    if column.null_count:
        raise InputError(f"ids must not be missing; got {column.null_count} without a value")
    return column


def check_range(column: Any) -> None:
    """Refuse new ids outside the range that ids have."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if column.type != pa.int64() or not len(column):
        return
    for value in pc.min_max(column).as_py().values():
        if abs(value) > LARGEST_ID:
            raise InputError(f"ids must be from {-LARGEST_ID} to {LARGEST_ID}; got {value}")


def parse_number(text: str) -> int | None:
    """A number that may be an id of any index, or None."""
    if not NUMBER.fullmatch(text):
        return None
    number = int(text)
    return number if -(2**63) <= number < 2**63 else None


def _array(values: Any) -> Any:
    """One Arrow array of any values."""
    import pyarrow as pa

    if not isinstance(values, pa.Array | pa.ChunkedArray):
        values = pa.array(values if hasattr(values, "__array__") else list(values))
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


def check_distinct(column: Any) -> None:
    """Refuse ids that stand there twice."""
    import pyarrow.compute as pc

    if pc.count_distinct(column).as_py() < len(column):
        value, times = Counter(column.to_pylist()).most_common(1)[0]
        raise InputError(f"ids must differ; got {value!r} {times} times")


def metadata_table(metadata: Any, rows: int) -> Any:
    """Metadata as an Arrow table of so many rows; None has no columns.

    It may be a mapping from names to columns, a list of dictionaries, a pandas frame or an
    Arrow table.
    """
    import pyarrow as pa

    if metadata is None:
        return None
    if isinstance(metadata, pa.Table | pa.RecordBatch):
        columns = {name: metadata.column(name) for name in metadata.schema.names}
    elif isinstance(metadata, Mapping) or hasattr(metadata, "columns"):
        columns = {name: metadata[name] for name in _names(metadata)}
    elif isinstance(metadata, Iterable) and not isinstance(metadata, str | bytes):
        columns = _columns_of(list(metadata))
        if not columns:
            return None
    else:
        raise InputError(
            "metadata must be a mapping of columns, a list of dictionaries, a pandas frame or an"
            f" Arrow table; got {type(metadata).__name__}"
        )
    for name in columns:
        check_name(name)
    arrays = {name: metadata_column(name, column, rows) for name, column in columns.items()}
    return pa.table(arrays) if arrays else None


def _names(metadata: Any) -> list[Any]:
    return list(metadata) if isinstance(metadata, Mapping) else list(metadata.columns)


def check_name(name: object) -> None:
    """Metadata columns have names of their own."""
    if (
        not isinstance(name, str)
        or not name
        or name != whole_text(name)
        or name.startswith("_")
        or name.lower() in RESERVED
    ):
        raise InputError(
            f"a metadata column must have a name in valid Unicode other than"
            f" {', '.join(RESERVED)}, and none that begins with an underscore; got {name!r}"
        )


def _columns_of(records: list[Any]) -> dict[str, list[Any]]:
    """Columns of all keys that the dictionaries have."""
    for place, record in enumerate(records):
        if not isinstance(record, Mapping):
            raise InputError(
                f"metadata must hold dictionaries; item {place} is {type(record).__name__}"
            )
    names = dict.fromkeys(name for record in records for name in record)
    return {name: [record.get(name) for record in records] for name in names}


def metadata_column(name: str, values: Any, rows: int) -> Any:
    """One column of so many values."""
    import pyarrow as pa

    try:
        column = _array(values)
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        if pa.types.is_null(column.type):
            column = column.cast(pa.string())
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"metadata column {name!r}: {error}") from error
    if len(column) != rows:
        raise InputError(
            f"metadata column {name!r} must have one value for each text, {rows}; got {len(column)}"
        )
    return column


def fit_metadata(table: Any, rows: int, fields: list[Any]) -> list[Any]:
    """Columns of the index's own metadata; what is not given is null, what is new is refused."""
    import pyarrow as pa

    given = {} if table is None else {name: table.column(name) for name in table.column_names}
    names = [field.name for field in fields]
    for name in given:
        if name not in names:
            raise InputError(
                f"the index has no metadata column {name!r}; there"
                f" {'are ' + ', '.join(names) if names else 'is none'}{nearest(name, names)}"
            )
    columns = []
    for field in fields:
        column = given.get(field.name)
        if column is None:
            columns.append(pa.nulls(rows, field.type))
            continue
        try:
            columns.append(column.cast(field.type))
        except pa.ArrowException as error:
            raise InputError(
                f"metadata column {field.name!r} must hold {field.type}, as in the rows before;"
                f" {error}"
            ) from error
    return columns
