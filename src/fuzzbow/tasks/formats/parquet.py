"""Parquet, which keeps the types of its columns."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzzbow.errors import DataError
from fuzzbow.tasks.formats.table import AS_IT_IS, Reading, Records, Table, Write, stored_names
from fuzzbow.text import whole_text, whole_value

# what Arrow raises for damaged files, and what Python does with the values in them
UNREADABLE = (OSError, ValueError, OverflowError, TypeError, KeyError, MemoryError)


@dataclass(frozen=True)
class Parquet:
    """The one format that is not text."""

    name: str = "parquet"
    suffixes: tuple[str, ...] = (".parquet",)
    one_line: bool = False
    writable: bool = True

    def read(self, path: Path, *, batch_rows: int, reading: Reading = AS_IT_IS) -> Table:
        """Open a file; its rows come in batches of at most `batch_rows`."""
        return _read(path, batch_rows)

    def writer(
        self, path: Path, name: Path, source: Table, added: dict[str, Any]
    ) -> AbstractContextManager[Write]:
        """Write records of a source, with `added` columns (name -> Arrow type), to `path`."""
        return _writer(path, source, added)


def _read(path: Path, batch_rows: int) -> Table:
    """Row groups, a batch at a time."""
    import pyarrow.parquet as pq
    from pyarrow import ArrowException

    unreadable = (ArrowException, *UNREADABLE)
    try:
        file = pq.ParquetFile(path)
        schema = file.schema_arrow
        names, rows = list(schema.names), file.metadata.num_rows
    except unreadable as error:
        raise DataError(f"{path}: not a readable Parquet file: {error}") from error

    def batches() -> Iterator[Records]:
        parts = file.iter_batches(batch_size=batch_rows)
        while True:
            try:
                part = next(parts, None)
                records = None if part is None else part.to_pylist()
            except unreadable as error:
                raise DataError(f"{path}: broken Parquet file: {error}") from error
            if records is None:
                return
            yield records

    return Table(names, batches(), rows, schema)


@contextmanager
def _writer(path: Path, source: Table, added: dict[str, Any]) -> Iterator[Write]:
    """Parquet with the types of a Parquet source, else those that the first batch suggests."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = stored_names(source.columns)

    def schema_of(records: Records) -> Any:
        known = source.schema
        if known is None:
            first = [{name: record.get(name) for name in columns} for record in records]
            known = pa.Table.from_pylist(first).schema if first else _strings(pa, columns)
        for name, kind in added.items():
            known = known.append(pa.field(whole_text(name), _arrow_type(pa, kind)))
        return known

    writer: Any = None

    def write(records: Records) -> None:
        nonlocal writer
        records = [whole_value(record) for record in records]
        if writer is None:
            writer = pq.ParquetWriter(path, schema_of(records))
        try:
            writer.write_table(pa.Table.from_pylist(records, schema=writer.schema))
        except (pa.ArrowException, TypeError) as error:
            raise DataError(f"a row does not fit the types of those before it: {error}") from error

    try:
        yield write
        if writer is None:
            write([])
    finally:
        if writer is not None:
            writer.close()


def _arrow_type(pa: Any, kind: Any) -> Any:
    return pa.type_for_alias(kind) if isinstance(kind, str) else kind


def _strings(pa: Any, columns: list[str]) -> Any:
    return pa.schema([(column, pa.string()) for column in columns])


PARQUET = Parquet()
