"""`fuzzbow outliers` and `fuzzbow representatives`: chosen rows of a file, shown or written."""

from __future__ import annotations

from pathlib import Path

from fuzzbow.cli import options
from fuzzbow.cli.console import info, print_json, progress_stages, show
from fuzzbow.cli.files import print_notes, table_files
from fuzzbow.cli.options import STANDARD, TableOptions, member, option, with_options
from fuzzbow.model import ModelSpec
from fuzzbow.selection import OutlierOptions, RepresentativeOptions, SelectionOptions

options.GROUPS[OutlierOptions] = {
    "k": member(int, "Maximum number of outliers.", "-k", min=1),
    "neighbours": member(int, "Number of best similarities whose mean is the score.", min=1),
    "threshold": member(float | None, "Only rows with a score below it.", "-s"),
}
options.GROUPS[RepresentativeOptions] = {
    "k": member(int, "Rows to choose.", "-k", min=1),
    "threshold": member(float, "Minimum score at which a row covers another one.", "-s"),
}
OUT = option(None, "File of the chosen rows; - is stdout.", "--output", "-o")
ID = option(None, "Column of row ids; row numbers from 1 unless given.", "--id")


@with_options()
def outliers(
    file: Path = options.FILE,
    out: Path | None = OUT,
    text: list[str] | None = options.TEXT,
    name: str | None = ID,
    threads: int | None = options.THREADS,
    json: bool = options.JSON,
    *,
    chosen: OutlierOptions,
    tables: TableOptions,
    spec: ModelSpec,
) -> None:
    """Find rows whose texts are least similar to any other row, exactly.

    The score of a row is its best similarity to another row, or the mean of several by
    --neighbours. An output file has the rows with their score and the most similar other row.
    """
    _run(file, out, text, name, threads, json, chosen, tables, spec)


@with_options()
def representatives(
    file: Path = options.FILE,
    out: Path | None = OUT,
    text: list[str] | None = options.TEXT,
    name: str | None = ID,
    threads: int | None = options.THREADS,
    json: bool = options.JSON,
    *,
    chosen: RepresentativeOptions,
    tables: TableOptions,
    spec: ModelSpec,
) -> None:
    """Choose rows whose texts cover all rows best.

    Each row chosen adds most to the sum of every row's best similarity with a chosen one. An
    output file has the rows and how many rows each represents.
    """
    _run(file, out, text, name, threads, json, chosen, tables, spec)


def _run(
    file: Path,
    out: Path | None,
    text: list[str] | None,
    name: str | None,
    threads: int | None,
    json: bool,
    chosen: SelectionOptions,
    tables: TableOptions,
    spec: ModelSpec,
) -> None:
    """Choose rows, and print them unless they are written."""
    from fuzzbow.pipeline import select_file

    inputs, outputs = options.model_files(spec), options.table_outputs(out)
    with table_files({"FILE": file}, tables, inputs=inputs, outputs=outputs) as (source,):
        found = select_file(
            source.path,
            None if out == STANDARD else out,
            options=chosen,
            text=text,
            id_name=name,
            model=options.load_model(spec),
            reading=source.reading,
            sink=source.printer() if out == STANDARD else None,
            threads=threads,
            progress=progress_stages,
        )
        print_notes([source], found.notes)
    if json and out != STANDARD:
        print_json(found.to_dict())
    elif out is None and found.items:
        show(str(found))
    info(found.line)
