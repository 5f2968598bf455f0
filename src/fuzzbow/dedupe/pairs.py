"""Pairs of positions with a score, in memory or, if they are many, in Parquet files."""

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
from fuzzbow.errors import InputError
from fuzzbow.io.atomic import new_partial, replacing
from fuzzbow.io.file_digest import DigestedFile
from fuzzbow.io.frames import to_pandas
from fuzzbow.measures.blockwise_join import at_least
from fuzzbow.notebook import SHOWN_ROWS, html_table
from fuzzbow.plurals import counted

HELD_PAIRS = 4_000_000  # pairs in memory before they go to a file: 100 MB
GROUP_PAIRS = 1_000_000  # pairs in a row group of the file, and in a batch read from it
COLUMNS = ("left", "right", "score", "exact")


@dataclass(frozen=True)
class PairArrays:
    """Arrays of pairs: positions, scores, and a mark of exact copies."""

    left: Integers  # (n,)
    right: Integers  # (n,)
    score: Floats  # (n,)
    exact: Booleans  # (n,)

    @classmethod
    def of(cls, left: Integers, right: Integers, score: Floats | float, exact: bool) -> PairArrays:
        """Make pairs that are all exact copies, or none of them."""
        scores = np.broadcast_to(np.asarray(score, dtype=np.float64), left.shape)
        return cls(left, right, scores, np.full(len(left), exact))

    @classmethod
    def join(cls, parts: Iterable[PairArrays]) -> PairArrays:
        """Concatenate parts."""
        nothing = np.zeros(0, np.int64)
        every = [cls.of(nothing, nothing, 1.0, True), *parts]
        return cls(*(np.concatenate([getattr(part, name) for part in every]) for name in COLUMNS))

    def __len__(self) -> int:
        return len(self.left)

    def where(self, mask: Booleans | Integers) -> PairArrays:
        """Select the pairs where the mask, (n,), is true, or those at some positions."""
        return PairArrays(*(getattr(self, name)[mask] for name in COLUMNS))

    def to_arrow(self) -> Any:
        """Return an Arrow record batch."""
        import pyarrow as pa

        return pa.record_batch([getattr(self, name) for name in COLUMNS], schema())


def best_pairs(parts: Iterable[PairArrays], count: int) -> PairArrays:
    """Find the pairs with the best scores, as `Pairs.best` does."""
    best = PairArrays.join([])
    for part in parts:
        some = PairArrays.join([best, part])
        best = some.where(np.lexsort((some.right, some.left, -some.score))[:count])
    return best


def schema() -> Any:
    """Return the Arrow schema of pairs."""
    import pyarrow as pa

    kinds = (pa.int64(), pa.int64(), pa.float64(), pa.bool_())
    return pa.schema(list(zip(COLUMNS, kinds, strict=True)))


@dataclass(frozen=True, repr=False)
class Pairs:
    """Pairs at or above a threshold: `left`, `right` (positions), `score`, `exact`.

    An exact pair is a string's first position and that of a copy. In all other pairs a text stands
    for its copies, at its first position.
    """

    threshold: float
    path: Path | None = None  # the Parquet file that holds them, in the order of finding
    files: tuple[DigestedFile, ...] = ()  # of a run in shards, in place of a path
    _held: Any = None  # an Arrow table where there is no file
    _users: frozenset[Path] | None = None  # of a temporary file, deleted with this object

    def __repr__(self) -> str:
        location = "memory" if self.path is None else f"'{self.path}'"
        if self.files:
            location = counted(len(self.files), "file")
        return f"Pairs({len(self)} at {self.threshold:g} or above, in {location})"

    def __len__(self) -> int:
        return self._count

    @cached_property
    def _count(self) -> int:
        return sum(map(len, self.parts()))

    def parts(self) -> Iterator[PairArrays]:
        """Yield the pairs, a bounded number at a time, in the order in which they were found."""
        for batch in self._batches():
            columns = (batch.column(name).to_numpy(zero_copy_only=False) for name in COLUMNS)
            part = PairArrays(*columns)
            good = at_least(part.score, self.threshold)
            yield part if good.all() else part.where(good)

    def _batches(self) -> Iterator[Any]:
        import pyarrow.parquet as pq

        if self._held is not None:
            yield from self._held.to_batches(max_chunksize=GROUP_PAIRS)
        for part in self.files:
            with part.reading() as name, pq.ParquetFile(name) as file:
                yield from file.iter_batches(batch_size=GROUP_PAIRS)
        if self.path is not None:
            try:
                whole = pq.ParquetFile(self.path)
            except FileNotFoundError as error:
                raise InputError(f"the file of pairs '{self.path}' no longer exists") from error
            with whole:
                yield from whole.iter_batches(batch_size=GROUP_PAIRS)

    def at_least(self, threshold: float) -> Pairs:
        """Select the pairs at or above a higher threshold, without a copy."""
        return replace(self, threshold=threshold)

    def best(self, count: int) -> PairArrays:
        """Find the pairs with the best scores, ties by left and right."""
        return best_pairs(self.parts(), count)

    def _repr_html_(self) -> str:
        """Draw a table of the best pairs for notebooks."""
        best = self.best(SHOWN_ROWS)
        columns = (column.tolist() for column in vars(best).values())
        rows = [
            [str(left), str(right), f"{score:.4f}", "yes" if exact else ""]
            for left, right, score, exact in zip(*columns, strict=True)
        ]
        return html_table(f"{self!r}, the best {len(best)}", COLUMNS, rows)

    def to_arrow(self) -> Any:
        """Return all pairs as an Arrow table, by left and right."""
        import pyarrow as pa

        table = pa.Table.from_batches([part.to_arrow() for part in self.parts()], schema())
        return table.sort_by([("left", "ascending"), ("right", "ascending")])

    def to_pandas(self) -> Any:
        """Return all pairs as a data frame, by left and right."""
        return to_pandas(self.to_arrow())


def store_pairs(parts: Iterator[PairArrays], threshold: float, path: Path | None) -> Pairs:
    """Store pairs at `path` if given, else in memory, or in a temporary file if there are many.

    The file at `path` appears when it is complete.
    """
    import pyarrow as pa

    if path is not None:
        with replacing(path) as partial_file:
            write_pairs(partial_file, parts)
        return Pairs(threshold, path)
    held: list[PairArrays] = []
    count = 0
    for part in parts:
        held.append(part)
        count += len(part)
        if count > HELD_PAIRS:
            temporary = new_partial(Path(tempfile.gettempdir()) / "fuzzbow-pairs.parquet", 0o600)
            users = frozenset([temporary])  # shared by all selections of these pairs
            weakref.finalize(users, temporary.unlink, missing_ok=True)
            write_pairs(temporary, chain(held, parts))
            return Pairs(threshold, temporary, _users=users)
    batches = [group.to_arrow() for group in _row_groups(held)]
    return Pairs(threshold, _held=pa.Table.from_batches(batches, schema()))


def write_pairs(path: Path, parts: Iterable[PairArrays]) -> None:
    """Write a Parquet file of pairs."""
    import pyarrow.parquet as pq

    with pq.ParquetWriter(path, schema()) as writer:
        for group in _row_groups(parts):
            writer.write_batch(group.to_arrow(), row_group_size=GROUP_PAIRS)


def _row_groups(parts: Iterable[PairArrays]) -> Iterator[PairArrays]:
    """Join small parts until they fill a row group."""
    waiting: list[PairArrays] = []
    for part in parts:
        waiting.append(part)
        if sum(map(len, waiting)) >= GROUP_PAIRS:
            yield PairArrays.join(waiting)
            waiting = []
    if waiting:
        yield PairArrays.join(waiting)
