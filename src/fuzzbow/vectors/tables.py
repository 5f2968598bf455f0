"""Tables of vectors: float32, float16, or int8 and int4 with a scale per row, read row by row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Booleans, Floats, Integers, read_only
from fuzzbow.errors import InputError
from fuzzbow.vectors.quantisation import unpacked

CHUNK_ROWS = 16384
LARGEST_VALUE = 1e12  # in a vector; sums and products of larger numbers could overflow float32


class StoredType(Enum):
    """Type in which the numbers of a table are stored."""

    FLOAT32 = "float32"
    FLOAT16 = "float16"
    INT8 = "int8"
    INT4 = "int4"  # two in a byte

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy type of the stored array, little-endian."""
        name = "uint8" if self is StoredType.INT4 else self.value
        little: np.dtype[Any] = np.dtype(name).newbyteorder("<")
        return little

    @property
    def scaled(self) -> bool:
        """Return whether every row has a scale."""
        return self in (StoredType.INT8, StoredType.INT4)

    def width(self, dimension: int) -> int:
        """Columns of the stored array."""
        return (dimension + 1) // 2 if self is StoredType.INT4 else dimension


class Table(Protocol):
    """Rows of float32, however they are stored."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and dimension."""

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Return the stored arrays in a fixed order: the content of a fingerprint."""

    def rows(self, ids: Integers) -> Floats:
        """The given rows: (n,) -> (n, d) float32."""

    def dense(self) -> Floats:
        """All rows: (V, d) float32, read-only."""

    def head(self, count: int) -> Table:
        """A table of the first rows only."""


def chunks(table: Table) -> Iterator[Floats]:
    """All rows in order, a bounded number at a time: (n, d) float32 each."""
    total = table.shape[0]
    for first in range(0, total, CHUNK_ROWS):
        yield table.rows(np.arange(first, min(first + CHUNK_ROWS, total)))


def gather(table: Table) -> Floats:
    """All rows of a table that computes them: (V, d) float32, read-only."""
    matrix = np.empty(table.shape, dtype=np.float32)
    first = 0
    for rows in chunks(table):
        matrix[first : first + len(rows)] = rows
        first += len(rows)
    return read_only(matrix)


def usable_rows(rows: Floats) -> Booleans:
    """Mark the rows that are finite, with numbers up to LARGEST_VALUE: (n, d) -> (n,)."""
    # NaN compares as false; the limit is a float32 because float16 would make it infinite
    return np.asarray((np.abs(rows) <= np.float32(LARGEST_VALUE)).all(axis=1))


def check_rows(rows: Floats, ids: Integers, origin: str) -> None:
    """Refuse rows that are not usable, naming the first of them: (n, d), (n,)."""
    usable = usable_rows(rows)
    if not usable.all():
        row = int(ids[int(usable.argmin())])
        raise InputError(
            f"{origin}: damaged; row {row} of its vectors must be finite, at most {LARGEST_VALUE:g}"
        )


@dataclass(frozen=True, eq=False)
class ArrayTable:
    """One array, (V, d), of float32, float16, or int8 with `scales`, (V,)."""

    array: NDArray[Any]
    scales: NDArray[np.float32] | None = None
    origin: str | None = None  # a mapped file, whose rows are checked when they are used

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and dimension."""
        return self.array.shape[0], self.array.shape[1]

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """The array, and the scales where there are any."""
        return (self.array,) if self.scales is None else (self.array, self.scales)

    def rows(self, ids: Integers) -> Floats:
        """The given rows: (n,) -> (n, d) float32."""
        rows: Floats = self.array[ids].astype(np.float32, copy=False)
        if self.scales is not None:
            rows = rows * self.scales[ids][:, None]
        if self.origin is not None:
            check_rows(rows, ids, self.origin)
        return rows

    def dense(self) -> Floats:
        """All rows: (V, d) float32, read-only; no copy where they are float32 already."""
        if self.array.dtype != np.float32:
            return gather(self)
        if self.origin is not None:
            for first in range(0, len(self.array), CHUNK_ROWS):
                rows = self.array[first : first + CHUNK_ROWS]
                check_rows(rows, np.arange(first, first + len(rows)), self.origin)
        return read_only(self.array)

    def head(self, count: int) -> ArrayTable:
        """A table of the first rows only."""
        scales = None if self.scales is None else self.scales[:count]
        return ArrayTable(self.array[:count], scales, self.origin)


@dataclass(frozen=True, eq=False)
class PackedTable:
    """int4 numbers, two in a byte, (V, (d + 1) / 2), with `scales`, (V,)."""

    array: NDArray[np.uint8]
    scales: NDArray[np.float32]
    dimension: int
    origin: str | None = None  # a mapped file, whose rows are checked when they are used

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and dimension."""
        return len(self.array), self.dimension

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """The array and the scales."""
        return self.array, self.scales

    def rows(self, ids: Integers) -> Floats:
        """The given rows: (n,) -> (n, d) float32."""
        rows = unpacked(self.array[ids], self.dimension) * self.scales[ids][:, None]
        if self.origin is not None:
            check_rows(rows, ids, self.origin)
        return rows

    def dense(self) -> Floats:
        """All rows: (V, d) float32, read-only."""
        return gather(self)

    def head(self, count: int) -> PackedTable:
        """A table of the first rows only."""
        return PackedTable(self.array[:count], self.scales[:count], self.dimension, self.origin)


@dataclass(frozen=True, eq=False)
class SharedTable:
    """Words that share rows: word i has row `row_of[i]` of `array`."""

    array: NDArray[Any]  # (rows, d)
    row_of: Integers  # (V,)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of words and dimension."""
        return len(self.row_of), self.array.shape[1]

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """The rows, and which word has which."""
        return self.array, self.row_of

    def rows(self, ids: Integers) -> Floats:
        """The given words' rows: (n,) -> (n, d) float32."""
        return self.array[self.row_of[ids]].astype(np.float32, copy=False)

    def dense(self) -> Floats:
        """All words' rows: (V, d) float32, read-only."""
        return gather(self)

    def head(self, count: int) -> SharedTable:
        """A table of the first words only."""
        return SharedTable(self.array, self.row_of[:count])


def weighted_rows(matrix: Floats, weights: Floats, origin: str) -> Floats:
    """Each row times its weight: (V, d), (V,) -> (V, d) float32."""
    if len(weights) != len(matrix):
        raise InputError(
            f"{origin}: weights must be one per row, {len(matrix)}; got {len(weights)}"
        )
    return np.asarray(matrix * weights[:, None], dtype=np.float32)
