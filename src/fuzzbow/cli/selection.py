"""`fuzzbow outliers` and `fuzzbow representatives`: chosen rows of a file, shown or written."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fuzzbow.cli import options
from fuzzbow.cli.console import info, print_json, progress, progress_stages, show
from fuzzbow.cli.files import empty_texts, print_notes, table_files
from fuzzbow.cli.options import STANDARD, TableOptions, option, with_options
from fuzzbow.defaults import COVERING
from fuzzbow.model import Model, ModelSpec
from fuzzbow.notebook import plain_table, table_cell
from fuzzbow.plurals import counted, plural
from fuzzbow.selection import Selected

OUT = option(None, "File of the chosen rows; - is stdout.", "--output", "-o")
ID = option(None, "Column that names rows; their number from 1 otherwise.", "--id")


@with_options()
def outliers(
    file: Path = options.FILE,
    k: int = option(10, "Maximum number of outliers.", "-k", min=1),
    neighbours: int = option(1, "Number of best similarities whose mean is the score.", min=1),
    threshold: float | None = option(None, "Only rows with a score below it.", "-s"),
    out: Path | None = OUT,
    text: list[str] | None = options.TEXT,
    name: str | None = ID,
    threads: int | None = options.THREADS,
    json: bool = options.JSON,
    *,
    tables: TableOptions,
    spec: ModelSpec,
) -> None:
    """Find rows whose texts are least similar to any other row, exactly.

    The score of a row is its best similarity to another row, or the mean of several by
    --neighbours. An output file has the rows with their score and the most similar other row.
    """
    choose = partial(
        Model.outliers, k=k, neighbours=neighbours, threshold=threshold, threads=threads
    )
    added = {"outlier_score": "score", "nearest": "nearest", "nearest_text": "nearest_text"}
    _run("outlier", choose, added, file, text, name, out, json, tables, spec)


@with_options()
def representatives(
    file: Path = options.FILE,
    k: int = option(10, "Rows to choose.", "-k", min=1),
    threshold: float = option(COVERING, "Minimum score at which a row covers another one.", "-s"),
    out: Path | None = OUT,
    text: list[str] | None = options.TEXT,
    name: str | None = ID,
    threads: int | None = options.THREADS,
    json: bool = options.JSON,
    *,
    tables: TableOptions,
    spec: ModelSpec,
) -> None:
    """Choose rows whose texts cover all rows best.

    Each row chosen adds most to the sum of every row's best similarity with a chosen one. An
    output file has the rows and how many rows each represents.
    """
    choose = partial(Model.representatives, k=k, threshold=threshold, threads=threads)
    added = {"represents": "size"}
    _run("representative", choose, added, file, text, name, out, json, tables, spec)


def _run(
    noun: str,
    choose: Callable[..., Selected[Any]],
    added: dict[str, str],
    file: Path,
    text: list[str] | None,
    name: str | None,
    out: Path | None,
    json: bool,
    tables: TableOptions,
    spec: ModelSpec,
) -> None:
    """Read, choose, and write; `added` are columns of the output, each a field of the items."""
    import pyarrow as pa

    from fuzzbow.dedupe.report import named_rows
    from fuzzbow.io.tables import format_of, table_writer, with_columns
    from fuzzbow.pipeline.rows import Source, open_rows

    target = None if out == STANDARD else out
    with table_files(
        {"FILE": file},
        tables,
        inputs=options.model_files(spec),
        outputs=options.table_outputs(target),
    ) as (given,):
        source = Source.of(given.path, "files", text, reading=given.reading, id_name=name)
        if out is not None:
            source.check_new(added)
        if target is not None:
            format_of(target, writing=True)  # an unknown format is refused before any work
        model = options.load_model(spec)
        with open_rows(source, progress_stages) as rows:
            print_notes([given], rows.messages())
            with progress("comparing") as on_progress:
                found = choose(model, rows.texts, progress=on_progress)
            named = []
            for item in found.to_dicts():
                for field in {"position", "nearest"} & item.keys():
                    if item[field] is not None:
                        (item[field],) = named_rows(rows.ids, np.array([item[field]]))
                named.append({"id" if key == "position" else key: item[key] for key in item})
            if out is not None:
                chosen = pa.concat_tables(rows.tables()).take(found.positions)
                values = {
                    column: pa.array([_one_line(item[field]) for item in named])
                    for column, field in added.items()
                }
                chosen = with_columns(chosen, values)
                writer = given.printer() if target is None else partial(table_writer, target)
                with writer(chosen.schema, delimiter=rows.delimiter) as write:
                    write(chosen)
    if json and out != STANDARD:
        facts = {"texts": found.texts, "without_text": len(found.empty)}
        print_json(facts | {plural(noun): named})
    elif out is None and named:
        cells = [[table_cell(value) for value in item.values()] for item in named]
        show(plain_table([field.replace("_", " ") for field in named[0]], cells))
    size, number = counted(found.texts, "row"), counted(len(named), noun)
    info(f"{size}: {number}{empty_texts(len(found.empty))}")


def _one_line(value: Any) -> Any:
    """Convert a value so that any table format can hold it."""
    return " ".join(value.split()) if isinstance(value, str) else value
