"""`fuzzbow dedupe`: near-duplicates of a file, shown or taken out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fuzzbow.cli import options
from fuzzbow.cli.console import progress, reported_errors
from fuzzbow.cli.explanations import write_page
from fuzzbow.cli.model_options import with_model_options
from fuzzbow.cli.removals import Report, print_report
from fuzzbow.errors import InputError
from fuzzbow.measures import Ability
from fuzzbow.model import ModelSpec
from fuzzbow.paths import check_paths
from fuzzbow.tasks.dedupe import Keep, Linkage
from fuzzbow.tasks.dedupe.file_rows import check_outputs, find_column, removed_path, write_rows
from fuzzbow.tasks.dedupe.removal import check_across


@with_model_options()
def dedupe(
    file: options.File,
    threshold: Annotated[
        float, typer.Option("--threshold", "-s", help="Scores from here on, up to 1.")
    ] = 0.8,
    out: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Where the rows that stay go; the others go beside it, to NAME.removed.SUFFIX.",
        ),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option("--text", help="Column of the texts; the only one, or `text`, unless given."),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option("--against", help="Another file: take out what is like a row of it."),
    ] = None,
    against_text: Annotated[
        str | None,
        typer.Option("--against-text", help="Column of its texts; as --text unless given."),
    ] = None,
    linkage: Annotated[
        Linkage,
        typer.Option(help="Groups by chains of pairs, or only where every two are a pair."),
    ] = Linkage.SINGLE,
    keep: Annotated[Keep, typer.Option(help="Which row of a group stays.")] = Keep.FIRST,
    pairs: Annotated[
        Path | None, typer.Option("--pairs", help="Write all pairs there, as Parquet.")
    ] = None,
    threads: options.Threads = None,
    explain: options.Explain = False,
    html: options.Html = None,
    json: options.Json = False,
    *,
    spec: ModelSpec,
) -> None:
    """Find rows whose texts say the same, exactly, however many rows there are.

    Without an output file a summary is printed. Rows are numbered from 1. With --explain
    every shown row that goes is explained with the one that stays for it; with --html the
    first 100 of all that go are, on a page.
    """
    with reported_errors():
        if pairs is not None and pairs.suffix != ".parquet":
            raise InputError(f"--pairs must end in .parquet; got '{pairs}'")
        check_paths(
            inputs={"FILE": file, "--against": against, **options.model_files(spec)},
            outputs={
                "--output": out,
                "the removed rows of --output": None if out is None else removed_path(out),
                "--pairs": pairs,
                "--html": html,
            },
        )
        column = find_column(file, text)
        other = None if against is None else find_column(against, against_text or text)
        if out is not None:
            check_outputs(out, column)
        if other is not None:
            check_across(keep, linkage)
        model = options.load_model(spec)
        if explain or html is not None:
            model.measure.require(Ability.EXPLAIN)
        with progress("reading") as done:
            texts = column.texts(done)
            others = None if other is None else other.texts(done)
        with progress("comparing") as done:
            found = model.duplicates(
                texts,
                threshold=threshold,
                others=others,
                threads=threads,
                progress=done,
                path=pairs,
            )
        if out is not None:
            with progress("writing") as done:
                write_rows(column, found, out, keep=keep, linkage=linkage, progress=done)
        report = Report(model, found, keep, linkage, explain)
        print_report(report, out, json)
        if html is not None:
            write_page(html, *report.page())
