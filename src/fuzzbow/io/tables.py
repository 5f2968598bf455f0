"""Reading and writing of table files as Arrow record batches.

A table is read in batches of bounded size. Text formats have columns of strings, in which an empty
field of CSV is an empty string and a missing value of JSON is null; JSON and Parquet keep the types
of their values. A lone surrogate, which no file can hold, becomes U+FFFD.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

from fuzzbow.errors import DataError, InputError, check_choice
from fuzzbow.io import FORMATS
from fuzzbow.io.atomic import replacing
from fuzzbow.io.streams import HEAD, WRITERS, check_encoding, encoding_of, open_stream
from fuzzbow.text import whole_text
from fuzzbow.text.unicode import escaped_json

if TYPE_CHECKING:
    import pyarrow as pa

MAGIC = {b"PAR1": "parquet", b"PK\x03\x04": "xlsx"}  # first bytes of formats that are not text
BATCH_ROWS = 16_384  # rows that are read, scored or stored in one batch
BATCH_BYTES = 1 << 26  # a batch of this size ends before it has all its rows
Write = Callable[[Any], None]  # writes the rows of a record batch or a table
Row = TypeVar("Row")


@dataclass(frozen=True)
class Reading:
    """Options of reading a table that cannot be detected from its name and content."""

    format: str | None = None  # name of a format; by the name of the file unless given
    delimiter: str | None = None  # of CSV; detected from the header unless given
    encoding: str | None = None  # of text; UTF-8, or UTF-16 by its first bytes, unless given
    skip_bad: bool = False  # skip malformed rows, and count them

    def __post_init__(self) -> None:
        """Refuse values that no reader can use."""
        if self.encoding is not None:
            check_encoding(self.encoding)
        if self.delimiter is not None and (len(self.delimiter) != 1 or self.delimiter in '\r\n"\0'):
            raise InputError(
                f"delimiter must be one character, such as ; or a tab; got {self.delimiter!r:.20}"
            )


AS_IT_IS = Reading()


@dataclass
class BadRows:
    """Number of malformed rows that were skipped, and the problem of the first."""

    count: int = 0
    first: str = ""

    def add(self, error: InputError) -> None:
        """Count a malformed row."""
        self.first = self.first or str(error)
        self.count += 1


@dataclass
class Table:
    """Table being read, once.

    In JSON lines, later batches may have other types and more columns.
    """

    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]  # of at most `BATCH_ROWS` rows, fewer where they are long
    rows: int | None = None  # number of rows, if it is known before they are read
    share: Callable[[], float] | None = None  # of the file that was read, from 0 to 1
    bad: BadRows = field(default_factory=BadRows)
    delimiter: str | None = None  # of CSV, which output in CSV has, too

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self.schema.names)

    def total(self, done: int) -> int | None:
        """Return the number of rows, or an estimate by the share read so far, or None."""
        share = self.share() if self.rows is None and self.share is not None else 0.0
        return max(done, round(done / share)) if share > 0 else self.rows

    def read_all(self) -> pa.Table:
        """Read the rest of the table into memory."""
        return concat(list(self.batches), self.schema)


@dataclass(frozen=True)
class TableFormat:
    """Format of table files."""

    name: str  # as `--format` takes it
    suffixes: tuple[str, ...]  # of the names of its files, in lower case
    # of a path and at most so many rows in a batch
    read: Callable[[Path, Reading, int], Table]
    # to an open file of bytes, with a schema and a delimiter; of batches with rows
    write: Callable[[Any, Any, str | None], AbstractContextManager[Write]] | None = None
    is_text: bool = True  # files are lines of text, which can be compressed and printed
    one_line: bool = False  # values must not contain a line end


def known_formats() -> list[TableFormat]:
    """Return all formats, importing their modules."""
    return [
        getattr(import_module(entry[0]), entry[1]) if isinstance(entry, tuple) else entry
        for entry in FORMATS.values()
    ]


def format_of(path: Path, *, writing: bool = False) -> TableFormat:
    """Return the format of a file by its suffix; `writing` excludes read-only formats."""
    suffix = Path(path.stem).suffix if path.suffix in WRITERS else path.suffix
    usable = [known for known in known_formats() if known.write or not writing]
    for known in usable:
        if suffix.lower() in known.suffixes:
            return known
    suffixes = ", ".join(suffix for known in usable for suffix in known.suffixes)
    raise InputError(
        f"'{path}' must end in one of {suffixes} ({', '.join(WRITERS)} may follow a text format)"
    )


def format_named(name: str) -> TableFormat:
    """Return the format of a name, or raise an InputError that lists all."""
    formats = {known.name: known for known in known_formats()}
    return formats[check_choice(name, formats, "format")]


def recognised_format(path: Path, options: Reading) -> str:
    """Return the name of the format of a file by its first bytes, or else by its first lines."""
    from fuzzbow.io.csv import fitting_format

    with path.open("rb") as file:
        begin = file.read(4)
    if begin in MAGIC:
        return MAGIC[begin]
    with open_stream(path) as stream:
        head = stream.head
    text = head.decode(options.encoding or encoding_of(head), "replace").removeprefix("\ufeff")
    if not text.strip():
        raise DataError(f"{path}: must hold a table; got an empty file")
    if text.lstrip()[0] in "[{":
        return "jsonl"
    lines = text.splitlines(keepends=True)
    whole = len(lines) == 1 or len(head) < HEAD
    return fitting_format(lines if whole else lines[:-1], options.delimiter)


def read_table(path: Path, options: Reading = AS_IT_IS, *, batch_rows: int = BATCH_ROWS) -> Table:
    """Open a table file; the format follows from its suffix unless given.

    Raises
    ------
    InputError
        If there is no such file, or it cannot be read; now, or later from `batches`.
    """
    kind = format_of(path) if options.format is None else format_named(options.format)
    if not path.is_file():
        what = "a directory" if path.is_dir() else "nothing there"
        raise InputError(f"'{path}' must be a file; got {what}")
    return kind.read(path, options, batch_rows)


@contextmanager
def table_writer(
    path: Path, schema: pa.Schema, delimiter: str | None = None, *, count: bool = True
) -> Iterator[Write]:
    """Write rows to a file, which appears when the block ends without an error.

    Until then the file that was at `path` is kept. Rows before malformed input are kept at
    `rows_before(path)`, unless `count` is false. The schema has the names of the columns, and for
    Parquet their types; the delimiter is that of CSV.
    """
    format_of(path, writing=True)  # an error before anything is written
    written = 0
    with (
        replacing(path, count_rows=(lambda: written) if count else None) as partial,
        part_writer(partial, path, schema, delimiter) as write,
    ):

        def write_and_count(rows: Any) -> None:
            nonlocal written
            write(rows)
            written += len(rows)

        yield write_and_count


@contextmanager
def part_writer(
    partial: Path, path: Path, schema: pa.Schema, delimiter: str | None = None
) -> Iterator[Write]:
    """Write rows to the file `partial` in the format of the suffix of `path`."""
    kind = format_of(path, writing=True)
    opener = WRITERS.get(path.suffix, open) if kind.is_text else open
    with opener(partial, "wb") as sink, _writer(kind, sink, schema, delimiter) as write:
        yield write


@contextmanager
def stream_writer(
    stream: TextIO, kind: TableFormat, schema: pa.Schema, delimiter: str | None = None
) -> Iterator[Write]:
    """Write rows to an open stream of text, such as stdout, in a text format."""

    def write_bytes(data: Any) -> None:
        text = bytes(data).decode()
        is_json = kind.name == "jsonl"
        stream.write(escaped_json(text, stream.encoding) if is_json else text)

    with _writer(kind, SimpleNamespace(write=write_bytes), schema, delimiter) as write:
        yield write
    stream.flush()


@contextmanager
def _writer(kind: TableFormat, sink: Any, schema: pa.Schema, delimiter: str | None) -> Any:
    import pyarrow as pa

    stored_names(schema.names)
    assert kind.write is not None  # for mypy: formats to write have it
    with kind.write(sink, schema, delimiter) as write_batch:

        def write(rows: Any) -> None:
            for batch in rows.to_batches() if isinstance(rows, pa.Table) else [rows]:
                if len(batch):
                    write_batch(batch)

        yield write


@contextmanager
def spooled(table: Table) -> Iterator[pa.Table]:
    """Copy the rest of a table to a temporary file, and yield it as an Arrow table.

    Memory holds a batch at a time: the file is mapped, so that the rows can be read again, sliced
    and taken at any position. The file is removed at the end.
    """
    import pyarrow as pa

    with TemporaryDirectory(prefix="fuzzbow-") as folder, ExitStack() as stack:
        path, schema = Path(folder) / "0", table.schema
        writer = stack.enter_context(pa.ipc.new_file(str(path), schema))
        for batch in table.batches:
            wider = common_schema(schema, batch.schema)
            if not wider.equals(schema, check_metadata=True):  # JSON: later values differ in type
                writer.close()
                before, path, schema = path, path.with_name(f"{path.name}0"), wider
                writer = stack.enter_context(pa.ipc.new_file(str(path), schema))
                with pa.memory_map(str(before)) as mapped:
                    for part in pa.ipc.open_file(mapped).read_all().to_batches():
                        writer.write_batch(fit(part, schema))
            writer.write_batch(fit(batch, schema))
        writer.close()
        with pa.memory_map(str(path)) as mapped:
            yield pa.ipc.open_file(mapped).read_all()


def batched(rows: Iterable[tuple[Row, int]], batch_rows: int) -> Iterator[list[Row]]:
    """Collect rows, each with its size in bytes, in lists of limited length and size."""
    batch: list[Row] = []
    size = 0
    for row, read in rows:
        batch.append(row)
        size += read
        if len(batch) == batch_rows or size > BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def concat(parts: list[Any], schema: pa.Schema) -> pa.Table:
    """Join batches into one table, of the types of a schema where they fit."""
    import pyarrow as pa

    for part in parts:
        schema = common_schema(schema, part.schema)
    return pa.Table.from_batches([fit(part, schema) for part in parts], schema)


def common_schema(schema: pa.Schema, other: pa.Schema) -> pa.Schema:
    """Return the schema for the values of both; columns of two types become JSON."""
    import pyarrow as pa

    from fuzzbow.io.values import is_json, json_field

    if schema.equals(other, check_metadata=True):
        return schema
    for its in other:
        position = schema.get_field_index(its.name)
        if position < 0:
            schema = schema.append(its)
            continue
        own = schema.field(position)
        same = (own.type, is_json(own)) == (its.type, is_json(its))
        if not (same or pa.types.is_null(its.type) or is_json(own)):
            both = its if pa.types.is_null(own.type) else json_field(own.name)
            schema = schema.set(position, both)
    return schema


def fit(rows: Any, schema: pa.Schema) -> Any:
    """Convert a record batch or table to the columns and types of a schema.

    Raise DataError for a value of another type, except in columns of JSON.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    from fuzzbow.io.values import as_json, is_json, is_string

    if rows.schema.equals(schema, check_metadata=True):
        return rows
    columns = []
    for wanted in schema:
        position = rows.schema.get_field_index(wanted.name)
        if position < 0:
            columns.append(pa.nulls(len(rows), wanted.type))
            continue
        own, column = rows.schema.field(position), rows.column(position)
        problem = f"a row does not fit the types of those before it: column {wanted.name!r}"
        if is_json(wanted) and not is_json(own):
            column = pc.if_else(column.is_valid(), as_json(own, column), None)
        elif is_string(wanted.type) != is_string(own.type) and not pa.types.is_null(own.type):
            raise DataError(f"{problem} has {own.type}, not {wanted.type}")
        try:
            columns.append(column.cast(wanted.type))
        except pa.ArrowException as error:
            raise DataError(f"{problem}: {error}") from error
    return type(rows).from_arrays(columns, schema=schema)


def with_columns(batch: Any, added: dict[str, Any]) -> Any:
    """Append columns to a record batch or table: name -> Arrow array."""
    for name, values in added.items():
        if name in batch.schema.names:  # of a later row of JSON
            batch = batch.drop_columns([name])
        batch = batch.append_column(name, values)
    return batch


def stored_names(columns: list[str]) -> list[str]:
    """Return column names that a file can hold, all different, or raise an InputError."""
    names = [whole_text(column) for column in columns]
    if len(set(names)) < len(names):
        raise InputError(f"column names must differ as text; got {columns}")
    return names
