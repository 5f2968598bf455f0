"""`fuzzbow join`: the rows of one file with the most similar rows of another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fuzzbow.cli import options
from fuzzbow.cli.console import info, print_json, progress_stages, show
from fuzzbow.cli.files import table_files
from fuzzbow.cli.options import STANDARD, ScaleOptions, TableOptions, option, with_options
from fuzzbow.errors import InputError
from fuzzbow.join import How, JoinOptions
from fuzzbow.model import ModelSpec

options.GROUPS[JoinOptions] = {
    "k": option(int, "-k", "--k", min=1, help="Maximum number of matches of a row."),
    "threshold": option(
        float | None,
        "--threshold",
        "-s",
        help="Minimum score of a match (0 < s ≤ 1).",
        show_default=options.BY_PURPOSE,
    ),
    "how": option(
        How,
        "--how",
        help="inner: rows that match; left: all of the left; anti: those without.",
    ),
    "one_to_one": option(
        bool, "--one-to-one", help="Match no row of either side twice, best scores first."
    ),
    "score": option(str, "--column", help="Name of the score's column."),
    "reasons": option(bool, "--explain", help="Add a column `reason`, the words that match."),
}


@with_options(purpose="records")
def join(
    left: Annotated[Path, typer.Argument(help="A table; - for stdin.", show_default=False)],
    right: Annotated[
        Path, typer.Argument(help="A table to look in, held in memory.", show_default=False)
    ],
    on: Annotated[
        list[str] | None,
        typer.Option(
            help="Column of the texts, if both tables have it; the only one, or `text`, unless"
            f" given. {options.SEVERAL}",
        ),
    ] = None,
    left_on: Annotated[list[str] | None, typer.Option(help="Column of the left texts.")] = None,
    right_on: Annotated[list[str] | None, typer.Option(help="Column of the right texts.")] = None,
    out: options.Out = None,
    preview: Annotated[
        bool,
        typer.Option("--preview", help="Write nothing; show the matches nearest to the threshold."),
    ] = False,
    json: options.Json = False,
    *,
    chosen: JoinOptions,
    tables: TableOptions,
    scale: ScaleOptions,
    spec: ModelSpec,
) -> None:
    """Match each row of a file with the most similar rows of another, exactly.

    A row has the columns of both files (`…_right` where they share a name) and the score.
    Without an output file rows are printed; with one, --json prints a summary. The summary has the
    number of rows that match, and those at other thresholds.
    """
    from fuzzbow.pipeline import join_files

    if preview and out is not None:
        raise InputError("--preview writes nothing; give it without --output")
    target = None if out == STANDARD else out
    with (
        table_files(
            {"LEFT": left, "RIGHT": right},
            tables,
            inputs=options.model_files(spec),
            outputs=options.table_outputs(target),
        ) as files,
        scale.executor(out, [left, right]) as executor,
    ):
        found = join_files(
            files[0].path,
            files[1].path,
            target,
            options=chosen,
            left_on=left_on or on,
            right_on=right_on or on,
            model=options.load_model(spec),
            reading=files[0].reading,
            right_reading=files[1].reading,
            preview=preview,
            sink=files[0].printer() if target is None and not preview else None,
            executor=executor,
            shards=scale.shards,
            threads=scale.threads,
            progress=progress_stages,
        )
        for note in found.notes:
            info(files[1].visible(files[0].visible(note)))
    if json and (preview or target is not None):
        print_json(found.summary | ({} if preview else {"output": str(target)}))
    if preview and not json:
        show("\n".join(found.lines))
    elif not preview:
        for line in found.lines:
            info(line)
