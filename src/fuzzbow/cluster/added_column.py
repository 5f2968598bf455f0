"""Rows of a data set in shards with one more column: Parquet in, Parquet out, a shard a task."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from fuzzbow.arrays import blocks
from fuzzbow.atomic import replacing
from fuzzbow.cluster.data import (
    Files,
    RowTexts,
    ShardTexts,
    find_files,
    make_shards,
    parquet_files,
)
from fuzzbow.cluster.executors import Executor
from fuzzbow.cluster.parts import Counted
from fuzzbow.cluster.run import Counts, Run, locked_run
from fuzzbow.cluster.setting import planned, text_specs, warn_of_sample
from fuzzbow.cluster.shards import usual_count
from fuzzbow.cluster.statistics import FittedModel, fit_to_shards
from fuzzbow.file_digest import DigestedFile
from fuzzbow.model import Model
from fuzzbow.progress import ProgressOption, open_progress
from fuzzbow.tasks import BATCH_ROWS, check_added, collection_sides
from fuzzbow.tasks.added_column import Values, without_text
from fuzzbow.tasks.dedupe.file_rows import find_column
from fuzzbow.tasks.formats import Reading


@dataclass(frozen=True)
class ColumnTask:
    """A shard, the texts of its rows that decide their values, and what these are called."""

    model: FittedModel
    sides: tuple[ShardTexts, ...]
    column: str
    out: str


def write_shard(task: ColumnTask, values: Values, at_once: int = BATCH_ROWS) -> Counted:
    """Write the rows of a shard with the values of their texts, an Arrow array of some rows each.

    Memory holds the rows of the shard, and the values of `at_once` rows.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = task.sides[0].shard.table()
    texts = [side.texts_in(table) for side in task.sides]
    added = pa.field(task.column, values(*([] for _ in texts)).type)
    with (
        replacing(Path(task.out)) as beside,
        pq.ParquetWriter(beside, table.schema.append(added)) as file,
    ):
        for part in blocks(len(table), at_once):
            some = table.slice(part.start, part.stop - part.start)
            file.write_table(some.append_column(added, values(*(side[part] for side in texts))))
    return {"without_text": without_text(texts)}


@dataclass(frozen=True)
class ColumnFiles:
    """The Parquet files of a run, in the order of the rows: all columns, and the added one."""

    files: list[DigestedFile]
    column: str
    rows: int
    without_text: int  # rows with no text on one side
    counts: Counts

    @property
    def paths(self) -> list[Path]:
        """The paths of the files."""
        return [Path(file.path) for file in self.files]

    def values(self) -> Iterator[Any]:
        """Those of all rows, a shard at a time, as Arrow arrays."""
        import pyarrow.parquet as pq

        for part in self.files:
            with part.reading() as path:
                values = pq.read_table(path, columns=[self.column])[self.column]
            yield values.combine_chunks()

    def write(self, out: str | PathLike[str]) -> None:
        """One Parquet file of all rows; the data set must have had equal types in all files."""
        import pyarrow.parquet as pq

        with self.files[0].reading() as first:
            schema = pq.read_schema(first)
        with replacing(Path(out)) as beside, pq.ParquetWriter(beside, schema) as whole:
            for part in self.files:
                with part.reading() as path, pq.ParquetFile(path) as file:
                    for batch in file.iter_batches():
                        whole.write_batch(batch)


@dataclass(frozen=True)
class ColumnJob:
    """What a run does with each shard, and what that is called."""

    name: str
    doing: str  # to those who watch
    done: str  # the folder of the outputs
    function: Callable[[ColumnTask], Counted]


def add_column(
    job: ColumnJob,
    files: Files,
    folder: str | PathLike[str],
    *,
    texts: Sequence[str | list[str] | None],
    column: str,
    model: Model,
    shards: int | None,
    executor: Executor,
    reading: Reading,
    overwrite: bool,
    progress: ProgressOption,
) -> ColumnFiles:
    """Add a `column`, computed from the columns `texts`, to the rows of tables."""
    paths = find_files(files, "files")
    found = [find_column(paths[0], named, reading=reading) for named in texts]
    check_added(found[0].columns, column, str(paths[0]))
    specs = [text_specs(side.given.weights.items()) for side in found]
    place = Path(folder)
    with locked_run(place):
        plan = planned(place, executor, shards)
        digested = [DigestedFile.of(path) for path in paths]
        facts = {
            "job": job.name,
            "files": [file.digest for file in digested],
            "columns": [*specs, column],
            "reading": vars(reading),
            "model": [model.spec.to_dict(), model.identity()],
            "plan": plan,
        }
        run = Run(place, facts, overwrite=overwrite)
        tables = parquet_files(run, executor, digested, None, reading)
        rows = sum(size for _, size in tables)
        # no more than keep the executor busy: each reads whole row groups
        parts = make_shards(tables, plan["shards"] or max(usual_count(rows), plan["parallel"]))
        warn_of_sample(model, RowTexts(parts, specs[0]))
        sides = [tuple(ShardTexts(shard, spec) for spec in specs) for shard in parts]
        collection = [tuple(collection_sides(model.measure, *some)) for some in sides]
        fitted = fit_to_shards(run, executor, model, collection)
        tasks = [
            ColumnTask(fitted, some, column, run.path(job.done, f"{some[0].shard.name}.parquet"))
            for some in sides
        ]
        with open_progress(progress, job.doing) as on_progress:
            done = run.do(executor, job.function, tasks, on_progress)
    blank = sum(part.counted["without_text"] for part in done)
    return ColumnFiles([part.file for part in done], column, rows, blank, run.counts)
