"""`fuzzbow outliers` and `fuzzbow representatives`: chosen rows of a file, shown or written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from fuzzbow.cli import options
from fuzzbow.cli.console import print_json, progress, reported_errors, say, show
from fuzzbow.cli.model_options import with_model_options
from fuzzbow.cli.tables import (
    STANDARD,
    File,
    Format,
    TableFile,
    TableOptions,
    empty_texts,
    table_files,
)
from fuzzbow.defaults import COVERING
from fuzzbow.errors import InputError
from fuzzbow.model import Model, ModelSpec
from fuzzbow.plurals import counted, plural
from fuzzbow.progress import Progress
from fuzzbow.tasks.dedupe.file_rows import Column, find_column
from fuzzbow.tasks.formats import Record, format_of
from fuzzbow.tasks.notebook import plain_table, table_cell
from fuzzbow.tasks.selection import Selected

Out = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Where to write the chosen rows; - is stdout."),
]
Id = Annotated[
    str | None,
    typer.Option("--id", help="Column that names rows; their number from 1 otherwise."),
]


@with_model_options()
def outliers(
    file: File,
    k: Annotated[int, typer.Option("-k", "--k", min=1, help="Maximum number of outliers.")] = 10,
    neighbours: Annotated[
        int,
        typer.Option(
            "--neighbours", min=1, help="Number of best similarities whose mean is the score."
        ),
    ] = 1,
    threshold: Annotated[
        float | None,
        typer.Option("--threshold", "-s", help="Only rows with a score below it."),
    ] = None,
    out: Out = None,
    text: options.Text = None,
    name: Id = None,
    overwrite: options.Overwrite = False,
    form: Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    threads: options.Threads = None,
    json: options.Json = False,
    *,
    spec: ModelSpec,
) -> None:
    """Find rows whose texts are least similar to any other row, exactly.

    The score of a row is its best similarity to another row, or the mean of several by
    --neighbours. An output file has the rows with their score and the most similar other row.
    """

    def choose(model: Model, texts: list[str], done: Progress) -> Selected[Any]:
        return model.outliers(
            texts,
            k,
            neighbours=neighbours,
            threshold=threshold,
            threads=threads,
            progress=done,
        )

    tables = TableOptions(form, delimiter, encoding, spec.skip_bad)
    command = _Command(file, text, name, out, overwrite, tables, json, spec)
    added = {"outlier_score": "score", "nearest": "nearest", "nearest_text": "nearest_text"}
    command.run("searching", "outlier", added, choose)


@with_model_options()
def representatives(
    file: File,
    k: Annotated[int, typer.Option("-k", "--k", min=1, help="Rows to choose.")] = 10,
    threshold: Annotated[
        float,
        typer.Option("--threshold", "-s", help="Minimum score at which a row covers another one."),
    ] = COVERING,
    out: Out = None,
    text: options.Text = None,
    name: Id = None,
    overwrite: options.Overwrite = False,
    form: Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    threads: options.Threads = None,
    json: options.Json = False,
    *,
    spec: ModelSpec,
) -> None:
    """Choose rows whose texts cover all rows best.

    Each row chosen adds most to the sum of every row's best similarity with a chosen one. An
    output file has the rows and how many rows each represents.
    """

    def choose(model: Model, texts: list[str], done: Progress) -> Selected[Any]:
        return model.representatives(texts, k, threshold=threshold, threads=threads, progress=done)

    tables = TableOptions(form, delimiter, encoding, spec.skip_bad)
    command = _Command(file, text, name, out, overwrite, tables, json, spec)
    command.run("comparing", "representative", {"represents": "size"}, choose)


@dataclass(frozen=True)
class _Command:
    """A file, what is chosen from it, and where that goes."""

    file: Path
    text: list[str] | None
    name: str | None
    out: Path | None
    overwrite: bool
    tables: TableOptions
    json: bool
    spec: ModelSpec

    def run(
        self,
        task: str,
        noun: str,
        added: dict[str, str],
        choose: Callable[[Model, list[str], Progress], Selected[Any]],
    ) -> None:
        """Read, choose, and write; `added` are columns, each a field of the chosen texts."""
        target = None if self.out == STANDARD else self.out
        with (
            reported_errors(),
            table_files(
                {"FILE": self.file},
                self.tables,
                inputs=options.model_files(self.spec),
                outputs=options.table_outputs(target),
                overwrite=self.overwrite,
            ) as (source,),
        ):
            column = find_column(source.path, self.text, id_name=self.name, reading=source.reading)
            clash = [name for name in added if name in column.columns]
            if clash and self.out is not None:
                names = ", ".join(clash)
                raise InputError(f"{self.file}: has columns {names} already; rename them")
            if target is not None:
                format_of(target, writing=True)  # an unknown format is refused before any work
            model = options.load_model(self.spec)
            with progress("reading") as done:
                texts = column.texts(done)
            source.say_bad(column.bad)
            with progress(task) as done:
                found = choose(model, texts, done)
            named = [_named(column, item) for item in found.to_dicts()]
            facts = {"texts": found.texts, "without_text": len(found.empty)}
            if self.out is not None:
                self._write(source, column, added, found.positions.tolist(), named, target)
            if self.json and self.out != STANDARD:
                print_json(facts | {plural(noun): named})
            elif self.out is None and named:
                show(plain_table([name.replace("_", " ") for name in named[0]], _cells(named)))
            size, chosen = counted(found.texts, "row"), counted(len(named), noun)
            say(f"{size}: {chosen}{empty_texts(len(found.empty))}")

    def _write(
        self,
        source: TableFile,
        column: Column,
        added: dict[str, str],
        places: list[int],
        named: list[Record],
        target: Path | None,
    ) -> None:
        """The chosen rows in the order of choice, with the added columns."""
        import pyarrow as pa

        table, start = column.table(), 0
        rows: dict[int, Record] = {}
        wanted = set(places)
        for records in table.batches:
            inside = wanted.intersection(range(start, start + len(records)))
            rows |= {place: records[place - start] for place in inside}
            start += len(records)
        names = pa.int64() if column.id_type == "int64" else pa.string()
        kinds = {
            "score": pa.float64(),
            "nearest": names,
            "nearest_text": pa.string(),
            "size": pa.int64(),
        }
        types = {name: kinds[field] for name, field in added.items()}
        with source.writer(target, table, types) as write:
            chosen = [
                rows[place] | {name: _one_line(item[field]) for name, field in added.items()}
                for place, item in zip(places, named, strict=True)
            ]
            if chosen:
                write(chosen)


def _named(column: Column, item: Record) -> Record:
    """The fields of a chosen text with ids in place of positions."""
    text = column.id_type == "string"

    def called(place: int | None) -> Any:
        name = None if place is None else column.id_of(place)
        return str(name) if text and name is not None else name

    names = {"position": "id"}
    return {
        names.get(field, field): called(value) if field in ("position", "nearest") else value
        for field, value in item.items()
    }


def _one_line(value: Any) -> Any:
    """A value that any format of tables can hold."""
    return " ".join(value.split()) if isinstance(value, str) else value


def _cells(named: list[Record]) -> list[list[str]]:
    """The chosen texts as rows of a table."""
    return [[table_cell(value) for value in item.values()] for item in named]
