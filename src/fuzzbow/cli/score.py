"""`fuzzbow score`: a file of pairs in, the same file with scores out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated

import typer

from fuzzbow.atomic import rows_before
from fuzzbow.cli import options
from fuzzbow.cli.console import print_json, progress, reported_errors, say
from fuzzbow.cli.model_options import with_model_options
from fuzzbow.cli.tables import (
    STANDARD,
    open_table,
    reading_options,
    say_bad,
    stdout_writer,
    table_file,
)
from fuzzbow.model import ModelSpec
from fuzzbow.paths import check_paths
from fuzzbow.tasks import check_columns, collection_of, score_table, table_writer
from fuzzbow.tasks.formats import Reading, Table, Write


@with_model_options()
def score(
    file: options.File,
    left: Annotated[str, typer.Option("--left", "-l", help="Column of one text.")],
    right: Annotated[str, typer.Option("--right", "-r", help="Column of the other text.")],
    out: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write; its name tells the format."),
    ] = None,
    column: Annotated[str, typer.Option("--column", help="Name of the new column.")] = "score",
    overwrite: options.Overwrite = False,
    form: options.Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    threads: options.Threads = None,
    json: options.Json = False,
    *,
    spec: ModelSpec,
) -> None:
    """Score the pairs of a file, row by row, whatever its size.

    Where a collection weighs words, as with --for records, it is the texts of the file: both
    columns, or those of the right one where the left one holds queries.

    Without an output file the rows go to stdout, in the input's text format, or as JSON
    lines with --json. With one, --json prints a summary.
    """
    with reported_errors(), ExitStack() as stack:
        out = None if out == STANDARD else out
        check_paths(
            inputs={"FILE": file, **options.model_files(spec)},
            outputs={
                "--output": out,
                "what --output leaves of a bad file": None if out is None else rows_before(out),
            },
            overwrite=overwrite,
        )
        given = reading_options(form, delimiter, encoding, spec.skip_bad)
        path, reading = stack.enter_context(table_file(file, form, given))
        table = open_table(path, reading)
        check_columns(table, [left, right], column, str(file))
        model = options.load_model(spec)
        if model.measure.takes_collection and model.measure.by_call:
            columns = [left, right] if model.measure.symmetric else [right]
            model = model.fit(collection_of(open_table(path, reading), columns))
        form = "jsonl" if json else form
        with (
            progress("scoring") as done,
            _writer(out, table, column, form, reading, path) as write,
        ):
            report = score_table(
                model,
                table,
                write,
                left=left,
                right=right,
                score=column,
                threads=threads,
                progress=done,
            )
        say_bad(table.bad, file)
        if out is not None and json:
            print_json(
                {"rows": report.rows, "without_text": report.without_text, "output": str(out)}
            )
        empty = f"; {report.without_text} had an empty text" if report.without_text else ""
        say(f"{report.rows} rows scored with {model.measure.name}{empty}")


@contextmanager
def _writer(
    out: Path | None, table: Table, column: str, form: str | None, reading: Reading, path: Path
) -> Iterator[Write]:
    """Rows to a file, or to stdout in a text format."""
    if out is not None:
        with table_writer(out, table, {column: "double"}) as write:
            yield write
        return
    with stdout_writer([*table.columns, column], form, reading, path) as write:
        yield write
