"""The plan of a run: rows of Parquet files, in shards of equally many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from fuzzbow.errors import InputError
from fuzzbow.file_digest import DigestedFile

SHARD_ROWS = 1_000_000  # of a shard, unless their number is given


@dataclass(frozen=True)
class FileRows:
    """Rows of one Parquet file, from `start` to before `stop`."""

    file: DigestedFile
    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start

    def table(self, columns: list[str] | None) -> Any:
        """The rows as an Arrow table; no row group is read that holds none of them."""
        import pyarrow.parquet as pq

        with self.file.reading() as path, pq.ParquetFile(path) as file:
            groups: list[int] = []
            first = place = 0
            for number in range(file.num_row_groups):
                size = file.metadata.row_group(number).num_rows
                if place < self.stop and place + size > self.start:
                    first = first if groups else place
                    groups.append(number)
                place += size
            return file.read_row_groups(groups, columns).slice(self.start - first, len(self))


@dataclass(frozen=True)
class Shard:
    """Some rows of the data set; `start` is the number of the first."""

    number: int
    start: int
    files: tuple[FileRows, ...]

    def __len__(self) -> int:
        return sum(map(len, self.files))

    @property
    def name(self) -> str:
        """As files of the run are called."""
        return f"{self.number:05d}"

    def table(self, columns: list[str] | None = None) -> Any:
        """The rows of the shard, of all columns or of some."""
        import pyarrow as pa

        parts = [rows.table(columns) for rows in self.files]
        try:
            return pa.concat_tables(parts, promote_options="permissive")
        except pa.ArrowException as error:
            raise InputError(f"the files of a data set must have equal columns: {error}") from error


def plan_shards(files: Sequence[tuple[DigestedFile, int]], count: int) -> list[Shard]:
    """Cut the rows of files, of which their numbers are given, into so many shards in order.

    A shard without rows has no rows of the first file, so that its columns are known.
    """
    total = sum(rows for _, rows in files)
    cuts = [total * number // count for number in range(count + 1)]
    shards = []
    for number, (start, stop) in enumerate(pairwise(cuts)):
        parts, place = [], 0
        for file, rows in files:
            first, last = max(start - place, 0), min(stop - place, rows)
            if first < last:
                parts.append(FileRows(file, first, last))
            place += rows
        shards.append(Shard(number, start, tuple(parts) or (FileRows(files[0][0], 0, 0),)))
    return shards


def usual_count(rows: int) -> int:
    """How many shards a data set has unless somebody says."""
    return max(-(-rows // SHARD_ROWS), 1)
