"""A data set as tasks read it: shards of Parquet files, and the texts of their rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, overload

import numpy as np

from fuzzbow.arrays import Integers
from fuzzbow.cluster.executors import Executor
from fuzzbow.cluster.run import Run
from fuzzbow.cluster.shards import Shard, plan_shards, usual_count
from fuzzbow.errors import InputError, check_count
from fuzzbow.file_digest import DigestedFile
from fuzzbow.tasks import BATCH_ROWS, TextColumns, format_of, read_table, table_writer
from fuzzbow.tasks.formats import AS_IT_IS, PARQUET, Reading, format_named

Files = str | PathLike[str] | Sequence[str | PathLike[str]]


def find_files(given: Files, name: str) -> list[Path]:
    """The files of a data set in order: one, several, or all tables of a folder by name."""
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
            raise InputError(f"'{path}' must be a file; there is none")
    return found


def _is_table(path: Path) -> bool:
    try:
        format_of(path)
    except InputError:
        return False
    return path.is_file() and not path.name.startswith(".")


@dataclass(frozen=True)
class Conversion:
    """A table of another format, to be written as Parquet."""

    file: DigestedFile
    out: str
    columns: tuple[str, ...] | None  # those that are needed, or all
    reading: Reading


def convert(task: Conversion) -> None:
    """Write the rows of a table, or some of their columns, as Parquet."""
    with task.file.reading() as path:
        table = read_table(Path(path), batch_rows=BATCH_ROWS, reading=task.reading)
        columns = table.columns if task.columns is None else list(task.columns)
        source = type(table)(columns, table.batches, table.rows)
        with table_writer(Path(task.out), source, {}) as write:
            for records in table.batches:
                write([{name: record.get(name) for name in columns} for record in records])


def parquet_files(
    run: Run,
    executor: Executor,
    files: Sequence[DigestedFile],
    columns: Sequence[str] | None,
    reading: Reading = AS_IT_IS,
    *,
    kind: str = "rows",
) -> list[tuple[DigestedFile, int]]:
    """The files as Parquet with their rows, those of other formats after conversion."""
    import pyarrow.parquet as pq

    needed = None if columns is None else tuple(columns)
    tasks: dict[DigestedFile, Conversion] = {}
    for number, file in enumerate(files):
        is_parquet = _format(Path(file.path), reading) is PARQUET
        if not is_parquet:
            out = run.path(kind, f"{number:05d}.parquet")
            tasks[file] = Conversion(file, out, needed, reading)
    parts = run.do(executor, convert, list(tasks.values()))
    converted = dict(zip(tasks, (part.file for part in parts), strict=True))
    found = []
    for file in (converted.get(file, file) for file in files):
        with file.reading() as path:
            found.append((file, pq.read_metadata(path).num_rows))
    return found


def _format(path: Path, reading: Reading) -> Any:
    return format_of(path) if reading.format is None else format_named(reading.format)


def make_shards(files: Sequence[tuple[DigestedFile, int]], count: int | None) -> list[Shard]:
    """The plan of a data set: so many shards, or as many as its rows need."""
    rows = sum(size for _, size in files)
    return plan_shards(files, usual_count(rows) if count is None else check_count(count, "shards"))


@dataclass(frozen=True)
class ShardTexts:
    """The texts of the rows of a shard: those of its columns, joined."""

    shard: Shard
    columns: tuple[str, ...]  # as users name them, such as title=2

    def read(self) -> list[str]:
        """All texts of the shard."""
        return self.texts_in(self.shard.table(self._chosen.names))

    def take(self, rows: Integers) -> list[str]:
        """Those of some rows, numbered from the first of the shard on: (n,) -> n texts."""
        return self.texts_in(self.shard.table(self._chosen.names).take(rows))

    def texts_in(self, table: Any) -> list[str]:
        """Those of an Arrow table, all rows of the shard or some of them."""
        import pyarrow as pa

        names = self._chosen.names
        column = table[names[0]]
        if self._chosen.alone and (
            pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
        ):
            texts: list[str] = column.fill_null("").to_pylist()
            return texts
        return self._chosen.texts(table.select(names).to_pylist(), self.shard.start)

    @cached_property
    def _chosen(self) -> TextColumns:
        import pyarrow.parquet as pq

        with self.shard.files[0].file.reading() as path:
            return TextColumns(list(self.columns), pq.read_schema(path).names, path)


class RowTexts(Sequence[str]):
    """The texts of a data set by row, fetched when they are asked for."""

    def __init__(self, shards: Sequence[Shard], columns: tuple[str, ...]) -> None:
        self.parts = [ShardTexts(shard, columns) for shard in shards]
        self._ends = np.cumsum([len(shard) for shard in shards])

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
        """Those of some rows, every shard being read once: (n,) -> n texts."""
        found: list[str] = [""] * len(rows)
        owners = np.searchsorted(self._ends, rows, side="right")
        for owner in np.unique(owners).tolist():
            places = np.flatnonzero(owners == owner)
            part = self.parts[owner]
            texts = part.take(rows[places] - part.shard.start)
            for place, text in zip(places.tolist(), texts, strict=True):
                found[place] = text
        return found
