"""`fuzzbow join`: the rows of one file with the most similar rows of another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Any

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
from fuzzbow.errors import InputError
from fuzzbow.model import ModelSpec
from fuzzbow.paths import check_paths
from fuzzbow.tasks import table_writer
from fuzzbow.tasks.formats import Table, Write
from fuzzbow.tasks.join import How
from fuzzbow.tasks.join.files import FileJoin, read_right


@with_model_options()
def join(
    left: Annotated[
        Path, typer.Argument(help="A table, row by row; - for stdin.", show_default=False)
    ],
    right: Annotated[
        Path, typer.Argument(help="A table to look in, held in memory.", show_default=False)
    ],
    on: Annotated[
        str | None, typer.Option("--on", help="Column of the texts, if both call it the same.")
    ] = None,
    left_on: Annotated[
        str | None, typer.Option("--left-on", help="Column of the left texts.")
    ] = None,
    right_on: Annotated[
        str | None, typer.Option("--right-on", help="Column of the right texts.")
    ] = None,
    k: Annotated[int, typer.Option("-k", "--k", min=1, help="Matches of a row at most.")] = 1,
    threshold: Annotated[
        float, typer.Option("--threshold", "-s", help="Least score of a match, up to 1.")
    ] = 0.8,
    how: Annotated[
        How,
        typer.Option(help="inner: rows that match; left: all of the left; anti: those without."),
    ] = How.INNER,
    one_to_one: Annotated[
        bool,
        typer.Option("--one-to-one", help="Match no row of either side twice, best scores first."),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write; its name tells the format."),
    ] = None,
    column: Annotated[str, typer.Option("--column", help="Name of the score's column.")] = "score",
    explain: Annotated[
        bool, typer.Option("--explain", help="Add a column `reason`, the words that match.")
    ] = False,
    overwrite: options.Overwrite = False,
    form: options.Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    threads: options.Threads = None,
    json: options.Json = False,
    *,
    spec: ModelSpec,
) -> None:
    """Match each row of a file with the most similar rows of another, exactly.

    A row has the columns of both files (`…_right` where they share a name) and the score.
    Without an output file rows go to stdout; with one, --json prints a summary.
    """
    with reported_errors(), ExitStack() as stack:
        target = None if out == STANDARD else out
        check_paths(
            inputs={"LEFT": left, "RIGHT": right, **options.model_files(spec)},
            outputs={
                "--output": target,
                "what --output leaves of a bad file": target and rows_before(target),
            },
            overwrite=overwrite,
        )
        if left == right == STANDARD:
            raise InputError("only one of the two files can be stdin")
        given = reading_options(form, delimiter, encoding, spec.skip_bad)
        path, reading = stack.enter_context(table_file(left, form, given))
        other, other_reading = stack.enter_context(table_file(right, form, given))
        table, beside = open_table(path, reading), open_table(other, other_reading)
        names = _column(left_on or on, "left", table), _column(right_on or on, "right", beside)
        with progress("reading") as done:
            rows = read_right(beside, names[1], str(right), done)
        say_bad(beside.bad, right)
        model = options.load_model(spec)
        options.warn_of_language(model, rows.texts)
        work = FileJoin(
            model,
            table,
            rows,
            left_on=names[0],
            k=k,
            threshold=threshold,
            how=how,
            one_to_one=one_to_one,
            score=column,
            reasons=explain,
            place=str(left),
        )
        with (
            progress("joining") as done,
            _writer(work, target, table, form, reading, path) as write,
        ):
            report = work.write(write, threads=threads, progress=done)
        say_bad(table.bad, left)
        if target is not None and json:
            print_json(report | {"output": str(target)})
        say(
            f"{report['left']} rows, {report['right']} to look in: {report['matched']} match,"
            f" {report['rows']} rows written"
        )


def _column(name: str | None, side: str, table: Table) -> str:
    if name is None:
        raise InputError(
            f"--on or --{side}-on must name the column of texts; there are"
            f" {', '.join(table.columns)}"
        )
    return name


@contextmanager
def _writer(
    work: FileJoin, out: Path | None, table: Table, form: str | None, reading: Any, path: Path
) -> Iterator[Write]:
    """Rows to a file, or to stdout in a text format."""
    if out is not None:
        with table_writer(out, table, work.added) as write:
            yield write
        return
    with stdout_writer([*table.columns, *work.added], form, reading, path) as write:
        yield write
