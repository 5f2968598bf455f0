"""`fuzzbow join`: the rows of one file with the most similar rows of another."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fuzzbow.cli import options
from fuzzbow.cli.console import print_json, progress, reported_errors, say, show
from fuzzbow.cli.model_options import with_model_options
from fuzzbow.cli.options import BY_PURPOSE
from fuzzbow.cli.removals import brief
from fuzzbow.cli.sharded_run import is_sharded_run, sharded_run
from fuzzbow.cli.tables import STANDARD, Format, TableFile, TableOptions, empty_texts, table_files
from fuzzbow.errors import InputError
from fuzzbow.model import Model, ModelSpec
from fuzzbow.plurals import counted
from fuzzbow.tasks import TextColumns
from fuzzbow.tasks.formats import Table
from fuzzbow.tasks.join import How, Matches
from fuzzbow.tasks.join.best_scores import BestScores
from fuzzbow.tasks.join.files import FileJoin, read_right
from fuzzbow.tasks.join.frames import check_reach

if TYPE_CHECKING:
    from fuzzbow.cluster import Executor


@with_model_options(purpose="records")
def join(
    left: Annotated[
        Path, typer.Argument(help="A table, row by row; - for stdin.", show_default=False)
    ],
    right: Annotated[
        Path, typer.Argument(help="A table to look in, held in memory.", show_default=False)
    ],
    on: Annotated[
        list[str] | None,
        typer.Option(
            "--on",
            help="Column of the texts, if both call it the same; the only one, or `text`, unless"
            f" given. {options.SEVERAL}",
        ),
    ] = None,
    left_on: Annotated[
        list[str] | None, typer.Option("--left-on", help="Column of the left texts.")
    ] = None,
    right_on: Annotated[
        list[str] | None, typer.Option("--right-on", help="Column of the right texts.")
    ] = None,
    k: Annotated[int, typer.Option("-k", "--k", min=1, help="Matches of a row at most.")] = 1,
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold", "-s", help="Least score of a match, up to 1.", show_default=BY_PURPOSE
        ),
    ] = None,
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
    preview: Annotated[
        bool,
        typer.Option(
            "--preview", help="Write nothing; show the matches that are nearest to the threshold."
        ),
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Add a column `reason`, the words that match.")
    ] = False,
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
    """Match each row of a file with the most similar rows of another, exactly.

    A row has the columns of both files (`…_right` where they share a name) and the score.
    Without an output file rows go to stdout; with one, --json prints a summary. It says how many
    rows match, and how many would at other thresholds.
    """
    target = None if out == STANDARD else out
    with (
        reported_errors(),
        table_files(
            {"LEFT": left, "RIGHT": right},
            TableOptions(form, delimiter, encoding, spec.skip_bad),
            inputs=options.model_files(spec),
            outputs=options.table_outputs(target),
            overwrite=overwrite,
        ) as (source, other),
        ExitStack() as stack,
    ):
        if preview and out is not None:
            raise InputError("--preview writes nothing; give it without --output")
        table, beside = source.open(), other.open()
        texts = _columns(left_on or on, "left", table, left)
        other_texts = _columns(right_on or on, "right", beside, right)
        with progress("reading") as done:
            rows = read_right(beside, other_texts, done)
        other.say_bad(beside.bad)
        model, find = options.load_model(spec), None
        least = check_reach(model.measure, model.join_threshold if threshold is None else threshold)
        if is_sharded_run(ray, shards):
            if one_to_one or explain:
                raise InputError("--shards and --ray go with neither --one-to-one nor --explain")
            run = stack.enter_context(sharded_run(ray, threads, out, [source, other]))
            sides = [(source, texts), (other, other_texts)]
            find = _shard_matches(run, shards, sides, model, k, BestScores(least).floor)
        work = FileJoin(
            model,
            table,
            rows,
            left_on=texts,
            k=k,
            threshold=least,
            how=how,
            one_to_one=one_to_one,
            score=column,
            reasons=explain,
            find=find,
        )
        if preview:
            with progress("joining") as done:
                report = work.write(None, threads=threads, progress=done)
        else:
            with progress("joining") as done, source.writer(target, table, work.added) as write:
                report = work.write(write, threads=threads, progress=done)
        source.say_bad(table.bad)
        if preview:
            _print_preview(work, report, json)
            return
        if target is not None and json:
            print_json(report | {"output": str(target)})
        for line in _summary(report):
            say(line)


def _summary(report: dict[str, Any]) -> list[str]:
    """Summarise the matches, and those at other thresholds, one line each."""
    at, matched = report["threshold"], report["matched"]
    size = counted(report["left"], "row")
    found = f"{size}, {report['right']} to look in: {matched} matched at {at:g} or above"
    written = f", {counted(report['rows'], 'row')} written{empty_texts(report['without_text'])}"
    tenths = [(step, 10 * (step["threshold"] - at)) for step in report["thresholds"]]
    others = [step for step, away in tenths if round(away) and abs(away - round(away)) < 1e-6]
    steps = ", ".join(f"{step['matched']} at {step['threshold']:g}" for step in others)
    return [found + written, f"rows that would match by another threshold: {steps}"]


def _print_preview(work: FileJoin, report: dict[str, Any], json: bool) -> None:
    """The matches nearest to the threshold, and how many rows match at it and at others."""
    near = work.best.near()
    if json:
        print_json(report | {"nearest": near})
        return
    at = report["threshold"]
    size = counted(report["left"], "row")
    show(f"{size}, {report['right']} to look in: {report['matched']} matched at {at:g}")
    for row in near:
        verb = "matches" if row["matches"] else "does not match"
        show(f"\n{row['score']:.4f}  row {row['left']} {verb} row {row['right']}")
        show(f"        {brief(row['text'])}")
        show(f"        {brief(row['right_text'])}")
    show("")
    for step in report["thresholds"]:
        show(f"at {step['threshold']:g}: {counted(step['matched'], 'row')} would match")


def _shard_matches(
    run: tuple[Executor, Path],
    shards: int | None,
    sides: list[tuple[TableFile, TextColumns]],
    model: Model,
    k: int,
    threshold: float,
) -> Callable[[list[str]], Matches]:
    """Find the matches of all rows in shards."""
    from fuzzbow import cluster

    (left, left_on), (right, right_on) = sides
    with progress("joining") as done:
        matched = cluster.join(
            left.path,
            right.path,
            run[1],
            left_on=list(cluster.text_specs(left_on.weights.items())),
            right_on=list(cluster.text_specs(right_on.weights.items())),
            model=model,
            k=k,
            threshold=threshold,
            shards=shards,
            executor=run[0],
            reading=left.reading,
            overwrite=True,
            progress=done,
        )
    say(str(matched.counts))
    return cluster.StoredMatches(matched)


TEXT = "text"  # the column of texts, unless it is named or the only one


def _columns(named: list[str] | None, side: str, table: Table, file: Path) -> TextColumns:
    columns = table.columns
    usual = columns[0] if len(columns) == 1 else TEXT
    if not named and usual not in columns:
        raise InputError(
            f"--on or --{side}-on must name the column of texts; there are {', '.join(columns)}"
        )
    return TextColumns(named or usual, columns, str(file))
