"""`fuzzbow encode`: a file of texts in, the same rows with their memberships out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fuzzbow.cli import options
from fuzzbow.cli.console import print_json, progress, reported_errors, say
from fuzzbow.cli.model_options import with_model_options
from fuzzbow.cli.sharded_run import is_sharded_run, sharded_run
from fuzzbow.cli.tables import File, Format, TableFile, TableOptions, empty_texts, table_files
from fuzzbow.errors import InputError
from fuzzbow.model import Model, ModelSpec
from fuzzbow.plurals import counted
from fuzzbow.progress import no_progress
from fuzzbow.tasks import (
    MEMBERSHIPS,
    RowReport,
    check_added,
    encode_table,
    format_of,
    membership_type,
    table_writer,
)
from fuzzbow.tasks.dedupe.file_rows import Column, find_column
from fuzzbow.tasks.formats import PARQUET

if TYPE_CHECKING:
    from fuzzbow.cluster import Executor


@with_model_options()
def encode(
    file: File,
    out: Annotated[Path, typer.Option("--output", "-o", help="Where to write, a .parquet file.")],
    text: options.Text = None,
    column: Annotated[str, typer.Option("--column", help="Name of the new column.")] = MEMBERSHIPS,
    overwrite: options.Overwrite = False,
    form: Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    threads: options.Threads = None,
    ray: options.Ray = None,
    shards: options.Shards = None,
    json: options.Json = False,
    *,
    spec: ModelSpec,
) -> None:
    """Give each text of a file a row of numbers, for tools that work with vectors.

    These are its memberships in a fixed universe: with avg-cosine, and measures that have none of
    their own, the mean of its words in each dimension of the vectors, with max-jaccard the largest
    value. The output has all columns, and the numbers as lists of float32.
    """
    with (
        reported_errors(),
        table_files(
            {"FILE": file},
            TableOptions(form, delimiter, encoding, spec.skip_bad),
            inputs=options.model_files(spec),
            outputs=options.table_outputs(out),
            overwrite=overwrite,
        ) as (source,),
    ):
        if format_of(out, writing=True) is not PARQUET:
            raise InputError(f"--output must be a .parquet file, which holds numbers; got '{out}'")
        texts = find_column(source.path, text, reading=source.reading)
        check_added(texts.columns, column, str(file))
        model = options.load_model(spec)
        work = _Encoding(source, texts, model, column, out)
        if is_sharded_run(ray, shards):
            with sharded_run(ray, threads, out, [source]) as (executor, folder):
                report = work.in_shards(executor, folder, shards)
        else:
            report = work.whole(threads)
        source.say_bad(texts.bad)
        if json:
            print_json(vars(report) | {"output": str(out)})
        empty = empty_texts(report.without_text)
        rows = counted(report.rows, "row")
        say(f"{rows} encoded with {model.rows_model.measure.name}{empty}")


@dataclass(frozen=True)
class _Encoding:
    """Input, columns and output of one call of the command."""

    source: TableFile
    texts: Column
    model: Model
    column: str
    out: Path

    def whole(self, threads: int | None) -> RowReport:
        """Encode a batch at a time."""
        table, added = self.texts.table(), {self.column: membership_type(self.model)}
        with progress("encoding") as done, table_writer(self.out, table, added) as write:
            return encode_table(
                self.model,
                table,
                write,
                text=self.texts.given,
                column=self.column,
                threads=threads,
                progress=done,
            )

    def in_shards(self, executor: Executor, folder: Path, shards: int | None) -> RowReport:
        """Encode in shards, whose files are then joined."""
        from fuzzbow import cluster

        if self.source.reading.skip_bad:  # a separate reading, since tasks report no bad rows
            self.texts.texts(no_progress, keep=False)
        with progress("encoding") as done:
            files = cluster.encode(
                self.source.path,
                folder,
                model=self.model,
                text=list(cluster.text_specs(self.texts.given.weights.items())),
                column=self.column,
                shards=shards,
                executor=executor,
                reading=self.source.reading,
                overwrite=True,
                progress=done,
            )
        say(str(files.counts))
        files.write(self.out)
        return RowReport(files.rows, files.without_text)
