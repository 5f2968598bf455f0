"""`fuzzbow dedupe`: near-duplicates of a file, shown or removed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from fuzzbow.cli import options
from fuzzbow.cli.console import info, print_json, progress_stages, show
from fuzzbow.cli.explanations import show_anything, show_explanations
from fuzzbow.cli.files import table_files
from fuzzbow.cli.options import STANDARD, ScaleOptions, TableOptions, option, with_options
from fuzzbow.dedupe import DedupeOptions
from fuzzbow.dedupe.groups import Keep, Linkage
from fuzzbow.defaults import ALL_DETAILS
from fuzzbow.errors import InputError
from fuzzbow.model import ModelSpec

options.GROUPS[DedupeOptions] = {
    "threshold": option(
        float, "--threshold", "-s", help="Minimum score of a duplicate pair (0 < s ≤ 1)."
    ),
    "linkage": option(
        Linkage,
        "--linkage",
        help="leader: a row is removed only for one that it is a pair with; single: chains of"
        " pairs; complete: every two of a group are a pair.",
    ),
    "keep": option(Keep, "--keep", help="Row of a group that is kept."),
    "details": option(
        str, "--details", help="Details in which duplicates must agree, separated by commas."
    ),
    "ignore_details": option(
        str | None,
        "--ignore-details",
        help=r"Regular expression of text without details, such as 'ORD-\d+'.",
    ),
    "drop_empty": option(bool, "--drop-empty", help="Remove rows whose text is missing or blank."),
}


@with_options()
def dedupe(
    file: options.File,
    out: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File of the kept rows; the removed ones are written next to it, to"
            " NAME.removed.SUFFIX. - is stdout, for the kept rows alone.",
        ),
    ] = None,
    text: options.Text = None,
    name: Annotated[
        str | None,
        typer.Option("--id", help="Column that names rows; by default their number from 1 on."),
    ] = None,
    against: Annotated[
        Path | None, typer.Option(help="Other file: remove the rows that are similar to its rows.")
    ] = None,
    against_text: Annotated[
        list[str] | None, typer.Option(help="Column of its texts, by default that of --text.")
    ] = None,
    against_id: Annotated[
        str | None, typer.Option(help="Column of its ids, by default that of --id.")
    ] = None,
    any_details: Annotated[
        bool,
        typer.Option(
            "--any-details",
            help="Remove rows even if their numbers, codes, or a negation such as `not` differ.",
        ),
    ] = False,
    preview: Annotated[
        bool, typer.Option("--preview", help="Write nothing; show the least similar removed rows.")
    ] = False,
    pairs: Annotated[Path | None, typer.Option(help="Parquet file to write all pairs to.")] = None,
    explain: options.Explain = False,
    html: options.Html = None,
    json: options.Json = False,
    *,
    chosen: DedupeOptions,
    tables: TableOptions,
    scale: ScaleOptions,
    spec: ModelSpec,
) -> None:
    """Find rows whose texts have the same meaning; every pair above the threshold is found.

    A row is removed only if it scores at least the threshold with the kept row, and no number, code
    or negation of either contradicts it. Without an output file a summary is printed. --explain
    explains the shown removals, --html the first 100 of all on a page.
    """
    from fuzzbow.pipeline.dedupe import dedupe_file, removed_path

    if preview and any((out, pairs, html)):
        raise InputError("--preview writes nothing; omit --output, --pairs and --html")
    if any_details and chosen.details != ",".join(ALL_DETAILS):
        raise InputError("--any-details and --details contradict each other; give one of them")
    target = None if out == STANDARD else out
    removed = None if target is None else removed_path(target)
    outputs = {"--output": target, "the removed rows of --output": removed}
    with (
        table_files(
            {"FILE": file, "--against": against},
            tables,
            inputs=options.model_files(spec),
            outputs=outputs | {"--pairs": pairs, "--html": html},
        ) as files,
        scale.executor(out, [item.given for item in files]) as executor,
    ):
        found = dedupe_file(
            files[0].path,
            target,
            options=replace(chosen, details=()) if any_details else chosen,
            text=text,
            id_name=name,
            against=files[1].path if against else None,
            against_text=against_text,
            against_id=against_id,
            model=options.load_model(spec),
            reading=files[0].reading,
            against_reading=files[-1].reading,
            pairs=pairs,
            html=html,
            explain=explain,
            preview=preview,
            sink=files[0].printer() if out == STANDARD else None,
            executor=executor,
            shards=scale.shards,
            threads=scale.threads,
            progress=progress_stages,
        )
        for note in found.notes:
            info(files[-1].visible(files[0].visible(note)))
    if json:
        written = {"output": str(target), "removed_output": str(removed)}
        print_json(found.to_dict() | (written if target else {}))
        return
    show_anything()
    if out is None:
        show(str(found))
    else:
        info(found.line)
    if target is not None:
        info(f"kept: {target}; removed, with the reason: {removed}")
    show_explanations(found.explanations)
