"""`fuzzbow score`: a file of pairs in, the same file with scores out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fuzzbow.cli import options
from fuzzbow.cli.console import print_json, progress, reported_errors, say
from fuzzbow.cli.model_options import with_model_options
from fuzzbow.cli.tables import STANDARD, TableOptions, empty_texts, table_files
from fuzzbow.model import ModelSpec
from fuzzbow.tasks import TextColumns, check_added, collection_of, collection_sides, score_table


@with_model_options()
def score(
    file: options.File,
    left: Annotated[
        list[str], typer.Option("--left", "-l", help=f"Column of one text. {options.SEVERAL}")
    ],
    right: Annotated[
        list[str], typer.Option("--right", "-r", help=f"Column of the other. {options.SEVERAL}")
    ],
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
    target = None if out == STANDARD else out
    with (
        reported_errors(),
        table_files(
            {"FILE": file},
            TableOptions(form, delimiter, encoding, spec.skip_bad),
            inputs=options.model_files(spec),
            outputs=options.table_outputs(target),
            overwrite=overwrite,
        ) as (source,),
    ):
        table = source.open()
        a, b = (TextColumns(named, table.columns, str(file)) for named in (left, right))
        check_added(table.columns, column, str(file))
        model = options.load_model(spec)
        if sides := collection_sides(model.measure, a, b):
            model = model.fit(collection_of(source.open(), sides))
        with (
            progress("scoring") as done,
            source.writer(target, table, {column: "double"}, as_json=json) as write,
        ):
            report = score_table(
                model, table, write, left=a, right=b, score=column, threads=threads, progress=done
            )
        source.say_bad(table.bad)
        if target is not None and json:
            print_json(vars(report) | {"output": str(target)})
        empty = empty_texts(report.without_text)
        say(f"{report.rows} rows scored with {model.measure.name}{empty}")
