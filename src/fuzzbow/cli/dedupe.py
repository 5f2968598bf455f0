"""`fuzzbow dedupe`: near-duplicates of a file, shown or taken out."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fuzzbow.cli import options
from fuzzbow.cli.console import progress, reported_errors, say
from fuzzbow.cli.explanations import write_page
from fuzzbow.cli.model_options import with_model_options
from fuzzbow.cli.removals import Report, print_preview, print_report
from fuzzbow.cli.sharded_run import is_sharded_run, sharded_run
from fuzzbow.cli.tables import STANDARD, File, Format, TableFile, TableOptions, table_files
from fuzzbow.defaults import ALL_DETAILS, DEFAULT_THRESHOLD
from fuzzbow.errors import InputError
from fuzzbow.measures import Ability
from fuzzbow.model import Model, ModelSpec
from fuzzbow.plurals import counted
from fuzzbow.tasks.dedupe import Duplicates, Keep, Linkage
from fuzzbow.tasks.dedupe.file_rows import (
    Column,
    check_outputs,
    find_column,
    kept_rows,
    removed_path,
    write_rows,
)
from fuzzbow.tasks.dedupe.pairs import store_pairs
from fuzzbow.tasks.dedupe.removal import check_across

if TYPE_CHECKING:
    from fuzzbow.cluster import Executor


@with_model_options()
def dedupe(
    file: File,
    threshold: Annotated[
        float, typer.Option("--threshold", "-s", help="Scores from here on, up to 1.")
    ] = DEFAULT_THRESHOLD,
    out: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Where the rows that stay go; the others go beside it, to NAME.removed.SUFFIX."
            " - is stdout, for those that stay alone.",
        ),
    ] = None,
    text: options.Text = None,
    name: Annotated[
        str | None,
        typer.Option("--id", help="Column by which rows are called; else by their number from 1."),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option("--against", help="Another file: take out what is like a row of it."),
    ] = None,
    against_text: Annotated[
        list[str] | None,
        typer.Option("--against-text", help="Column of its texts; as --text unless given."),
    ] = None,
    against_id: Annotated[
        str | None, typer.Option("--against-id", help="Column of its ids; as --id unless given.")
    ] = None,
    linkage: Annotated[
        Linkage,
        typer.Option(
            help="leader: a row goes only for one that it is a pair with; single: chains of pairs;"
            " complete: every two of a group are a pair."
        ),
    ] = Linkage.LEADER,
    keep: Annotated[Keep, typer.Option(help="Which row of a group stays.")] = Keep.FIRST,
    any_details: Annotated[
        bool,
        typer.Option(
            "--any-details",
            help="Let rows go though their numbers, codes, or a negation such as `not` differ.",
        ),
    ] = False,
    details: Annotated[
        str,
        typer.Option(
            "--details", help="Details in which duplicates must agree, some of these with commas."
        ),
    ] = ",".join(ALL_DETAILS),
    ignore_details: Annotated[
        str | None,
        typer.Option(
            "--ignore-details",
            help=r"Regular expression of text without details, such as 'ORD-\d+'.",
        ),
    ] = None,
    drop_empty: Annotated[
        bool,
        typer.Option(
            "--drop-empty", help="Remove rows whose text is missing or blank; they stay otherwise."
        ),
    ] = False,
    preview: Annotated[
        bool,
        typer.Option(
            "--preview",
            help="Write nothing; show the rows that would go which are least like what stays.",
        ),
    ] = False,
    pairs: Annotated[
        Path | None, typer.Option("--pairs", help="Write all pairs there, as Parquet.")
    ] = None,
    overwrite: options.Overwrite = False,
    form: Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    threads: options.Threads = None,
    ray: options.Ray = None,
    shards: options.Shards = None,
    explain: options.Explain = False,
    html: options.Html = None,
    json: options.Json = False,
    *,
    spec: ModelSpec,
) -> None:
    """Find rows whose texts say the same, exactly, however many rows there are.

    A row goes only if it scores at least the threshold with the row that stays, and neither has
    a number, code or negation that speaks against it. Without an output file a summary is
    printed. With --explain every shown row that goes is explained with the one that stays for
    it; with --html the first 100 of all that go are, on a page.
    """
    target = None if out == STANDARD else out
    with (
        reported_errors(),
        table_files(
            {"FILE": file, "--against": against},
            TableOptions(form, delimiter, encoding, spec.skip_bad),
            inputs=options.model_files(spec),
            outputs=_checked_outputs(out, pairs, html, preview),
            overwrite=overwrite,
        ) as files,
        ExitStack() as stack,
    ):
        names = [(text, name), (against_text or text, against_id or name)]
        columns = [
            find_column(source.path, given, id_name=called, reading=source.reading)
            for source, (given, called) in zip(files, names, strict=False)
        ]
        if against is not None:
            check_across(keep, linkage)
        if out is not None:
            check_outputs(target or Path("stdout.csv"), columns[0])
        model = options.load_model(spec)
        if explain or html is not None:
            model.measure.require(Ability.EXPLAIN)
        chosen = _chosen_details(details, any_details)
        if is_sharded_run(ray, shards):
            run = stack.enter_context(sharded_run(ray, threads, out, files))
            _read(files, columns, keep=False)
            found = _shard_duplicates(
                run, shards, columns, model, threshold, chosen, ignore_details
            )
            if pairs is not None:
                store_pairs(found.pairs.parts(), threshold, pairs)
        else:
            texts = _read(files, columns)
            with progress("comparing") as done:
                found = model.duplicates(
                    texts[0],
                    threshold=threshold,
                    others=None if against is None else texts[1],
                    details=chosen,
                    ignore_details=ignore_details,
                    threads=threads,
                    progress=done,
                    path=pairs,
                )
        report = Report(model, found, keep, linkage, drop_empty, explain, *columns)
        if preview:
            print_preview(report, json)
        elif out == STANDARD:
            _print_rows(report, files[0])
        else:
            _write_rows(report, target)
            print_report(report, target, json)
        if html is not None:
            write_page(html, *report.page(), intro=report.picture())


def _checked_outputs(
    out: Path | None, pairs: Path | None, html: Path | None, preview: bool
) -> dict[str, Path | None]:
    """Check the outputs of the command, and return them by option."""
    if pairs is not None and pairs.suffix != ".parquet":
        raise InputError(f"--pairs must end in .parquet; got '{pairs}'")
    if preview and not (out is None and pairs is None and html is None):
        raise InputError("--preview writes nothing; give it without --output, --pairs and --html")
    target = None if out == STANDARD else out
    return {
        "--output": target,
        "the removed rows of --output": None if target is None else removed_path(target),
        "--pairs": pairs,
        "--html": html,
    }


def _chosen_details(named: str, any_details: bool) -> list[str]:
    """The kinds of details that count, by both options."""
    if not any_details:
        return named.split(",")
    if named != ",".join(ALL_DETAILS):
        raise InputError("--any-details and --details contradict each other; give one of them")
    return []


def _shard_duplicates(
    run: tuple[Executor, Path],
    shards: int | None,
    columns: list[Column],
    model: Model,
    threshold: float,
    details: list[str],
    ignore_details: str | None,
) -> Duplicates:
    """Find duplicates in shards; the result reads from the folder of the run."""
    from fuzzbow import cluster

    given = [cluster.text_specs(column.given.weights.items()) for column in columns]
    with progress("comparing") as done:
        found = cluster.dedupe(
            columns[0].path,
            run[1],
            text=list(given[0]),
            model=model,
            threshold=threshold,
            others=columns[1].path if len(columns) > 1 else None,
            others_text=list(given[-1]),
            details=details,
            ignore_details=ignore_details,
            shards=shards,
            executor=run[0],
            reading=columns[0].reading,
            overwrite=True,
            progress=done,
        )
    if isinstance(found.collection, cluster.ShardedCollection):
        say(str(found.collection.counts))
    return found


def _read(files: list[TableFile], columns: list[Column], *, keep: bool = True) -> list[list[str]]:
    """The texts of each file, if they are to be kept; what was odd in them is said."""
    with progress("reading") as done:
        texts = [column.texts(done, keep=keep) for column in columns]
    for file, column in zip(files, columns, strict=True):
        file.say_bad(column.bad)
        if column.ids is not None:
            known = len({str(value) for value in column.ids})
            if known < len(column.ids):
                again = counted(len(column.ids) - known, "repeated id")
                say(f"{file.given}: {again}")
    return texts


def _print_rows(report: Report, file: TableFile) -> None:
    """The rows that stay, to stdout."""
    column, found = report.column, report.found
    with file.stdout_writer(column.columns, column.delimiter) as write:
        for records in kept_rows(
            column,
            found,
            keep=report.keep,
            linkage=report.linkage,
            drop_empty=report.drop_empty,
        ):
            write(records)
    say(report.line())


def _write_rows(report: Report, target: Path | None) -> None:
    """The rows that stay and those that go, to files if one is named."""
    if target is None:
        return
    with progress("writing") as done:
        write_rows(
            report.column,
            report.found,
            target,
            other=report.other,
            keep=report.keep,
            linkage=report.linkage,
            drop_empty=report.drop_empty,
            progress=done,
        )
