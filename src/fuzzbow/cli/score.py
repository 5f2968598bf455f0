"""`fuzzbow score`: a file of pairs in, the same file with scores out."""

from __future__ import annotations

from typing import Annotated

import typer

from fuzzbow.cli import options
from fuzzbow.cli.console import info, print_json
from fuzzbow.cli.files import file_job
from fuzzbow.cli.options import STANDARD, ScaleOptions, TableOptions, with_options
from fuzzbow.model import ModelSpec


@with_options()
def score(
    file: options.File,
    left: Annotated[
        list[str], typer.Option("--left", "-l", help=f"Column of one text. {options.SEVERAL}")
    ],
    right: Annotated[
        list[str], typer.Option("--right", "-r", help=f"Column of the other. {options.SEVERAL}")
    ],
    out: options.Out = None,
    column: Annotated[str, typer.Option("--column", help="Name of the new column.")] = "score",
    json: options.Json = False,
    *,
    tables: TableOptions,
    scale: ScaleOptions,
    spec: ModelSpec,
) -> None:
    """Score the pairs of a file, row by row, whatever its size.

    If a collection decides the weights of words, as with --for records, it is the texts of the
    file: both columns, or those of the right one where the left one holds queries.

    Without an output file the rows are printed, in the input's text format, or as JSON lines with
    --json. With one, --json prints a summary.
    """
    from fuzzbow.pipeline import score_file

    target = None if out == STANDARD else out
    with file_job(file, target, tables, scale, spec) as (source, job):
        found = score_file(
            source.path,
            target,
            left=left,
            right=right,
            column=column,
            sink=source.printer(as_json=json) if target is None else None,
            **job,
        )
    if target is not None and json:
        print_json(found.summary() | {"output": str(target)})
    for note in [*found.notes, found.line]:
        info(source.visible(note))
