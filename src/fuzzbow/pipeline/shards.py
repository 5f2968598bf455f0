"""Data sets in shards: the plan of a run, and the texts of the rows of Parquet files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, overload

import numpy as np

from fuzzbow.arrays import Integers
from fuzzbow.encoding import TextList, warn_of_language
from fuzzbow.encoding.text_columns import TextColumns, choose_columns
from fuzzbow.errors import InputError, check_count
from fuzzbow.io.file_digest import DigestedFile
from fuzzbow.io.tables import AS_IT_IS, BadRows, Reading, Table, format_named, format_of, read_table
from fuzzbow.model import Model
from fuzzbow.pipeline.executor import THIS_PROCESS, Executor
from fuzzbow.pipeline.run import Counted, Run, Task, locked_run, run_folder, stored_facts
from fuzzbow.progress import ProgressOption

SHARD_ROWS = 1_000_000  # of a shard, unless their number is given
LANGUAGE_SAMPLE = 1000  # texts by which a foreign language is noticed

if TYPE_CHECKING:

    class RunKeywords(TypedDict, total=False):
        """Fields of `RunOptions` as keywords."""

        executor: Executor | None
        shards: int | None
        folder: str | PathLike[str] | None
        overwrite: bool
        threads: int | None
        progress: ProgressOption


Files = str | PathLike[str] | Sequence[str | PathLike[str]]


@dataclass(frozen=True)
class Source:
    """Files of a data set, and the columns of their texts and ids."""

    files: list[Path]
    text: TextColumns
    reading: Reading
    id_name: str | None
    table: Table  # the first file, open at its first row

    @classmethod
    def of(
        cls,
        files: Files,
        name: str,
        text: str | Sequence[str] | None,
        *,
        reading: Reading = AS_IT_IS,
        id_name: str | None = None,
        option: str = "",
    ) -> Source:
        """Find the files and columns; the data set is called `name` in errors."""
        found = find_files(files, name)
        table = read_table(found[0], reading)
        place = str(found[0])
        chosen = choose_columns(text, table.columns, place, id_name=id_name, option=option)
        return cls(found, chosen, reading, id_name, table)

    @property
    def columns(self) -> list[str]:
        """Names of all columns."""
        return self.table.columns

    @property
    def specs(self) -> tuple[str, ...]:
        """Columns with their weights, as users name them."""
        return tuple(
            name if weight == 1 else f"{name}={weight}"
            for name, weight in self.text.weights.items()
        )


def read_rows(digested: DigestedFile, start: int, stop: int, columns: list[str] | None) -> Any:
    """Read rows of a Parquet file as an Arrow table, from the row groups that contain any."""
    import pyarrow.parquet as pq

    with digested.reading() as path, pq.ParquetFile(path) as file:
        groups: list[int] = []
        first = position = 0
        for number in range(file.num_row_groups):
            size = file.metadata.row_group(number).num_rows
            if position < stop and position + size > start:
                first = first if groups else position
                groups.append(number)
            position += size
        return file.read_row_groups(groups, columns).slice(start - first, stop - start)


@dataclass(frozen=True)
class Shard:
    """Rows of a data set; `start` is the number of the first.

    `files` are Parquet files, each with its rows from the first number to before the second.
    """

    number: int
    start: int
    files: tuple[tuple[DigestedFile, int, int], ...]

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

        parts = [read_rows(*rows, columns) for rows in self.files]
        try:
            return pa.concat_tables(parts, promote_options="permissive")
        except pa.ArrowException as error:
            raise InputError(f"the files of a data set must have equal columns: {error}") from error


def plan_shards(files: Sequence[tuple[DigestedFile, int]], count: int | None) -> list[Shard]:
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
        shards.append(Shard(number, start, tuple(parts) or ((files[0][0], 0, 0),)))
    return shards


@dataclass(frozen=True)
class ShardTexts:
    """Texts of the rows of a shard: those of its columns, joined."""

    shard: Shard
    columns: tuple[str, ...]  # as users name them, such as title=2

    def read(self) -> TextList:
        """Read all texts of the shard."""
        return self.texts_in(self.shard.table(self._chosen.names))

    def take(self, rows: Integers) -> TextList:
        """Read the texts of rows, numbered from the first of the shard: (n,) -> n texts."""
        return self.texts_in(self.shard.table(self._chosen.names).take(rows))

    def texts_in(self, table: Any) -> TextList:
        """Return the texts of an Arrow table: all rows of the shard, or some of them."""
        return self._chosen.column(table, self.shard.start)

    @cached_property
    def _chosen(self) -> TextColumns:
        file = self.shard.files[0][0]
        return TextColumns(list(self.columns), self.shard.schema.names, file.path)


class RowTexts(Sequence[str]):
    """Texts of a data set by row, read on request."""

    def __init__(self, shards: Sequence[Shard], columns: tuple[str, ...]) -> None:
        self.parts = [ShardTexts(shard, columns) for shard in shards]
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
        for part in self.parts:
            yield from part.read()

    def take(self, rows: Integers) -> list[str]:
        """Read the texts of rows, each shard once: (n,) -> n texts."""
        found: list[str] = [""] * len(rows)
        owners = np.searchsorted(self._ends, rows, side="right")
        for owner in np.unique(owners).tolist():
            positions = np.flatnonzero(owners == owner)
            part = self.parts[owner]
            texts = part.take(rows[positions] - part.shard.start)
            for position, text in zip(positions.tolist(), texts, strict=True):
                found[position] = text
        return found


def find_files(given: Files, name: str) -> list[Path]:
    """Return the files of a data set in order: one, several, or all tables of a folder by name."""
    paths = [Path(given)] if isinstance(given, str | PathLike) else [Path(path) for path in given]
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += sorted(file for file in path.iterdir() if _is_table(file))
        else:
            found.append(path)
    if not found:
        raise InputError(f"{name} must be tables, or a folder of such; got {given!r:.200}")
    for path in found:
        if not path.is_file():
            raise InputError(f"no such file: '{path}'")
    return found


def _is_table(path: Path) -> bool:
    try:
        format_of(path)
    except InputError:
        return False
    return path.is_file() and not path.name.startswith(".")


def convert(out: str, file: DigestedFile, reading: Reading) -> Counted:
    """Write the rows of a table as Parquet, and report malformed ones."""
    from fuzzbow.io.tables import spooled, table_writer

    with file.reading() as path:
        table = read_table(Path(path), reading)
        # the types of a column of JSON are known at the end
        with spooled(table) as rows, table_writer(Path(out), rows.schema) as write:
            write(rows)
    return {"bad": table.bad.count, "first_bad": table.bad.first, "delimiter": table.delimiter}


def parquet_files(
    run: Run,
    executor: Executor,
    files: Sequence[DigestedFile],
    reading: Reading = AS_IT_IS,
    *,
    kind: str = "rows",
) -> tuple[list[tuple[DigestedFile, int]], list[Counted]]:
    """Return the files as Parquet with their rows, those of other formats after conversion.

    The reports of the conversions are returned, too.
    """
    import pyarrow.parquet as pq

    given = None if reading.format is None else format_named(reading.format)
    tasks: dict[DigestedFile, Task] = {}
    for number, file in enumerate(files):
        if (given or format_of(Path(file.path))).name != "parquet":
            tasks[file] = run.path(kind, f"{number:05d}.parquet"), file, reading
    parts = run.do(executor, convert, list(tasks.values()))
    converted = dict(zip(tasks, (file for file, _ in parts), strict=True))
    found = []
    for file in (converted.get(file, file) for file in files):
        with file.reading() as path:
            found.append((file, pq.read_metadata(path).num_rows))
    return found, [counted for _, counted in parts]


@dataclass(frozen=True)
class RunOptions:
    """Division of the work on files, which is in shards if one of the first three is given.

    Attributes
    ----------
    executor : Executor, optional
        `ThisProcess` or `RayExecutor`.
    shards : int, optional
        Number of shards, by default one per million rows.
    folder : path, optional
        Folder of finished parts, from which an interrupted run resumes; by default OUT.parts,
        which is removed after success.
    overwrite : bool
        Remove another run from `folder`.
    threads : int, optional
        Threads in this process without shards, by default one per core.
    progress : bool or callable, optional
        True for a bar, or a function of what is done and the total.
    """

    executor: Executor | None = None
    shards: int | None = None
    folder: str | PathLike[str] | None = None
    overwrite: bool = False
    threads: int | None = None
    progress: ProgressOption = None

    @property
    def divided(self) -> bool:
        """Return whether the work is done in shards."""
        return not (self.executor is None and self.shards is None and self.folder is None)


@dataclass(frozen=True)
class RunContext:
    """Open run: its executor, model, and data sets in shards."""

    run: Run
    executor: Executor
    model: Model
    sides: list[RowTexts]  # the texts of each data set
    plan: dict[str, int]

    def shares(self, tiles: int) -> int:
        """Return the number of shares of each tile that keep the executor busy."""
        return max(-(-self.plan["parallel"] // max(tiles, 1)), 1)


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
    with run_folder(out, options.folder) as place, locked_run(place):
        # the division of the work does not change when another executor resumes the run
        stored: dict[str, int] = (stored_facts(place) or {}).get("plan", {})
        plan = {"shards": shards or 0, "parallel": executor.count} | stored
        plan |= {} if shards is None else {"shards": shards}
        digested = [[DigestedFile.of(path) for path in source.files] for source in sources]
        run = Run(
            place,
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
        sides = []
        for number, (source, files) in enumerate(zip(sources, digested, strict=True)):
            found, reports = parquet_files(
                run, executor, files, source.reading, kind=f"rows-{number}"
            )
            side = RowTexts(plan_shards(found, plan["shards"] or None), source.specs)
            for report in reports:
                side.bad.count += report["bad"]
                side.bad.first = side.bad.first or report["first_bad"]
                side.delimiter = report["delimiter"]
            sides.append(side)
        # once for all tasks
        sample = list(sides[0][: min(LANGUAGE_SAMPLE, len(sides[0]))])
        warn_of_language(model.encoder, model.encoder.encode(sample)[0])
        yield RunContext(run, executor, model, sides, plan)
