"""`fuzzbow dedupe`: near-duplicates of a file, shown or removed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from fuzzbow.cli import options
from fuzzbow.cli.console import info, print_json, show
from fuzzbow.cli.explanations import show_anything, show_explanations
from fuzzbow.cli.files import file_job, print_notes
from fuzzbow.cli.options import STANDARD, ScaleOptions, TableOptions, member, option, with_options
from fuzzbow.dedupe import DedupeOptions
from fuzzbow.dedupe.groups import Keep, Linkage
from fuzzbow.defaults import ALL_DETAILS
from fuzzbow.errors import InputError
from fuzzbow.model import ModelSpec

options.GROUPS[DedupeOptions] = {
    "threshold": member(float, "Minimum score of a duplicate pair (0 < s ≤ 1).", "-s"),
    "linkage": member(
        Linkage,
        "leader: a removed row is a pair with the kept row; single: chains of pairs;"
        " complete: every two of a group are a pair.",
    ),
    "keep": member(Keep, "Row of a group that is kept."),
    "details": member(str, "Details in which duplicates must agree, separated by commas."),
    "ignore_details": member(
        str | None, r"Regular expression of text whose details are ignored, such as 'ORD-\d+'."
    ),
    "drop_empty": member(bool, "Remove rows whose text is missing or blank."),
}


@with_options()
def dedupe(
    file: Path = options.FILE,
    out: Path | None = option(
        None,
        "File of the kept rows; the removed ones are written next to it, to NAME.removed.SUFFIX."
        " - is stdout, for the kept rows alone.",
        "--output",
        "-o",
    ),
    text: list[str] | None = options.TEXT,
    name: str | None = option(None, "Column of row ids; row numbers from 1 unless given.", "--id"),
    against: Path | None = option(None, "Other file: remove rows that are similar to a row of it."),
    against_text: list[str] | None = option(
        None, "Column of its texts, by default that of --text."
    ),
    against_id: str | None = option(None, "Column of its ids, by default that of --id."),
    any_details: bool = option(
        False, "Remove rows even if their numbers, codes, or a negation such as `not` differ."
    ),
    preview: bool = option(False, "Write nothing; show the least similar removed rows."),
    pairs: Path | None = option(None, "Parquet file to write all pairs to."),
    explain: bool = options.EXPLAIN,
    html: Path | None = options.HTML,
    json: bool = options.JSON,
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
    outputs = {"the removed rows of --output": removed, "--pairs": pairs, "--html": html}
    given = {"FILE": file, "--against": against}
    with file_job(given, out, tables, scale, spec, outputs) as (files, job):
        found = dedupe_file(
            files[0].path,
            target,
            options=replace(chosen, details=()) if any_details else chosen,
            text=text,
            id_name=name,
            against=files[1].path if against else None,
            against_text=against_text,
            against_id=against_id,
            against_reading=files[-1].reading,
            pairs=pairs,
            html=html,
            explain=explain,
            preview=preview,
            sink=files[0].printer() if out == STANDARD else None,
            **job,
        )
        print_notes(files, found.notes)
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
