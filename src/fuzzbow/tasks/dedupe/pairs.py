"""Pairs of positions with a score: in memory while they are few, else in a Parquet file."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Integers
from fuzzbow.atomic import replacing
from fuzzbow.errors import InputError
from fuzzbow.file_digest import DigestedFile
from fuzzbow.measures.blockwise_join import at_least
from fuzzbow.partials import new_partial
from fuzzbow.plurals import counted
from fuzzbow.tasks.frames import to_pandas
from fuzzbow.tasks.notebook import SHOWN_ROWS, html_table

HELD_PAIRS = 4_000_000  # pairs in memory before they go to a file: 100 MB
GROUP_PAIRS = 1_000_000  # pairs in a row group of the file, and in a batch read from it
COLUMNS = ("left", "right", "score", "exact")


@dataclass(frozen=True)
class PairArrays:
    """Some pairs: positions, scores, and which are copies of one string."""

    left: Integers  # (n,)
    right: Integers  # (n,)
    score: Floats  # (n,)
    exact: Booleans  # (n,)

    def __len__(self) -> int:
        return len(self.left)

    def where(self, mask: Booleans | Integers) -> PairArrays:
        """Those where the mask, (n,), is true, or those at some positions."""
        return PairArrays(self.left[mask], self.right[mask], self.score[mask], self.exact[mask])

    def to_arrow(self) -> Any:
        """An Arrow record batch."""
        import pyarrow as pa

        columns = [self.left, self.right, self.score, self.exact]
        return pa.RecordBatch.from_arrays([pa.array(column) for column in columns], schema=schema())


NO_PAIRS = PairArrays(
    np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.bool_)
)


def schema() -> Any:
    """The columns of a table of pairs."""
    import pyarrow as pa

    kinds = (pa.int64(), pa.int64(), pa.float64(), pa.bool_())
    return pa.schema(list(zip(COLUMNS, kinds, strict=True)))


def _arrays(batch: Any) -> PairArrays:
    """The arrays of an Arrow record batch."""
    return PairArrays(*(batch.column(name).to_numpy(zero_copy_only=False) for name in COLUMNS))


@dataclass(frozen=True, repr=False)
class Pairs:
    """Pairs at or above a threshold: `left`, `right` (positions), `score`, `exact`.

    An exact pair is one string twice: its first position and that of the copy. A
    distinct text stands for its copies in all other pairs, at its first position.
    """

    threshold: float
    path: Path | None = None  # the Parquet file that holds them, in the order of finding
    files: tuple[DigestedFile, ...] = ()  # of a run in shards, in place of a path
    _held: Any = None  # an Arrow table where there is no file
    _file: _TemporaryFile | None = None  # goes with the last user

    def __repr__(self) -> str:
        place = "in memory" if self.path is None else f"in '{self.path}'"
        if self.files:
            place = f"in {counted(len(self.files), 'file')}"
        return f"Pairs({len(self)} at {self.threshold:g} or above, {place})"

    def __len__(self) -> int:
        return self._count

    @cached_property
    def _count(self) -> int:
        return sum(len(part) for part in self.parts())

    def parts(self) -> Iterator[PairArrays]:
        """The pairs, a bounded number at a time, in the order of finding."""
        for batch in self._batches():
            part = _arrays(batch)
            good = at_least(part.score, self.threshold)
            yield part if good.all() else part.where(good)

    def _batches(self) -> Iterator[Any]:
        import pyarrow.parquet as pq

        for part in self.files:
            with part.reading() as name, pq.ParquetFile(name) as file:
                yield from file.iter_batches(batch_size=GROUP_PAIRS)
        if self._held is not None:
            yield from self._held.to_batches(max_chunksize=GROUP_PAIRS)
        if self.path is None:
            return
        try:
            whole = pq.ParquetFile(self.path)
        except FileNotFoundError as error:
            raise InputError(f"the pairs must stay at '{self.path}'; they are gone") from error
        with whole:
            yield from whole.iter_batches(batch_size=GROUP_PAIRS)

    def at_least(self, threshold: float) -> Pairs:
        """Those at or above a higher threshold; nothing is copied."""
        return replace(self, threshold=threshold)

    def best(self, count: int) -> PairArrays:
        """The pairs with the best scores, equal ones by left and right."""
        best = _joined([])
        for part in self.parts():
            some = _joined([best, part])
            best = some.where(np.lexsort((some.right, some.left, -some.score))[:count])
        return best

    def _repr_html_(self) -> str:
        """A table of the best pairs for notebooks."""
        best = self.best(SHOWN_ROWS)
        rows = [
            [str(left), str(right), f"{score:.4f}", "yes" if exact else ""]
            for left, right, score, exact in zip(
                *(column.tolist() for column in vars(best).values()), strict=True
            )
        ]
        return html_table(f"{self!r}, the best {len(best)}", COLUMNS, rows)

    def to_arrow(self) -> Any:
        """All pairs as an Arrow table, by left and right."""
        import pyarrow as pa

        table = pa.Table.from_batches([part.to_arrow() for part in self.parts()], schema())
        return table.sort_by([("left", "ascending"), ("right", "ascending")])

    def to_pandas(self) -> Any:
        """All pairs as a data frame, by left and right."""
        return to_pandas(self.to_arrow())


class _TemporaryFile:
    """A file that is deleted when nothing refers to this object any more."""

    def __init__(self) -> None:
        self.path = new_partial(Path(tempfile.gettempdir()) / "fuzzbow-pairs.parquet", 0o600)
        weakref.finalize(self, self.path.unlink, missing_ok=True)


def store_pairs(parts: Iterator[PairArrays], threshold: float, path: Path | None) -> Pairs:
    """Keep pairs as they come: at `path`, or in memory, or where they are many in a file.

    The file at `path` appears when it is complete; a temporary file is deleted by itself.
    """
    if path is not None:
        with replacing(path) as beside:
            write_pairs(beside, parts)
        return Pairs(threshold, path)
    held: list[PairArrays] = []
    count = 0
    for part in parts:
        held.append(part)
        count += len(part)
        if count > HELD_PAIRS:
            file = _TemporaryFile()
            write_pairs(file.path, chain(held, parts))
            return Pairs(threshold, file.path, _file=file)
    import pyarrow as pa

    batches = [group.to_arrow() for group in _regrouped(held)]
    return Pairs(threshold, _held=pa.Table.from_batches(batches, schema()))


def write_pairs(path: Path, parts: Iterable[PairArrays]) -> None:
    """A Parquet file of pairs."""
    import pyarrow.parquet as pq

    with pq.ParquetWriter(path, schema()) as writer:
        for group in _regrouped(parts):
            writer.write_batch(group.to_arrow(), row_group_size=GROUP_PAIRS)


def _regrouped(parts: Iterable[PairArrays]) -> Iterator[PairArrays]:
    """The same pairs in parts that are worth a row group."""
    waiting: list[PairArrays] = []
    count = 0
    for part in parts:
        waiting.append(part)
        count += len(part)
        if count >= GROUP_PAIRS:
            yield _joined(waiting)
            waiting, count = [], 0
    if waiting:
        yield _joined(waiting)


def _joined(parts: list[PairArrays]) -> PairArrays:
    columns = ([getattr(part, name) for part in [NO_PAIRS, *parts]] for name in COLUMNS)
    return PairArrays(*(np.concatenate(column) for column in columns))
