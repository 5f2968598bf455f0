"""The safetensors container: named arrays after a JSON header, read by memory-mapping.

Every array begins at a multiple of 64 bytes. The format allows no holes, so the gaps are separate
arrays, named `padding.N`.
"""

from __future__ import annotations

import json
import math
import mmap
import os
import struct
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import index
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import read_only
from fuzzbow.errors import DataError

ALIGNMENT = 64
LONGEST_HEADER = 100_000_000  # bytes, as the format says
MOST_SIDES = 8
LONGEST_SIDE = 1 << 48
DTYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4",
    "I16": "<i2", "I8": "|i1", "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "|u1",
}  # fmt: skip
CODES = {np.dtype(kind): code for code, kind in DTYPES.items() if code != "BF16"}
PADDING = "padding."


Entry = tuple[str, tuple[int, ...], int, int]  # of an array: code of its type, shape, begin, end


@dataclass(frozen=True, eq=False)
class Container:
    """An open container: `metadata`, and arrays by name, which are read when they are used."""

    origin: str
    metadata: Mapping[str, str]
    entries: Mapping[str, Entry]
    data: NDArray[np.uint8]  # the whole file

    def array(self, name: str) -> NDArray[Any]:
        """Return one array, read-only, in the file's own memory; BF16 is widened to float32."""
        if name not in self.entries:
            raise self.error(f"must hold {name!r}; holds {', '.join(self.entries)}")
        code, shape, begin, end = self.entries[name]
        raw = self.data[begin:end].view(DTYPES[code]).reshape(shape)
        if code == "BF16":
            raw = (raw.astype(np.uint32) << 16).view(np.float32)
        return read_only(raw)

    def typed(self, name: str, dtype: str, *shape: int | None) -> NDArray[Any]:
        """Return an array that must have this type and shape; None means any length."""
        array = self.array(name)
        agrees = array.ndim == len(shape) and all(
            wanted in (None, side) for side, wanted in zip(array.shape, shape, strict=True)
        )
        if array.dtype != np.dtype(dtype) or not agrees:
            sides = ", ".join("n" if side is None else str(side) for side in shape)
            raise self.error(
                f"{name!r} must be {np.dtype(dtype)} of shape ({sides}); got {array.dtype} of"
                f" shape {array.shape}"
            )
        return array

    def error(self, message: str) -> DataError:
        """Make an error about this file."""
        return DataError(f"{self.origin}: {message}")


def map_file(path: Path) -> mmap.mmap | bytes:
    """Memory-map a file; an empty file, which cannot be mapped, gives b""."""
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return b""
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def open_container(path: Path) -> Container:
    """Open a file, memory-mapped."""
    return parse_container(map_file(path), str(path))


def parse_container(buffer: mmap.mmap | bytes, origin: str) -> Container:
    """Check the header and every array's location; read no array."""
    size = len(buffer)
    if size < 8:
        raise DataError(f"{origin}: truncated; a safetensors file has at least 8 bytes, got {size}")
    (length,) = struct.unpack_from("<Q", buffer)
    first = 8 + length
    if length > min(LONGEST_HEADER, size - 8):
        raise DataError(
            f"{origin}: truncated or damaged; its header says {length} bytes, {size - 8} follow"
        )
    entries: dict[str, Entry] = {}
    try:
        header = json.loads(bytes(buffer[8:first]))
        metadata = dict(header.pop("__metadata__", None) or {})
        if not all(isinstance(value, str) for value in metadata.values()):
            raise ValueError("metadata must be strings")
        for name, item in header.items():
            shape = tuple(index(side) for side in item["shape"])
            if len(shape) > MOST_SIDES or max(shape, default=0) > LONGEST_SIDE:
                raise ValueError(f"an array must have at most {MOST_SIDES} sides up to 2^48")
            begin, end = (index(offset) + first for offset in item["data_offsets"])
            entries[name] = str(item["dtype"]), shape, begin, end
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, MemoryError) as error:
        raise DataError(f"{origin}: damaged safetensors header: {error}") from error
    for name, (code, shape, begin, end) in entries.items():
        if code not in DTYPES:
            raise DataError(f"{origin}: {name!r} must be one of {', '.join(DTYPES)}; is {code}")
        if not first <= begin <= end <= size:
            where = f"{name!r} is at bytes {begin} to {end}, the file has {size}"
            raise DataError(f"{origin}: truncated or damaged; {where}")
        needed = math.prod(shape) * np.dtype(DTYPES[code]).itemsize
        if min(shape, default=0) < 0 or needed != end - begin:
            sizes = f"needs {needed} bytes, has {end - begin}"
            raise DataError(f"{origin}: damaged; {name!r} of shape {shape} {sizes}")
    visible = {name: item for name, item in entries.items() if not name.startswith(PADDING)}
    return Container(origin, metadata, visible, np.frombuffer(buffer, dtype=np.uint8))


@dataclass(frozen=True, eq=False)
class Tensor:
    """Array to write, as an iterator of runs of rows."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    runs: Callable[[], Iterable[NDArray[Any]]]

    @classmethod
    def of(cls, name: str, array: NDArray[Any]) -> Tensor:
        """Make a tensor of an array in memory."""
        return cls(name, array.dtype, array.shape, lambda: [array])

    @property
    def size(self) -> int:
        """Size in bytes."""
        return math.prod(self.shape) * self.dtype.itemsize


def write_container(
    path: Path, tensors: Iterable[Tensor], metadata: Callable[[], Mapping[str, str]]
) -> None:
    """Write a new file, then rename it to `path`.

    `metadata` is called before and after the arrays are written, so that it may contain the digest
    of what is written; its length must not change.
    """
    from fuzzbow.io.atomic import replacing  # not needed to read

    padded: list[Tensor] = []
    for number, tensor in enumerate(tensors):
        padded.append(tensor)
        if gap := -tensor.size % ALIGNMENT:
            padded.append(Tensor.of(f"{PADDING}{number}", np.zeros(gap, dtype=np.uint8)))
    header = _header(padded, metadata())
    try:
        with replacing(path) as partial, open(partial, "wb") as file:
            file.seek(len(header))
            for tensor in padded:
                for run in tensor.runs():
                    rows = np.ascontiguousarray(run, dtype=tensor.dtype.newbyteorder("<"))
                    file.write(rows.reshape(-1).view(np.uint8).data)
            final = _header(padded, metadata())
            written = len(header) + sum(tensor.size for tensor in padded)
            if len(final) != len(header) or file.tell() != written:
                raise RuntimeError(f"{path}: the arrays that were written differ from the header")
            file.seek(0)
            file.write(final)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror or error}") from error


def _header(tensors: Iterable[Tensor], metadata: Mapping[str, str]) -> bytes:
    items: dict[str, Any] = {"__metadata__": dict(metadata)}
    begin = 0
    for tensor in tensors:
        code = CODES[tensor.dtype.newbyteorder("<")]
        offsets = [begin, begin + tensor.size]
        items[tensor.name] = {"dtype": code, "shape": list(tensor.shape), "data_offsets": offsets}
        begin += tensor.size
    text = json.dumps(items, ensure_ascii=True, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % ALIGNMENT)
    return struct.pack("<Q", len(text)) + text
