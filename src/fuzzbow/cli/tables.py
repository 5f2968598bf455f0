"""Tables of a command: files, or stdin and stdout, and how to read and write them."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from fuzzbow.cli.console import detail, say
from fuzzbow.errors import BadRowError, InputError
from fuzzbow.output_lock import locked_outputs
from fuzzbow.paths import Paths, check_paths
from fuzzbow.plurals import counted, listed
from fuzzbow.tasks import BATCH_ROWS, CSV, read_table, table_writer
from fuzzbow.tasks.formats import (
    FORMATS,
    PARQUET,
    TXT,
    BadRows,
    Reading,
    Table,
    TextFormat,
    Write,
    format_named,
    format_of,
    recognised_format,
)

TABLES = listed([known.name for known in FORMATS], "or")
File = Annotated[Path, typer.Argument(help=f"{TABLES}; - for stdin.", show_default=False)]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help=f"Of stdin, stdout and files without an ending: {TABLES}; stdin's is recognised.",
    ),
]

STANDARD = Path("-")  # stdin, or stdout
STDIN = "stdin"
LEFT = "what --output leaves of a bad file"  # an earlier failure may have left it, too
COPIED = 1 << 20  # bytes at a time


def printable() -> list[str]:
    """Return the names of the formats that stdout can have."""
    return [known.name for known in FORMATS if isinstance(known, TextFormat) and known.writable]


@dataclass(frozen=True)
class TableOptions:
    """Options of a command for its tables."""

    form: str | None  # of stdin, stdout and files without an ending
    delimiter: str | None
    encoding: str | None
    skip_bad: bool = False

    def reading(self) -> Reading:
        """Return the options of reading, for any format."""
        if self.form is not None:
            format_named(self.form)
        delimiter = "\t" if self.delimiter in ("\\t", "tab") else self.delimiter
        return Reading(None, delimiter, self.encoding, self.skip_bad)


@dataclass(frozen=True)
class TableFile:
    """A table that can be read more than once: a file, or what stdin held in a file."""

    given: Path  # as the user calls it
    path: Path
    reading: Reading
    form: str | None  # that stdout is to have

    @property
    def is_parquet(self) -> bool:
        """Return whether this is a Parquet file."""
        name = self.reading.format
        return (format_of(self.path) if name is None else format_named(name)) is PARQUET

    def open(self) -> Table:
        """The table at its first row."""
        return read_table(self.path, batch_rows=BATCH_ROWS, reading=self.reading)

    @contextmanager
    def writer(
        self, out: Path | None, table: Table, added: dict[str, Any], *, as_json: bool = False
    ) -> Iterator[Write]:
        """Rows of the table with added columns (name -> Arrow type), to a file or to stdout."""
        columns = [*table.columns, *added]
        with (
            self.stdout_writer(columns, table.delimiter, as_json=as_json)
            if out is None
            else table_writer(out, table, added)
        ) as write:
            yield write

    @contextmanager
    def stdout_writer(
        self, columns: list[str], delimiter: str | None, *, as_json: bool = False
    ) -> Iterator[Write]:
        """Write rows to stdout in the requested format, else that of the input if it is text.

        CSV has the given delimiter, that of the input.
        """
        form = "jsonl" if as_json else self.form
        name = form or self.reading.format
        kind = format_of(self.path) if name is None else format_named(name)
        if form is not None and not isinstance(kind, TextFormat) and self.reading.format != form:
            raise InputError(f"--format {form} cannot be printed; {listed(printable())} can")
        text = kind if isinstance(kind, TextFormat) and kind.writable else CSV
        yield text.write(sys.stdout, columns, delimiter)
        sys.stdout.flush()

    def say_bad(self, bad: BadRows) -> None:
        """Say what was passed over, if anything."""
        if bad.count:
            name, first = (self.given, bad.first)
            if self.given == STANDARD:
                name, first = Path(STDIN), STDIN + bad.first.partition(f"/{STDIN}")[2]
            say(f"{name}: {counted(bad.count, 'malformed row')} passed over; the first: {first}")


@contextmanager
def table_files(
    tables: Mapping[str, Path | None],
    options: TableOptions,
    *,
    inputs: Paths | None = None,
    outputs: Paths | None = None,
    overwrite: bool = False,
) -> Iterator[list[TableFile]]:
    """The tables of a command that are given, once all its files were compared with each other.

    What the user calls a table -> where it is; - is stdin, for one of them. `inputs` are other
    files that the command reads.
    """
    written = {name: path for name, path in (outputs or {}).items() if path is not None}
    paths = {**tables, **(inputs or {})}
    check_paths(inputs=paths, outputs=written)
    given = [path for path in tables.values() if path is not None]
    if given.count(STANDARD) > 1:
        raise InputError("only one of the two files can be stdin")
    reading = options.reading()
    with ExitStack() as stack:
        stack.enter_context(locked_outputs(map(Path, written.values())))
        # while they are locked: another process may have written them a moment ago
        kept = {name: path for name, path in written.items() if name != LEFT}
        check_paths(inputs={}, outputs=kept, overwrite=overwrite)
        files = [stack.enter_context(_at_hand(path, options.form, reading)) for path in given]
        try:
            yield files
        except BadRowError as error:
            error.args = (f"{error}; --skip-bad passes over such rows",)
            raise


@contextmanager
def _at_hand(given: Path, form: str | None, reading: Reading) -> Iterator[TableFile]:
    if given != STANDARD:
        known = None
        try:
            format_of(given)
        except InputError:
            known = form
        if form is not None and known is None and format_of(given) is TXT:
            known = form  # of a name that says little
        yield TableFile(given, given, replace(reading, format=known), form)
        return
    with tempfile.TemporaryDirectory(prefix="fuzzbow-") as folder:
        path = Path(folder) / STDIN
        with path.open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy, COPIED)
        try:
            known = form or recognised_format(path, reading)
            detail(f"stdin is read as {known}")
            yield TableFile(given, path, replace(reading, format=known), form)
        except InputError as error:
            error.args = (str(error).replace(str(path), STDIN),)
            raise


def empty_texts(count: int) -> str:
    """Return the end of a message that counts empty texts."""
    return f"; {count} had an empty text" if count else ""
