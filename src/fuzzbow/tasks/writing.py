"""Tables in files, streamed out: CSV, TSV, JSON lines and Parquet.

Whatever text a row holds can be written: a lone surrogate is escaped in JSON, as it came,
and becomes U+FFFD elsewhere.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from fuzzbow.atomic import replacing
from fuzzbow.errors import InputError
from fuzzbow.streams import WRITERS
from fuzzbow.tasks.files import DIALECTS, Format, Records, Table, format_of
from fuzzbow.text import whole_text, whole_value

Write = Callable[[Records], None]


@contextmanager
def text_writer(stream: IO[str], kind: Format, columns: list[str]) -> Iterator[Write]:
    """Write records to an open stream as CSV, TSV or JSON lines."""
    if kind is Format.JSONL:
        yield lambda records: stream.writelines(
            json_line(record, getattr(stream, "encoding", None)) for record in records
        )
        return
    rows = csv.writer(stream, DIALECTS[kind])
    rows.writerow(_whole_names(columns))
    yield lambda records: _write_csv(rows, records, columns)


def json_line(data: Any, encoding: str | None, *, allow_nan: bool = True) -> str:
    """One line of JSON; in ASCII where it holds what the encoding, UTF-8 unless told, cannot."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=allow_nan) + "\n"
    try:
        text.encode(encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(data, allow_nan=allow_nan) + "\n"
    return text


def _whole_names(columns: list[str]) -> list[str]:
    """Column names that a file can hold, all different."""
    names = [whole_text(column) for column in columns]
    if len(set(names)) < len(names):
        raise InputError(f"column names must differ as text; got {columns}")
    return names


def _write_csv(rows: Any, records: Records, columns: list[str]) -> None:
    try:
        rows.writerows(
            [whole_value(record.get(column)) for column in columns] for record in records
        )
    except csv.Error as error:
        raise InputError(
            f"a value holds a tab or a line end, which TSV cannot; write .csv or .jsonl ({error})"
        ) from error


@contextmanager
def table_writer(path: Path, source: Table, added: dict[str, str]) -> Iterator[Write]:
    """Write records of a source, with `added` columns (name -> Arrow type), to a file.

    The file appears when the block ends without an error; until then what was at
    `path` stays as it was.
    """
    format_of(path)  # a name that tells no format is an error before anything is written
    with (
        replacing(path, keep_rows=True) as beside,
        part_writer(beside, path, source, added) as write,
    ):
        yield write


@contextmanager
def part_writer(beside: Path, path: Path, source: Table, added: dict[str, str]) -> Iterator[Write]:
    """Write such records to a file beside `path`, in the format that the name of `path` tells."""
    kind = format_of(path)
    if kind is Format.PARQUET:
        with _parquet_writer(beside, source, added) as write:
            yield write
        return
    opener = WRITERS.get(path.suffix, open)
    with (
        opener(beside, "wt", encoding="utf-8", newline="") as stream,
        text_writer(stream, kind, [*source.columns, *added]) as write,
    ):
        yield write


@contextmanager
def _parquet_writer(path: Path, source: Table, added: dict[str, str]) -> Iterator[Write]:
    """Parquet with the types of a Parquet source, else those that the first batch suggests."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = _whole_names(source.columns)

    def schema_of(records: Records) -> Any:
        known = source.schema
        if known is None:
            first = [{name: record.get(name) for name in columns} for record in records]
            known = pa.Table.from_pylist(first).schema if first else _strings(pa, columns)
        for name, kind in added.items():
            known = known.append(pa.field(whole_text(name), pa.type_for_alias(kind)))
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
            raise InputError(f"a row does not fit the types of those before it: {error}") from error

    try:
        yield write
        if writer is None:
            write([])
    finally:
        if writer is not None:
            writer.close()


def _strings(pa: Any, columns: list[str]) -> Any:
    return pa.schema([(column, pa.string()) for column in columns])
