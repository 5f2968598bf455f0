"""Tables of a command: files, or stdin and stdout."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from fuzzbow.cli.console import detail, info, progress_stages
from fuzzbow.cli.options import (
    LEFT,
    STANDARD,
    InputOptions,
    ScaleOptions,
    TableOptions,
    load_model,
    model_files,
    table_outputs,
)
from fuzzbow.errors import BadRowError, InputError
from fuzzbow.io import tables as io
from fuzzbow.io.outputs import Paths, check_paths, locked_outputs
from fuzzbow.model import ModelSpec
from fuzzbow.plurals import listed

STDIN = "stdin"
COPIED = 1 << 20  # bytes at a time


def printable() -> list[str]:
    """Return the names of the formats that stdout can have."""
    return [known.name for known in io.known_formats() if known.is_text and known.write]


@dataclass(frozen=True)
class TableFile:
    """Table that a command reads: a file, or a copy of stdin."""

    given: Path  # as the user calls it
    path: Path
    reading: io.Reading
    form: str | None  # of stdout

    def printer(self, *, as_json: bool = False) -> Callable[..., AbstractContextManager[io.Write]]:
        """Return a function that opens a writer to stdout, given a schema and a delimiter.

        The format is the requested one, or that of the input if it is a text format, or CSV.
        """
        form = "jsonl" if as_json else self.form
        name = form or self.reading.format
        kind = io.format_of(self.path) if name is None else io.format_named(name)
        if form is not None and not kind.is_text and self.reading.format != form:
            raise InputError(f"--format {form} cannot be printed; {listed(printable(), 'or')} can")
        text = kind if kind.name in printable() else io.format_named("csv")
        return partial(io.stream_writer, sys.stdout, text)

    def visible(self, text: str) -> str:
        """Replace the path of a copy of stdin in a message by the name that the user gave."""
        return text.replace(str(self.path), STDIN) if self.given == STANDARD else text


def print_notes(files: Iterable[TableFile], notes: Iterable[str]) -> None:
    """Print messages about the tables of a command."""
    for note in notes:
        for file in files:
            note = file.visible(note)
        info(note)


@contextmanager
def table_files(
    tables: Mapping[str, Path | None],
    options: InputOptions,
    *,
    inputs: Paths | None = None,
    outputs: Paths | None = None,
) -> Iterator[list[TableFile]]:
    """Yield the tables of a command, after checking that no output is another file of it.

    Parameters
    ----------
    tables : dict of str to Path or None
        Names as the user knows them, and files; at most one may be `-`, stdin.
    options : TableOptions
        Formats, and whether outputs may be replaced.
    inputs, outputs : dict of str to path or None
        Other files that the command reads, and the files that it writes.
    """
    written = {name: path for name, path in (outputs or {}).items() if path is not None}
    check_paths(inputs={**tables, **(inputs or {})}, outputs=written)
    given = [path for path in tables.values() if path is not None]
    if given.count(STANDARD) > 1:
        raise InputError("only one of the two files can be stdin")
    if options.form is not None:
        io.format_named(options.form)
    delimiter = "\t" if options.delimiter in ("\\t", "tab") else options.delimiter
    reading = io.Reading(None, delimiter, options.encoding, options.skip_bad)
    replace_existing = isinstance(options, TableOptions) and options.overwrite
    with ExitStack() as stack:
        stack.enter_context(locked_outputs(map(Path, written.values())))
        # while they are locked: another process may have written them a moment ago
        kept: dict[str, Any] = {name: path for name, path in written.items() if name != LEFT}
        check_paths(inputs={}, outputs=kept, overwrite=replace_existing)
        files = [stack.enter_context(_open(path, options.form, reading)) for path in given]
        try:
            yield files
        except BadRowError as error:
            error.args = (f"{error}; --skip-bad skips such rows",)
            raise


@contextmanager
def file_job(
    tables: Mapping[str, Path | None],
    out: Path | None,
    options: TableOptions,
    scale: ScaleOptions,
    spec: ModelSpec,
    outputs: Paths | None = None,
) -> Iterator[tuple[list[TableFile], dict[str, Any]]]:
    """Yield the tables of a command, and arguments of the function that works on them."""
    from fuzzbow.pipeline import RunOptions

    written = {**table_outputs(out), **(outputs or {})}
    with (
        table_files(tables, options, inputs=model_files(spec), outputs=written) as files,
        scale.executor(out, [file.given for file in files]) as executor,
    ):
        run = RunOptions(executor, scale.shards, threads=scale.threads, progress=progress_stages)
        yield files, {"reading": files[0].reading, "model": load_model(spec), "run": run}


@contextmanager
def _open(given: Path, form: str | None, reading: io.Reading) -> Iterator[TableFile]:
    if given != STANDARD:
        known = None
        try:
            if form is not None and io.format_of(given).name == "txt":
                known = form  # of a name that says little
        except InputError:
            known = form
        yield TableFile(given, given, replace(reading, format=known), form)
        return
    with tempfile.TemporaryDirectory(prefix="fuzzbow-") as folder:
        path = Path(folder) / STDIN
        with path.open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy, COPIED)
        file = TableFile(given, path, reading, form)
        try:
            known = form or io.recognised_format(path, reading)
            detail(f"stdin is read as {known}")
            yield replace(file, reading=replace(reading, format=known))
        except InputError as error:
            error.args = (file.visible(str(error)),)
            raise
