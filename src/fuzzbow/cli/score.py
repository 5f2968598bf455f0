"""`fuzzbow score`: a file of pairs in, the same file with scores out."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from fuzzbow.atomic import rows_before
from fuzzbow.cli import options
from fuzzbow.cli.console import print_json, progress, reported_errors, say
from fuzzbow.cli.model_options import with_model_options
from fuzzbow.model import Model, ModelSpec
from fuzzbow.paths import check_paths
from fuzzbow.tasks import (
    BATCH_ROWS,
    JSONL,
    check_columns,
    collection_of,
    read_table,
    score_table,
    table_writer,
    text_format_of,
)
from fuzzbow.tasks.formats import Table, Write


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
    with reported_errors():
        check_paths(
            inputs={"FILE": file, **options.model_files(spec)},
            outputs={
                "--output": out,
                "what --output leaves of a bad file": None if out is None else rows_before(out),
            },
        )
        table = read_table(file, batch_rows=BATCH_ROWS)
        check_columns(table, [left, right], column, str(file))
        model = _fitted(options.load_model(spec), file, left, right)
        with (
            progress("scoring") as done,
            _writer(file, out, table, column, json) as write,
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
        if out is not None and json:
            print_json(
                {"rows": report.rows, "without_text": report.without_text, "output": str(out)}
            )
        empty = f"; {report.without_text} had an empty text" if report.without_text else ""
        say(f"{report.rows} rows scored with {model.measure.name}{empty}")


def _fitted(model: Model, file: Path, left: str, right: str) -> Model:
    """The model with the texts of the file as its collection, if it needs one."""
    if not (model.measure.takes_collection and model.measure.by_call):
        return model
    columns = [left, right] if model.measure.symmetric else [right]
    return model.fit(collection_of(read_table(file, batch_rows=BATCH_ROWS), columns))


@contextmanager
def _writer(file: Path, out: Path | None, table: Table, column: str, json: bool) -> Iterator[Write]:
    """Rows to a file, or to stdout in a text format."""
    if out is not None:
        with table_writer(out, table, {column: "double"}) as write:
            yield write
        return
    kind = JSONL if json else text_format_of(file)
    yield kind.write(sys.stdout, [*table.columns, column])
    sys.stdout.flush()
