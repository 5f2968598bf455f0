"""Metadata of documents as a caller gives it, made into checked Arrow columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from fuzzbow.errors import InputError, nearest
from fuzzbow.tasks.index.ids import arrow_array
from fuzzbow.text import whole_text

RESERVED = ("id", "text", "score", "rank", "query", "metadata")


def metadata_table(metadata: Any, rows: int) -> Any:
    """Metadata as an Arrow table with that number of rows, or None if there are no columns.

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
    """Refuse a name that is no text, is reserved or begins with an underscore."""
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
    """One column as an Arrow array; it must have as many values as there are rows."""
    import pyarrow as pa

    try:
        column = arrow_array(values)
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
    """The metadata columns of the index: those not given are null, unknown ones are refused."""
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
