"""`fuzzbow score` and `fuzzbow encode`: the rows of a file with a computed column."""

from __future__ import annotations

from pathlib import Path

from fuzzbow.cli import options
from fuzzbow.cli.console import print_json
from fuzzbow.cli.files import file_job, print_notes
from fuzzbow.cli.options import STANDARD, ScaleOptions, TableOptions, option, with_options
from fuzzbow.model import ModelSpec


@with_options()
def score(
    file: Path = options.FILE,
    left: list[str] = option(..., f"Column of one text. {options.SEVERAL}", "-l"),
    right: list[str] = option(..., f"Column of the other. {options.SEVERAL}", "-r"),
    out: Path | None = options.OUT,
    column: str = option("score", "Name of the new column."),
    json: bool = options.JSON,
    *,
    tables: TableOptions,
    scale: ScaleOptions,
    spec: ModelSpec,
) -> None:
    """Score the pairs of a file, row by row, whatever its size.

    If a collection decides the weights of words, as with --for records, it is the texts of the
    file: both columns, or those of the right one where the left one holds queries.

    Without an output file the rows are printed, in the input's text format, or as JSON lines with
    --json. With one, --json prints a summary.
    """
    from fuzzbow.pipeline import score_file

    target = None if out == STANDARD else out
    with file_job({"FILE": file}, out, tables, scale, spec) as ((source,), job):
        sink = source.printer(as_json=json) if target is None else None
        found = score_file(
            source.path, target, left=left, right=right, column=column, sink=sink, **job
        )
    if target is not None and json:
        print_json(found.summary() | {"output": str(target)})
    print_notes([source], [*found.notes, found.line])


@with_options()
def encode(
    file: Path = options.FILE,
    out: Path = option(..., "Output, a .parquet file.", "--output", "-o"),
    text: list[str] | None = options.TEXT,
    column: str = option("memberships", "Name of the new column."),
    json: bool = options.JSON,
    *,
    tables: TableOptions,
    scale: ScaleOptions,
    spec: ModelSpec,
) -> None:
    """Encode each text of a file as a row of numbers, for tools that work with vectors.

    The numbers are memberships in a fixed universe. With avg-cosine, and with measures that have
    no universe of their own, they are the mean of the word vectors; with max-jaccard, the largest
    value in each dimension. The output has all columns, and the numbers as lists of float32.
    """
    from fuzzbow.pipeline import encode_file

    with file_job({"FILE": file}, out, tables, scale, spec) as ((source,), job):
        found = encode_file(source.path, out, text=text, column=column, **job)
    if json:
        print_json(found.summary() | {"output": str(out)})
    print_notes([source], [*found.notes, found.line])
