"""`fuzzbow join`: the rows of one file with the most similar rows of another."""

from __future__ import annotations

from pathlib import Path

from fuzzbow.cli import options
from fuzzbow.cli.console import print_json, show
from fuzzbow.cli.files import file_job, print_notes
from fuzzbow.cli.options import (
    STANDARD,
    ScaleOptions,
    TableOptions,
    argument,
    member,
    option,
    with_options,
)
from fuzzbow.errors import InputError
from fuzzbow.join import How, JoinOptions
from fuzzbow.model import ModelSpec

options.GROUPS[JoinOptions] = {
    "k": member(int, "Maximum number of matches of a row.", "-k", min=1),
    "threshold": member(
        float | None,
        "Minimum score of a match (0 < s ≤ 1).",
        "-s",
        show_default=options.BY_PURPOSE,
    ),
    "how": member(How, "inner: rows that match; left: all of the left; anti: those without."),
    "one_to_one": member(bool, "Match no row of either side twice, best scores first."),
    "score": member(str, "Name of the score's column.", "--column"),
    "reasons": member(bool, "Add a column `reason`, the words that match.", "--explain"),
}


@with_options(purpose="records")
def join(
    left: Path = argument("A table; - for stdin."),
    right: Path = argument("A table to look in, held in memory."),
    on: list[str] | None = option(
        None,
        "Column of the texts, if both tables have it; the only one, or `text`, unless given."
        f" {options.SEVERAL}",
    ),
    left_on: list[str] | None = option(None, "Column of the left texts."),
    right_on: list[str] | None = option(None, "Column of the right texts."),
    out: Path | None = options.OUT,
    preview: bool = option(False, "Write nothing; show the matches nearest to the threshold."),
    json: bool = options.JSON,
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
    with file_job({"LEFT": left, "RIGHT": right}, out, tables, scale, spec) as (files, job):
        found = join_files(
            files[0].path,
            files[1].path,
            target,
            options=chosen,
            left_on=left_on or on,
            right_on=right_on or on,
            right_reading=files[1].reading,
            preview=preview,
            sink=files[0].printer() if target is None and not preview else None,
            **job,
        )
        print_notes(files, found.notes)
    if json and (preview or target is not None):
        print_json(found.summary | ({} if preview else {"output": str(target)}))
    if not preview:
        print_notes(files, found.lines)
    elif not json:
        show("\n".join(found.lines))
