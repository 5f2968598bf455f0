"""The safetensors container: named arrays after a JSON header, read by memory-mapping.

Every array begins at a multiple of 64 bytes. The format allows no holes, so the gaps are
arrays of their own, named `padding.N`.
"""

from __future__ import annotations

import json
import math
import mmap
import os
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import index
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import read_only
from fuzzbow.atomic import replacing
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


@dataclass(frozen=True)
class Entry:
    """Location of one array in the file."""

    code: str
    shape: tuple[int, ...]
    begin: int
    end: int


@dataclass(frozen=True, eq=False)
class Container:
    """An open container: `metadata`, and arrays by name, none read until asked for."""

    origin: str
    metadata: Mapping[str, str]
    entries: Mapping[str, Entry]
    data: NDArray[np.uint8]  # the whole file

    def array(self, name: str) -> NDArray[Any]:
        """One array, read-only, in the file's own memory; BF16 is widened to float32."""
        if name not in self.entries:
            raise DataError(f"{self.origin}: must hold {name!r}; holds {', '.join(self.entries)}")
        entry = self.entries[name]
        raw = self.data[entry.begin : entry.end].view(DTYPES[entry.code]).reshape(entry.shape)
        if entry.code == "BF16":
            raw = (raw.astype(np.uint32) << 16).view(np.float32)
        return read_only(raw)


def map_file(path: Path) -> mmap.mmap | bytes:
    """The file's bytes, memory-mapped; an empty file cannot be mapped and gives b""."""
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return b""
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def parse_container(buffer: mmap.mmap | bytes, origin: str) -> Container:
    """Check the header and every array's place; read no array."""
    size = len(buffer)
    if size < 8:
        raise DataError(f"{origin}: truncated; a safetensors file has at least 8 bytes, got {size}")
    (length,) = struct.unpack_from("<Q", buffer)
    if length > min(LONGEST_HEADER, size - 8):
        raise DataError(
            f"{origin}: truncated or damaged; its header says {length} bytes, {size - 8} follow"
        )
    try:
        header = json.loads(bytes(buffer[8 : 8 + length]))
        metadata = _metadata(header.pop("__metadata__", None))
        entries = {name: _entry(item, 8 + length) for name, item in header.items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, MemoryError) as error:
        raise DataError(f"{origin}: damaged safetensors header: {error}") from error
    for name, entry in entries.items():
        _check_entry(name, entry, first=8 + length, size=size, origin=origin)
    visible = {name: item for name, item in entries.items() if not name.startswith(PADDING)}
    return Container(origin, metadata, visible, np.frombuffer(buffer, dtype=np.uint8))


def _metadata(found: Any) -> dict[str, str]:
    """The header's metadata, which must be strings by name; there may be none."""
    metadata = dict(found or {})
    if not all(isinstance(value, str) for value in metadata.values()):
        raise ValueError("metadata must be strings")
    return metadata


def _entry(item: Mapping[str, Any], base: int) -> Entry:
    begin, end = (index(offset) + base for offset in item["data_offsets"])
    shape = tuple(index(side) for side in item["shape"])
    if len(shape) > MOST_SIDES or max(shape, default=0) > LONGEST_SIDE:
        raise ValueError(f"an array must have at most {MOST_SIDES} sides of at most {LONGEST_SIDE}")
    return Entry(str(item["dtype"]), shape, begin, end)


def _check_entry(name: str, entry: Entry, *, first: int, size: int, origin: str) -> None:
    if entry.code not in DTYPES:
        raise DataError(f"{origin}: {name!r} must be one of {', '.join(DTYPES)}; is {entry.code}")
    if not first <= entry.begin <= entry.end <= size:
        raise DataError(
            f"{origin}: truncated or damaged; {name!r} lies at bytes {entry.begin} to {entry.end}, "
            f"the file has {size}"
        )
    needed = math.prod(entry.shape) * np.dtype(DTYPES[entry.code]).itemsize
    if min(entry.shape, default=0) < 0 or needed != entry.end - entry.begin:
        raise DataError(
            f"{origin}: damaged; {name!r} of shape {entry.shape} needs {needed} bytes, "
            f"has {entry.end - entry.begin}"
        )


@dataclass(frozen=True, eq=False)
class Tensor:
    """An array to write, given in runs of rows."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    runs: Callable[[], Iterable[NDArray[Any]]]

    @classmethod
    def of(cls, name: str, array: NDArray[Any]) -> Tensor:
        """An array that exists already."""
        return cls(name, array.dtype, array.shape, lambda: [array])

    @property
    def size(self) -> int:
        """Bytes."""
        return math.prod(self.shape) * self.dtype.itemsize


def write_container(
    path: Path, tensors: Iterable[Tensor], metadata: Callable[[], Mapping[str, str]]
) -> None:
    """Write a new file beside `path`, then rename it to `path`.

    `metadata` is called before and after the arrays are written, so that it may hold what is
    known only then, such as a digest; its length must not change.
    """
    laid_out = list(_with_padding(tensors))
    try:
        with replacing(path) as beside, open(beside, "wb") as file:
            _write_arrays(file, laid_out, metadata)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror or error}") from error


def _write_arrays(
    file: BinaryIO, tensors: list[Tensor], metadata: Callable[[], Mapping[str, str]]
) -> None:
    header = _header(tensors, metadata())
    file.write(header)
    for tensor in tensors:
        for run in tensor.runs():
            rows = np.ascontiguousarray(run, dtype=tensor.dtype.newbyteorder("<"))
            file.write(rows.reshape(-1).view(np.uint8).data)
    final = _header(tensors, metadata())
    if len(final) != len(header) or file.tell() != len(header) + sum(t.size for t in tensors):
        raise RuntimeError(f"{file.name}: what was written differs from what was announced")
    file.seek(0)
    file.write(final)


def _with_padding(tensors: Iterable[Tensor]) -> Iterator[Tensor]:
    for number, tensor in enumerate(tensors):
        yield tensor
        gap = -tensor.size % ALIGNMENT
        if gap:
            yield Tensor.of(f"{PADDING}{number}", np.zeros(gap, dtype=np.uint8))


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
