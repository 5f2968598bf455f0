"""Tables of vectors: float32, float16, or int8 and int4 with a scale for each row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Booleans, Floats, Integers, blocks, read_only
from fuzzbow.errors import DataError, InputError

CHUNK_ROWS = 16384
LARGEST_VALUE = 1e12  # in a vector; sums and products of larger numbers could overflow float32
INT8_LARGEST, INT4_LARGEST = 127, 7
ZERO = 8  # half byte that represents 0
# Shares of the largest value of a row that the largest int4 may stand for: cutting off a few values
# leaves finer steps for all others.
INT4_REACHES = tuple(0.45 + 0.05 * step for step in range(12))


class StoredType(Enum):
    """Type in which the numbers of a table are stored."""

    FLOAT32 = "float32"
    FLOAT16 = "float16"
    INT8 = "int8"
    INT4 = "int4"  # two in a byte

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy type of the stored array, little-endian."""
        name = "uint8" if self is StoredType.INT4 else self.value
        little: np.dtype[Any] = np.dtype(name).newbyteorder("<")
        return little

    @property
    def scaled(self) -> bool:
        """Return whether every row has a scale."""
        return self in (StoredType.INT8, StoredType.INT4)

    def width(self, dimension: int) -> int:
        """Return the number of columns of the stored array."""
        return (dimension + 1) // 2 if self is StoredType.INT4 else dimension

    def encode(self, rows: Floats, name: str) -> StoredTable:
        """Convert rows, (n, d), to a table of this type, which must be able to hold them."""
        if self.scaled:
            steps, scales = quantise(rows, self)
            if self is StoredType.INT8:
                return StoredTable(steps, scales)
            return StoredTable(pack_int4(steps), scales, rows.shape[1])
        with np.errstate(over="ignore"):
            narrow = rows.astype(self.dtype)
        if not np.isfinite(narrow).all():
            raise DataError(f"{name}: values are too large for {self.value}")
        return StoredTable(narrow)


class Table(ABC):
    """Vectors of a vocabulary, read row by row."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Number of words and dimension."""

    @property
    @abstractmethod
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Arrays as they are stored, in a fixed order: the content of a fingerprint."""

    @abstractmethod
    def rows(self, ids: Integers) -> Floats:
        """Read rows: (n,) -> (n, d) float32."""

    @abstractmethod
    def head(self, count: int) -> Table:
        """Return a table of the first words."""

    def dense(self) -> Floats:
        """Read all rows: (V, d) float32, read-only."""
        matrix = np.empty(self.shape, dtype=np.float32)
        for part, rows in zip(blocks(len(matrix), CHUNK_ROWS), self.chunks(), strict=True):
            matrix[part] = rows
        return read_only(matrix)

    def chunks(self) -> Iterator[Floats]:
        """Read all rows in order, a bounded number at a time: (n, d) float32 each."""
        for part in blocks(self.shape[0], CHUNK_ROWS):
            yield self.rows(np.arange(part.start, part.stop))


@dataclass(frozen=True, eq=False)
class StoredTable(Table):
    """Table in one array, (rows, width); rows of int8 and int4 are multiplied by their scales."""

    array: NDArray[Any]
    scales: NDArray[np.float32] | None = None  # (rows,)
    packed_dimension: int | None = None  # of int4, which has two numbers in a byte
    row_of: Integers | None = None  # (V,) row of each word where words share rows
    origin: str | None = None  # a mapped file, whose rows are checked when they are used

    @property
    def shape(self) -> tuple[int, int]:
        words = len(self.array if self.row_of is None else self.row_of)
        return words, self.packed_dimension or self.array.shape[1]

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        return tuple(a for a in (self.array, self.scales, self.row_of) if a is not None)

    def is_stored_as(self, stored: StoredType) -> bool:
        """Return whether the rows can be written in this type as they are."""
        return self.row_of is None and bool(self.array.dtype == stored.dtype)

    def rows(self, ids: Integers) -> Floats:
        positions = ids if self.row_of is None else self.row_of[ids]
        rows = self.array[positions]
        if self.packed_dimension is not None:
            rows = unpack_int4(rows, self.packed_dimension)
        rows = rows.astype(np.float32, copy=False)
        if self.scales is not None:
            rows = rows * self.scales[positions][:, None]
        if self.origin is not None:
            self._check(rows, ids)
        return rows

    def dense(self) -> Floats:
        """Read all rows: (V, d) float32, read-only; no copy if they are stored as float32."""
        if self.array.dtype != np.float32 or self.row_of is not None:
            return super().dense()
        if self.origin is not None:
            for part in blocks(len(self.array), CHUNK_ROWS):
                self._check(self.array[part], np.arange(part.start, part.stop))
        return read_only(self.array)

    def head(self, count: int) -> StoredTable:
        if self.row_of is not None:
            return replace(self, row_of=self.row_of[:count])
        scales = None if self.scales is None else self.scales[:count]
        return replace(self, array=self.array[:count], scales=scales)

    def _check(self, rows: Floats, ids: Integers) -> None:
        usable = usable_rows(rows)
        if not usable.all():
            raise InputError(
                f"{self.origin}: damaged; row {ids[int(usable.argmin())]} of its vectors must be"
                f" finite, at most {LARGEST_VALUE:g}"
            )


def usable_rows(rows: Floats) -> Booleans:
    """Mark the rows that are finite, with numbers up to LARGEST_VALUE: (n, d) -> (n,)."""
    # NaN compares as false; the limit is a float32 because float16 would make it infinite
    return np.asarray((np.abs(rows) <= np.float32(LARGEST_VALUE)).all(axis=1))


def weighted_rows(matrix: Floats, weights: Floats, origin: str) -> Floats:
    """Multiply each row by its weight: (V, d), (V,) -> (V, d) float32."""
    if len(weights) != len(matrix):
        raise InputError(
            f"{origin}: weights must be one per row, {len(matrix)}; got {len(weights)}"
        )
    return np.asarray(matrix * weights[:, None], dtype=np.float32)


def quantise(
    rows: Floats, stored: StoredType = StoredType.INT8
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Quantise rows to int8 or int4 with a scale each: (n, d) -> (n, d), (n,).

    The largest absolute value of a row becomes 127 in int8. In int4, from -7 to 7, it may be cut
    off: of several scales the one with the least squared error is taken, then changed so that the
    row keeps its length.
    """
    wide = rows.astype(np.float64)
    largest = np.abs(wide).max(axis=1, initial=0.0)
    if stored is StoredType.INT8:
        narrow = (largest / INT8_LARGEST).astype(np.float32)
        return _steps(wide, narrow.astype(np.float64), INT8_LARGEST), narrow
    best = np.zeros(rows.shape, dtype=np.int8)
    least = np.full(len(rows), np.inf)
    for reach in INT4_REACHES:
        scales = largest * (reach / INT4_LARGEST)
        steps = _steps(wide, scales, INT4_LARGEST)
        errors = ((steps * scales[:, None] - wide) ** 2).sum(axis=1)
        better = errors < least
        best[better], least[better] = steps[better], errors[better]
    lengths = np.linalg.norm(best.astype(np.float64), axis=1)
    kept = np.linalg.norm(wide, axis=1) / np.where(lengths > 0, lengths, 1.0)
    return best, kept.astype(np.float32)


def _steps(rows: Floats, scales: Floats, largest: int) -> NDArray[np.int8]:
    divisor = np.where(scales > 0, scales, 1.0)
    return np.clip(np.rint(rows / divisor[:, None]), -largest, largest).astype(np.int8)


def pack_int4(steps: NDArray[np.int8]) -> NDArray[np.uint8]:
    """Pack numbers of -7 to 7, the first in the low half of a byte: (n, d) -> (n, (d + 1) / 2)."""
    halves = (steps + ZERO).astype(np.uint8)
    if halves.shape[1] % 2:
        halves = np.pad(halves, ((0, 0), (0, 1)), constant_values=ZERO)
    return np.asarray(halves[:, 0::2] | (halves[:, 1::2] << 4))


def unpack_int4(array: NDArray[np.uint8], dimension: int) -> NDArray[np.float32]:
    """Unpack rows of `pack_int4`: (n, (d + 1) / 2) -> (n, d) float32."""
    pairs = np.stack([array & 15, array >> 4], axis=2).reshape(len(array), 2 * array.shape[1])
    return pairs[:, :dimension].astype(np.float32) - np.float32(ZERO)
