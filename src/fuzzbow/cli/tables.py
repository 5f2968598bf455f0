"""Tables of a command: files, or stdin and stdout, and how to read and write them."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from fuzzbow.cli.console import say
from fuzzbow.errors import InputError
from fuzzbow.tasks import BATCH_ROWS, CSV, read_table
from fuzzbow.tasks.formats import (
    BadRows,
    Reading,
    Table,
    TextFormat,
    Write,
    format_named,
    format_of,
)

STANDARD = Path("-")  # stdin, or stdout
STDIN = "stdin"
COPIED = 1 << 20  # bytes at a time


def reading_options(
    form: str | None, delimiter: str | None, encoding: str | None, skip_bad: bool
) -> Reading:
    """How the options of a command say that tables are read."""
    if delimiter in ("\\t", "tab"):
        delimiter = "\t"
    if form is not None:
        format_named(form)
    return Reading(None, delimiter, encoding, skip_bad)


@contextmanager
def table_file(file: Path, form: str | None, reading: Reading) -> Iterator[tuple[Path, Reading]]:
    """A table that can be read more than once: the file, or what stdin holds in a file."""
    if file != STANDARD:
        known = None
        try:
            format_of(file)
        except InputError:
            known = form
        yield file, replace(reading, format=known)
        return
    if form is None:
        raise InputError("--format must say what stdin holds: csv, tsv, jsonl, parquet or xlsx")
    with tempfile.TemporaryDirectory(prefix="fuzzbow-") as folder:
        path = Path(folder) / STDIN
        with path.open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy, COPIED)
        try:
            yield path, replace(reading, format=form)
        except InputError as error:
            raise InputError(str(error).replace(str(path), STDIN)) from error


def open_table(path: Path, reading: Reading) -> Table:
    """Open a table of a command."""
    return read_table(path, batch_rows=BATCH_ROWS, reading=reading)


@contextmanager
def stdout_writer(
    columns: list[str], form: str | None, source: Reading, file: Path
) -> Iterator[Write]:
    """Rows to stdout, in the format that is asked for, else that of the input if it is text."""
    name = form or source.format
    kind = format_of(file) if name is None else format_named(name)
    if form is not None and not isinstance(kind, TextFormat) and source.format != form:
        raise InputError(f"--format {form} cannot be printed; csv, tsv and jsonl can")
    text = kind if isinstance(kind, TextFormat) else CSV
    yield text.write(sys.stdout, columns)
    sys.stdout.flush()


def say_bad(bad: BadRows, file: Path) -> None:
    """Say what was passed over, if anything."""
    if bad.count:
        rows = "row" if bad.count == 1 else "rows"
        name, first = (file, bad.first)
        if file == STANDARD:
            name, first = Path(STDIN), STDIN + bad.first.partition(f"/{STDIN}")[2]
        say(f"{name}: {bad.count} malformed {rows} passed over; the first: {first}")
