"""`fuzzbow dedupe`: near-duplicates of a file, shown or taken out."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from fuzzbow.cli import options
from fuzzbow.cli.console import progress, reported_errors, say
from fuzzbow.cli.explanations import write_page
from fuzzbow.cli.model_options import with_model_options
from fuzzbow.cli.removals import Report, print_preview, print_report
from fuzzbow.cli.tables import STANDARD, reading_options, say_bad, stdout_writer, table_file
from fuzzbow.errors import InputError
from fuzzbow.measures import Ability
from fuzzbow.model import ModelSpec
from fuzzbow.paths import check_paths
from fuzzbow.tasks.dedupe import DEFAULT_THRESHOLD, Keep, Linkage
from fuzzbow.tasks.dedupe.file_rows import (
    Column,
    check_outputs,
    find_column,
    kept_rows,
    removed_path,
    write_rows,
)
from fuzzbow.tasks.dedupe.removal import check_across


@with_model_options()
def dedupe(
    file: options.File,
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
    text: Annotated[
        list[str] | None,
        typer.Option(
            "--text",
            help="Column of the texts; the only one, or `text`, unless given. Repeat it to compare"
            " several columns, joined.",
        ),
    ] = None,
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
    form: options.Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    threads: options.Threads = None,
    explain: options.Explain = False,
    html: options.Html = None,
    json: options.Json = False,
    *,
    spec: ModelSpec,
) -> None:
    """Find rows whose texts say the same, exactly, however many rows there are.

    A row goes only if it scores at least the threshold with the row that stays, and their
    numbers and codes are the same. Without an output file a summary is printed. With
    --explain every shown row that goes is explained with the one that stays for it; with
    --html the first 100 of all that go are, on a page.
    """
    with reported_errors(), ExitStack() as stack:
        if pairs is not None and pairs.suffix != ".parquet":
            raise InputError(f"--pairs must end in .parquet; got '{pairs}'")
        if preview and (out is not None or pairs is not None):
            raise InputError("--preview writes nothing; give it without --output and --pairs")
        if file == against == STANDARD:
            raise InputError("only one of the two files can be stdin")
        printed = out == STANDARD
        target = None if printed else out
        check_paths(
            inputs={"FILE": file, "--against": against, **options.model_files(spec)},
            outputs={
                "--output": target,
                "the removed rows of --output": None if target is None else removed_path(target),
                "--pairs": pairs,
                "--html": html,
            },
            overwrite=overwrite,
        )
        given = reading_options(form, delimiter, encoding, spec.skip_bad)
        path, reading = stack.enter_context(table_file(file, form, given))
        column = find_column(path, text, id_name=name, reading=reading)
        other = None
        if against is not None:
            place, how = stack.enter_context(table_file(against, form, given))
            other = find_column(
                place, against_text or text, id_name=against_id or name, reading=how
            )
            check_across(keep, linkage)
        if out is not None:
            check_outputs(Path("stdout.csv") if printed else out, column)
        model = options.load_model(spec)
        if explain or html is not None:
            model.measure.require(Ability.EXPLAIN)
        with progress("reading") as done:
            texts = column.texts(done)
            others = None if other is None else other.texts(done)
        _say_odd(column, file)
        if other is not None and against is not None:
            _say_odd(other, against)
        options.warn_of_language(model, texts)
        with progress("comparing") as done:
            found = model.duplicates(
                texts,
                threshold=threshold,
                others=others,
                same_details=not any_details,
                threads=threads,
                progress=done,
                path=pairs,
            )
        report = Report(model, found, keep, linkage, explain, column, other)
        if preview:
            print_preview(report, json)
        elif printed:
            with stdout_writer(column.columns, form, reading, path) as write:
                for records in kept_rows(column, found, keep=keep, linkage=linkage):
                    write(records)
            say(report.line())
        else:
            if target is not None:
                with progress("writing") as done:
                    write_rows(
                        column,
                        found,
                        target,
                        other=other,
                        keep=keep,
                        linkage=linkage,
                        progress=done,
                    )
            print_report(report, target, json)
        if html is not None:
            write_page(html, *report.page(), intro=report.picture())


def _say_odd(column: Column, file: Path) -> None:
    """Say what was passed over or taken for empty in a file."""
    say_bad(column.bad, file)
    if column.missing:
        say(f"{file}: {column.missing} without text, taken as empty")
    if column.ids is not None:
        known = len({str(value) for value in column.ids})
        if known < len(column.ids):
            say(f"{file}: {len(column.ids) - known} ids are those of an earlier row")
