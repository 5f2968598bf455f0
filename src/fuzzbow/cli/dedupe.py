"""`fuzzbow dedupe`: near-duplicates of a file, shown or taken out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from fuzzbow.atomic import check_output
from fuzzbow.cli import options
from fuzzbow.cli.console import output, print_json, progress, reported_errors, say
from fuzzbow.errors import InputError
from fuzzbow.tasks.dedupe import Duplicates, Groups, Keep, Linkage
from fuzzbow.tasks.dedupe.removal import check_across
from fuzzbow.tasks.dedupe.rows import Column, check_outputs, find_column, removed_path, write_rows

SHOWN_GROUPS = 10
SHOWN_ROWS = 5
SHOWN_TEXT = 60


def dedupe(
    file: Annotated[Path, typer.Argument(help="csv, tsv, jsonl or parquet.", show_default=False)],
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
    vectors: options.Vectors = options.VECTORS,
    measure: options.MeasureName = options.MEASURE,
    weights: options.WeightsName = "none",
    counts: options.CountsSource = None,
    tokenizer: options.TokenizerName = "words",
    normalise: options.Normalise = False,
    limit: options.Limit = None,
    skip_bad: options.SkipBad = False,
    threads: options.Threads = None,
    json: options.Json = False,
) -> None:
    """Find rows whose texts say the same, exactly, however many rows there are.

    Without an output file a summary is printed. Rows are numbered from 1.
    """
    with reported_errors():
        column = find_column(file, text)
        other = None if against is None else find_column(against, against_text or text)
        _check_files(column, other, out, pairs)
        if other is not None:
            check_across(keep, linkage)
        model = options.load_model(
            vectors, measure, weights, counts, tokenizer, normalise, limit, skip_bad
        )
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
        _report(found, keep, linkage, out, json)


def _check_files(
    column: Column, other: Column | None, out: Path | None, pairs: Path | None
) -> None:
    """What will be written must not be what is read, and must have a place."""
    read = [] if other is None else [other.path]
    if pairs is not None:
        check_output(pairs)
        if pairs.suffix != ".parquet":
            raise InputError(f"--pairs must end in .parquet; got '{pairs}'")
        if pairs.resolve() in [path.resolve() for path in (column.path, *read)]:
            raise InputError(f"--pairs must not be a file that is read; got '{pairs}'")
    if out is not None:
        check_outputs(out, column, read if pairs is None else [*read, pairs])


def _summary(found: Duplicates, keep: Keep, linkage: Linkage, groups: Groups) -> dict[str, Any]:
    """What was found, in numbers."""
    stays = len(found.kept(keep=keep, linkage=linkage))
    return {
        "rows": len(found.texts),
        "threshold": found.threshold,
        "pairs": len(found.pairs),
        "exact_copies": found.copies,
        "groups": len(groups),
        "kept": stays,
        "removed": len(found.texts) - stays,
    }


def _report(found: Duplicates, keep: Keep, linkage: Linkage, out: Path | None, json: bool) -> None:
    """A summary: on stdout where that is all there is or JSON is wanted, else on stderr."""
    groups = found.groups(linkage)
    summary = _summary(found, keep, linkage, groups)
    if json:
        files = (
            {} if out is None else {"output": str(out), "removed_output": str(removed_path(out))}
        )
        print_json(summary | files | {"largest_groups": _largest(found, groups)})
        return
    line = (
        f"{summary['rows']} rows: {summary['pairs']} pairs at {found.threshold:g} or above,"
        f" {summary['exact_copies']} exact copies, {summary['groups']} groups;"
        f" {summary['kept']} rows stay, {summary['removed']} go"
    )
    if out is not None:
        say(line)
        say(f"kept: {out}; removed, with the reason: {removed_path(out)}")
        return
    output.print(line, markup=False)
    if len(groups):
        output.print(_table(_largest(found, groups)), soft_wrap=False)


def _largest(found: Duplicates, groups: Groups) -> list[dict[str, Any]]:
    """The largest groups: how many rows, the first of them, and the text of the first."""
    texts, shift = found.texts, len(found.texts)
    shown = []
    for group in [groups[place] for place in range(min(SHOWN_GROUPS, len(groups)))]:
        rows = {"rows": (group[group < shift] + 1)[:SHOWN_ROWS].tolist()}
        if found.others is not None:
            rows["against_rows"] = (group[group >= shift] - shift + 1)[:SHOWN_ROWS].tolist()
        first = int(group[0])
        example = texts[first] if first < shift else (found.others or [])[first - shift]
        shown.append({"size": len(group), **rows, "text": example})
    return shown


def _table(shown: list[dict[str, Any]]) -> Table:
    """The largest groups for a person."""
    across = "against_rows" in shown[0]
    table = Table("size", "rows", *(["rows of the other"] if across else []), "first text")
    for group in shown:
        columns = [group["rows"], *([group["against_rows"]] if across else [])]
        listed = [
            ", ".join(map(str, rows)) + (", …" if sum(map(len, columns)) < group["size"] else "")
            for rows in columns
        ]
        text = group["text"][:SHOWN_TEXT] + ("…" if len(group["text"]) > SHOWN_TEXT else "")
        table.add_row(str(group["size"]), *listed, _plain(text))
    return table


def _plain(text: str) -> Any:
    """Text that is never read as markup, on one line."""
    from rich.text import Text

    return Text(" ".join(text.split()))
