"""Data sets in shards: the plan of a run, and the texts of the rows of Parquet files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from os import PathLike
from pathlib import Path
from typing import Any, overload

import numpy as np

from fuzzbow.arrays import Integers
from fuzzbow.encoding import TextList, warn_of_language
from fuzzbow.encoding.text_columns import TextColumns
from fuzzbow.errors import InputError, check_count
from fuzzbow.io.file_digest import DigestedFile
from fuzzbow.io.tables import (
    BadRows,
    Reading,
    format_named,
    format_of,
    read_table,
    spooled,
    table_writer,
)
from fuzzbow.model import Model
from fuzzbow.pipeline.executor import THIS_PROCESS, Executor
from fuzzbow.pipeline.rows import Rows, Source
from fuzzbow.pipeline.run import Counted, Run, Task, run_folder, stored_facts
from fuzzbow.progress import ProgressOption

SHARD_ROWS = 1_000_000  # of a shard, unless their number is given
LANGUAGE_SAMPLE = 1000  # texts by which a foreign language is noticed


@dataclass(frozen=True)
class RunOptions:
    """Options for dividing work into shards, which is done if one of the first three is given."""

    executor: Executor | None = None  # `ThisProcess` or `RayExecutor`
    shards: int | None = None  # number of shards, by default one per million rows
    folder: str | PathLike[str] | None = None  # of finished parts; OUT.parts, for the time of work
    overwrite: bool = False  # remove another run from `folder`
    threads: int | None = None  # in this process without shards, by default one per core
    progress: ProgressOption = None  # True for a bar, or a function of what is done and the total

    @property
    def divided(self) -> bool:
        """Return whether the work is done in shards."""
        return not (self.executor is None and self.shards is None and self.folder is None)


@dataclass(frozen=True)
class Shard:
    """Rows of a data set; `start` is the number of the first.

    `files` are Parquet files, each with the start and the end of its rows, end excluded; `text`
    are the columns of texts as users name them, such as title=2.
    """

    number: int
    start: int
    files: tuple[tuple[DigestedFile, int, int], ...]
    text: tuple[str, ...] = ()

    def __len__(self) -> int:
        return sum(stop - start for _, start, stop in self.files)

    @property
    def name(self) -> str:
        """Name of the shard's files in the folder of the run."""
        return f"{self.number:05d}"

    @property
    def schema(self) -> Any:
        """Arrow schema of the first file."""
        import pyarrow.parquet as pq

        with self.files[0][0].reading() as path:
            return pq.read_schema(path)

    def table(self, columns: list[str] | None = None) -> Any:
        """Read the rows of the shard, with all columns or some."""
        import pyarrow as pa

        parts = [_read_rows(*rows, columns) for rows in self.files]
        try:
            return pa.concat_tables(parts, promote_options="permissive")
        except pa.ArrowException as error:
            raise InputError(f"the files of a data set must have equal columns: {error}") from error

    def texts(self, rows: Integers | None = None) -> TextList:
        """Read all texts, or those of rows numbered within the shard: (n,) -> n texts."""
        table = self.table(self._columns.names)
        return self._columns.column(table if rows is None else table.take(rows), self.start)

    @cached_property
    def _columns(self) -> TextColumns:
        return TextColumns(list(self.text), self.schema.names, self.files[0][0].path)


def _read_rows(digested: DigestedFile, start: int, stop: int, columns: list[str] | None) -> Any:
    """Read rows of a Parquet file as an Arrow table, from the row groups that contain any."""
    import pyarrow.parquet as pq

    with digested.reading() as path, pq.ParquetFile(path) as file:
        counts = [file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)]
        ends = np.cumsum(counts, dtype=np.int64)
        starts = ends - np.array(counts, dtype=np.int64)
        groups = np.flatnonzero((starts < stop) & (ends > start)).tolist()
        first = int(starts[groups[0]]) if groups else 0
        return file.read_row_groups(groups, columns).slice(start - first, stop - start)


def plan_shards(
    files: Sequence[tuple[DigestedFile, int]], count: int | None, text: tuple[str, ...] = ()
) -> list[Shard]:
    """Divide the rows of files, given with their numbers of rows, into shards in order.

    Unless `count` is given, a shard has at most a million rows. A shard without rows has no rows
    of the first file, so that its columns are known.
    """
    total = sum(rows for _, rows in files)
    count = max(-(-total // SHARD_ROWS), 1) if count is None else check_count(count, "shards")
    cuts = [total * number // count for number in range(count + 1)]
    shards = []
    for number, (start, stop) in enumerate(pairwise(cuts)):
        position = 0
        parts: list[tuple[DigestedFile, int, int]] = []
        for file, rows in files:
            first, last = max(start - position, 0), min(stop - position, rows)
            if first < last:
                parts.append((file, first, last))
            position += rows
        shards.append(Shard(number, start, tuple(parts) or ((files[0][0], 0, 0),), text))
    return shards


class RowTexts(Sequence[str]):
    """Texts of a data set in shards by row, read on request."""

    def __init__(self, shards: Sequence[Shard]) -> None:
        self.shards = shards
        self._ends = np.cumsum([len(shard) for shard in shards])
        self.bad, self.delimiter = BadRows(), None

    def __len__(self) -> int:
        return int(self._ends[-1])

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> str | list[str]:
        rows = np.arange(len(self))[row]
        return self.take(rows) if isinstance(row, slice) else self.take(np.array([rows]))[0]

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(shard.texts() for shard in self.shards)

    def take(self, rows: Integers) -> list[str]:
        """Read the texts of rows, each shard once: (n,) -> n texts."""
        found: list[str] = [""] * len(rows)
        owners = np.searchsorted(self._ends, rows, side="right")
        for owner in np.unique(owners).tolist():
            positions, shard = np.flatnonzero(owners == owner), self.shards[owner]
            texts = shard.texts(rows[positions] - shard.start)
            for position, text in zip(positions.tolist(), texts, strict=True):
                found[position] = text
        return found

    def rows(self, source: Source) -> Rows:
        """Return the rows of the data set, which is that of `source`."""
        import pyarrow as pa

        ids, name = None, source.id_name
        if name is not None:
            parts = (shard.table([name])[name].chunks for shard in self.shards)
            ids = pa.chunked_array(chain.from_iterable(parts))
        schema = self.shards[0].schema

        def tables() -> Iterator[pa.Table]:
            return (shard.table() for shard in self.shards)

        return Rows(source, schema, self.delimiter, self.bad, tables, self, ids)


def convert(out: str, file: DigestedFile, reading: Reading) -> Counted:
    """Write the rows of a table as Parquet, and report malformed ones."""
    with file.reading() as path:
        table = read_table(Path(path), reading)
        # the types of a column of JSON are known at the end
        with spooled(table) as rows, table_writer(Path(out), rows.schema) as write:
            write(rows)
    return {"bad": table.bad.count, "first_bad": table.bad.first, "delimiter": table.delimiter}


def _shard_texts(
    run: Run, executor: Executor, kind: str, files: list[DigestedFile], source: Source, count: int
) -> RowTexts:
    """Divide a data set into shards, after converting files of other formats to Parquet."""
    import pyarrow.parquet as pq

    given = None if source.reading.format is None else format_named(source.reading.format)
    tasks: dict[DigestedFile, Task] = {}
    for number, file in enumerate(files):
        if (given or format_of(Path(file.path))).name != "parquet":
            tasks[file] = run.path(kind, f"{number:05d}.parquet"), file, source.reading
    parts = run.do(executor, convert, list(tasks.values()))
    converted = dict(zip(tasks, (file for file, _ in parts), strict=True))
    found = []
    for file in (converted.get(file, file) for file in files):
        with file.reading() as path:
            found.append((file, pq.read_metadata(path).num_rows))
    side = RowTexts(plan_shards(found, count or None, source.text.specs))
    for _, report in parts:
        side.bad.count += report["bad"]
        side.bad.first = side.bad.first or report["first_bad"]
        side.delimiter = report["delimiter"]
    return side


@dataclass(frozen=True)
class RunContext:
    """Open run: its executor, model, and data sets in shards."""

    run: Run
    executor: Executor
    model: Model
    sides: list[RowTexts]  # the texts of each data set
    plan: dict[str, int]


@contextmanager
def open_run(
    job: str,
    model: Model,
    sources: Sequence[Source],
    facts: dict[str, Any],
    out: str | PathLike[str] | None,
    options: RunOptions,
) -> Iterator[RunContext]:
    """Open the run in its folder, or in OUT.parts, and plan its shards."""
    executor, shards = options.executor or THIS_PROCESS, options.shards
    with run_folder(out, options.folder) as folder:
        # the division of the work does not change when another executor resumes the run
        stored: dict[str, int] = (stored_facts(folder) or {}).get("plan", {})
        plan = {"shards": shards or 0, "parallel": executor.count} | stored
        plan |= {} if shards is None else {"shards": shards}
        digested = [[DigestedFile.of(path) for path in source.files] for source in sources]
        run = Run(
            folder,
            {
                "job": job,
                "files": [[file.digest for file in files] for files in digested],
                "columns": [list(source.text.weights.items()) for source in sources],
                "reading": [vars(source.reading) for source in sources],
                "model": [model.spec.to_dict(), model.identity()],
                "options": facts,
                "plan": plan,
            },
            overwrite=options.overwrite or options.folder is None,
        )
        sides = [
            _shard_texts(run, executor, f"rows-{number}", files, source, plan["shards"])
            for number, (source, files) in enumerate(zip(sources, digested, strict=True))
        ]
        # once for all tasks
        sample = list(sides[0][: min(LANGUAGE_SAMPLE, len(sides[0]))])
        warn_of_language(model.encoder, model.encoder.encode(sample)[0])
        yield RunContext(run, executor, model, sides, plan)
