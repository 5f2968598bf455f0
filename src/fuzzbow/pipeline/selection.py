"""Outliers and representatives of the rows of files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from fuzzbow.dedupe.report import named_rows
from fuzzbow.encoding import check_texts
from fuzzbow.io.tables import AS_IT_IS, Reading, table_writer, with_columns
from fuzzbow.model import Model, default_model
from fuzzbow.notebook import plain_table, table_cell
from fuzzbow.pipeline.rows import (
    Files,
    Rows,
    Sink,
    Source,
    check_outputs,
    describe_empty,
    open_rows,
)
from fuzzbow.plurals import counted, plural
from fuzzbow.progress import ProgressOption, open_progress
from fuzzbow.selection import Selected, SelectionOptions

ROW_FIELDS = ("position", "nearest")  # fields of an item that are positions of rows


@dataclass(frozen=True)
class SelectedFile:
    """Result of `select_file`."""

    found: Selected[Any]
    items: list[dict[str, Any]]  # chosen rows; rows are named by ids, or numbers from 1 on
    line: str  # the numbers of rows in one line
    notes: list[str]  # messages about the input

    def to_dict(self) -> dict[str, Any]:
        """Return the chosen rows and the numbers of rows as plain data."""
        facts = {"texts": self.found.texts, "without_text": len(self.found.empty)}
        return facts | {plural(self.found.noun): self.items}

    def __str__(self) -> str:
        """Write the chosen rows as a table; long texts are cut."""
        cells = [[table_cell(value) for value in item.values()] for item in self.items]
        names = [field.replace("_", " ") for field in self.items[0]] if self.items else []
        return plain_table(names, cells) if names else ""


def select_file(
    files: Files,
    out: str | PathLike[str] | None = None,
    *,
    options: SelectionOptions,
    text: str | Sequence[str] | None = None,
    id_name: str | None = None,
    model: Model | None = None,
    reading: Reading = AS_IT_IS,
    sink: Sink | None = None,
    threads: int | None = None,
    progress: ProgressOption = None,
) -> SelectedFile:
    """Choose the outliers or representatives among the rows of files, and write them.

    Parameters
    ----------
    files : path or list of paths
        Table, several, or a folder of tables.
    out : path, optional
        File of the chosen rows, with their scores; without it nothing is written.
    options : OutlierOptions or RepresentativeOptions
        Kind and number of the rows to choose.
    text : str or list of str, optional
        Columns of the texts, such as "title" or "title=2"; by default the only one, or "text".
    id_name : str, optional
        Column that names rows; by default they are numbered from 1.
    model : Model, optional
        Model that compares the texts, by default `fuzzbow.load()`.
    reading : Reading
        Format, delimiter and encoding of the files.
    sink : callable, optional
        In place of `out`: opens a writer of the rows, given their schema and delimiter.
    threads : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, optional
        Show a bar, or call with the number of texts done and their total.

    Raises
    ------
    InputError
        If a file, a column or an option cannot be used, or rows have a column that is added.

    Examples
    --------
    >>> from pathlib import Path
    >>> from fuzzbow.pipeline import RepresentativeOptions
    >>> _ = Path("animals.csv").write_text("text\\na cat\\na dog\\na cat\\n")
    >>> select_file("animals.csv", "out.csv", options=RepresentativeOptions(k=1)).line
    '3 rows: 1 representative'
    >>> Path("out.csv").read_text()
    'text,represents\\na cat,2\\n'
    """
    source = Source.of(files, "files", text, reading=reading, id_name=id_name)
    if out is not None:
        check_outputs({"the output": Path(out)}, [source])
        sink = partial(table_writer, Path(out))
    if sink is not None:
        source.check_new(options.columns)
    model = default_model() if model is None else model
    with open_rows(source, progress) as rows:
        with open_progress(progress, "comparing") as on_progress:
            texts = check_texts(rows.texts, "texts")
            found = options.select(model, texts, threads=threads, progress=on_progress)
        items = [_named(item, rows.ids) for item in found.to_dicts()]
        if sink is not None:
            _write(rows, found, items, options, sink)
        number = f"{counted(found.texts, 'row')}: {counted(len(items), found.noun)}"
        line = f"{number}{describe_empty(len(found.empty))}"
        return SelectedFile(found, items, line, rows.messages())


def _named(item: dict[str, Any], ids: Any) -> dict[str, Any]:
    """Replace row numbers in an item by row ids, and its `position` by `id`."""
    names = {
        field: named_rows(ids, np.array([item[field]]))[0]
        for field in ROW_FIELDS
        if item.get(field) is not None
    }
    named = item | names
    return {"id" if field == "position" else field: named[field] for field in named}


def _write(
    rows: Rows,
    found: Selected[Any],
    items: list[dict[str, Any]],
    options: SelectionOptions,
    sink: Sink,
) -> None:
    """Write the chosen rows, with columns of their items."""
    import pyarrow as pa

    values = {
        column: pa.array([_one_line(item[field]) for item in items])
        for column, field in options.columns.items()
    }
    chosen = with_columns(pa.concat_tables(rows.tables()).take(found.positions), values)
    with sink(chosen.schema, rows.delimiter) as write:
        write(chosen)


def _one_line(value: Any) -> Any:
    """Convert a value so that any table format can hold it."""
    return " ".join(value.split()) if isinstance(value, str) else value
