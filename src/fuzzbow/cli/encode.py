"""`fuzzbow encode`: a file of texts in, the same rows with their memberships out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fuzzbow.cli import options
from fuzzbow.cli.console import info, print_json
from fuzzbow.cli.files import file_job
from fuzzbow.cli.options import ScaleOptions, TableOptions, with_options
from fuzzbow.model import ModelSpec


@with_options()
def encode(
    file: options.File,
    out: Annotated[Path, typer.Option("--output", "-o", help="Output, a .parquet file.")],
    text: options.Text = None,
    column: Annotated[
        str, typer.Option("--column", help="Name of the new column.")
    ] = "memberships",
    json: options.Json = False,
    *,
    tables: TableOptions,
    scale: ScaleOptions,
    spec: ModelSpec,
) -> None:
    """Encode each text of a file as a row of numbers, for tools that work with vectors.

    These are its memberships in a fixed universe: with avg-cosine, and measures that have none of
    their own, the mean of its words in each dimension of the vectors, with max-jaccard the largest
    value. The output has all columns, and the numbers as lists of float32.
    """
    from fuzzbow.pipeline import encode_file

    with file_job(file, out, tables, scale, spec) as (source, job):
        found = encode_file(
            source.path,
            out,
            text=text,
            column=column,
            **job,
        )
    if json:
        print_json(found.summary() | {"output": str(out)})
    for note in [*found.notes, found.line]:
        info(source.visible(note))
