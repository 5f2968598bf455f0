"""`fuzzbow score`: a file of pairs in, the same file with scores out."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fuzzbow.cli import options
from fuzzbow.cli.console import print_json, progress, reported_errors, say
from fuzzbow.cli.model_options import with_model_options
from fuzzbow.cli.sharded_run import is_sharded_run, sharded_run
from fuzzbow.cli.tables import (
    STANDARD,
    File,
    Format,
    TableFile,
    TableOptions,
    empty_texts,
    table_files,
)
from fuzzbow.model import Model, ModelSpec
from fuzzbow.plurals import counted
from fuzzbow.tasks import (
    RowReport,
    TextColumns,
    check_added,
    collection_of,
    collection_sides,
    score_table,
)
from fuzzbow.tasks.formats import PARQUET, format_of
from fuzzbow.tasks.scores import PairScores

if TYPE_CHECKING:
    from fuzzbow.cluster import Executor, ScoredFiles


@with_model_options()
def score(
    file: File,
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
    form: Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    threads: options.Threads = None,
    ray: options.Ray = None,
    shards: options.Shards = None,
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
        ExitStack() as stack,
    ):
        table = source.open()
        a, b = (TextColumns(named, table.columns, str(file)) for named in (left, right))
        check_added(table.columns, column, str(file))
        model = options.load_model(spec)
        scores: PairScores = model
        report = None
        if is_sharded_run(ray, shards):
            run = stack.enter_context(sharded_run(ray, threads, out, [source]))
            scored = _shard_scores(run, shards, source, model, left, right, column)
            report = _written(scored, source, target)
            scores = scored.in_order()
        elif sides := collection_sides(model.measure, a, b):
            scores = model.fit(collection_of(source.open(), sides))
        if report is None:
            with (
                progress("scoring" if scores is model else "writing") as done,
                source.writer(target, table, {column: "double"}, as_json=json) as write,
            ):
                report = score_table(
                    scores,
                    table,
                    write,
                    left=a,
                    right=b,
                    score=column,
                    threads=threads,
                    progress=done,
                )
        source.say_bad(table.bad)
        if target is not None and json:
            print_json(vars(report) | {"output": str(target)})
        empty = empty_texts(report.without_text)
        say(f"{counted(report.rows, 'row')} scored with {model.measure.name}{empty}")


def _shard_scores(
    run: tuple[Executor, Path],
    shards: int | None,
    source: TableFile,
    model: Model,
    left: list[str],
    right: list[str],
    column: str,
) -> ScoredFiles:
    """Score the rows in shards."""
    from fuzzbow import cluster

    with progress("scoring") as done:
        scored = cluster.score(
            source.path,
            run[1],
            left=left,
            right=right,
            score=column,
            model=model,
            shards=shards,
            executor=run[0],
            reading=source.reading,
            overwrite=True,
            progress=done,
        )
    say(str(scored.counts))
    return scored


def _written(scored: ScoredFiles, source: TableFile, target: Path | None) -> RowReport | None:
    """Write Parquet from Parquet, out of the files of the shards; None for other formats."""
    if target is None or not (source.is_parquet and format_of(target) is PARQUET):
        return None
    with progress("writing"):
        scored.write(target)
    return RowReport(scored.rows, scored.without_text)
