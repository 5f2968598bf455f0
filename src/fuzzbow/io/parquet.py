"""Parquet, which keeps the types of its columns."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from fuzzbow.errors import DataError
from fuzzbow.io.tables import Reading, Table, TableFormat, Write, fit
from fuzzbow.io.values import is_json, parsed
from fuzzbow.text import whole_text

# what Arrow raises for damaged files
UNREADABLE = (
    pa.ArrowException,
    OSError,
    ValueError,
    OverflowError,
    TypeError,
    KeyError,
    MemoryError,
)


def _read(path: Path, options: Reading, batch_rows: int) -> Table:
    """Open a file; its row groups come in batches of at most `batch_rows`."""
    import pyarrow.parquet as pq  # with clients of all object stores

    try:
        file = pq.ParquetFile(path)
        schema, rows = file.schema_arrow, file.metadata.num_rows
    except UNREADABLE as error:
        raise DataError(f"{path}: not a readable Parquet file: {error}") from error

    def batches() -> Iterator[Any]:
        try:
            for batch in file.iter_batches(batch_size=batch_rows):
                batch.validate(full=True)
                yield batch
        except UNREADABLE as error:
            raise DataError(f"{path}: broken Parquet file: {error}") from error

    return Table(schema, batches(), rows)


@contextmanager
def _write(sink: Any, schema: Any, delimiter: str | None) -> Iterator[Write]:
    """Yield a function that writes rows; JSON and null columns get the types of the first rows."""
    import pyarrow.parquet as pq

    writer: Any = None

    def write(rows: Any) -> None:
        nonlocal writer
        try:
            columns = [parsed(rows.schema.field(name), rows.column(name)) for name in schema.names]
            if writer is None:
                writer = pq.ParquetWriter(sink, _stored_schema(schema, columns))
            writer.write_table(fit(pa.table(columns, names=schema.names), writer.schema))
        except (pa.ArrowException, TypeError) as error:
            raise DataError(f"a row does not fit the types of those before it: {error}") from error

    try:
        yield write
        if writer is None:
            write(schema.empty_table())
    finally:
        if writer is not None:
            writer.close()


def _stored_schema(schema: Any, columns: list[Any]) -> Any:
    """Return the schema of a file: JSON has the type of the first values, nulls are strings."""
    stored = []
    for its, column in zip(schema, columns, strict=True):
        kind, metadata = (column.type, None) if is_json(its) else (its.type, its.metadata)
        kind = pa.string() if pa.types.is_null(kind) else kind
        stored.append(pa.field(whole_text(its.name), kind, its.nullable, metadata))
    return pa.schema(stored, metadata=schema.metadata)


PARQUET = TableFormat("parquet", (".parquet",), _read, _write, is_text=False)
