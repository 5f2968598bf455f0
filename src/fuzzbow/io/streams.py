"""Files as streams of bytes, decompressed if needed.

Compression is detected from the first bytes. Damage is an `InputError`
that names the file, and so is a file that would need unbounded memory: a line that never
ends, or a small file that unpacks to far more than any real one.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from fuzzbow.errors import DataError, InputError
from fuzzbow.progress import Progress

HEAD = 1 << 20
LONGEST_LINE = 1 << 26  # characters, or bytes where the line is not decoded
LARGEST_TEXT = 1 << 30  # bytes of a file that is read as one text, such as a tokenizer.json
ALWAYS_UNPACKED = 1 << 30  # bytes that any compressed file may unpack to
MOST_GROWTH = 200  # beyond that, how many times its size a compressed file may unpack to
# what decompressing damaged bytes can raise
BROKEN = (
    OSError,
    EOFError,
    ValueError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
    MemoryError,
)
WRITERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
COMPRESSIONS = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\0": ".xz", b"PK\x03\x04": ".zip"}
BZ2_BLOCKS = (b"1AY&SY", b"\x17rE8P\x90")  # what follows the first four bytes: a block, or the end


class Stream:
    """Stream of the decompressed bytes of a file; `head` has the first ones.

    `compression` is the usual suffix of the compression, or empty.
    """

    def __init__(
        self,
        path: Path,
        raw: BinaryIO,
        content: BinaryIO,
        compression: str,
        progress: Progress | None,
    ) -> None:
        self.path, self.compression = path, compression
        self.file_size = path.stat().st_size
        self._raw, self._content, self._progress = raw, content, progress
        self.line = 0  # number of the last line that was read, for errors
        self._pulled = 0
        self._rest = b""
        self.head = self._rest = self.read(HEAD)

    @property
    def largest(self) -> int:
        """Return the largest number of bytes that the content may have."""
        return largest_unpacked(self.file_size) if self.compression else self.file_size

    def read(self, size: int) -> bytes:
        """Return the next bytes: exactly `size`, or fewer at the end."""
        parts = [self._rest[:size]]
        self._rest = self._rest[size:]
        missing = size - len(parts[0])
        while missing > 0 and (part := self._pull(missing)):
            parts.append(part)
            missing -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def read_all(self) -> bytes:
        """Read to the end."""
        return b"".join(iter(lambda: self.read(1 << 24), b""))

    @property
    def share(self) -> float:
        """Return the share of the file that was read from disk, from 0 to 1."""
        return min(self._raw.tell() / self.file_size, 1.0) if self.file_size else 1.0

    def _pull(self, size: int) -> bytes:
        location = f"{self.path}, after line {self.line}" if self.line else str(self.path)
        try:
            part = self._content.read(size)
        except BROKEN as error:
            raise damaged(location, error) from error
        self._pulled += len(part)
        if self.compression and self._pulled > self.largest:
            raise DataError(
                f"{location}: unpacks to more than {self.largest} bytes, which no file of its"
                " size should; unpack it yourself if it is right"
            )
        if self._progress is not None:
            self._progress(min(self._raw.tell(), self.file_size), self.file_size)
        return part


def check_encoding(name: str) -> str:
    """Check the name of an encoding of text, and return it."""
    try:
        "".encode(name)
    except (LookupError, ValueError) as error:
        raise InputError(
            f"encoding must be one that Python knows, such as utf-8, utf-16, latin-1 or cp1252;"
            f" got {name!r:.40}"
        ) from error
    return name


def encoding_of(head: bytes) -> str:
    """Detect UTF-16 by its byte order mark, or by zeros in every other position; else UTF-8."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    start = head[:4096]
    if start[1::2].count(0) > len(start) // 4 and 0 not in start[::2]:
        return "utf-16-le"
    if start[::2].count(0) > len(start) // 4 and 0 not in start[1::2]:
        return "utf-16-be"
    return "utf-8-sig"


def largest_unpacked(size: int) -> int:
    """Return the largest number of bytes that a compressed file of a size may unpack to."""
    return max(ALWAYS_UNPACKED, MOST_GROWTH * size)


def damaged(location: str, error: BaseException) -> DataError:
    """Return the error for a file that cannot be decompressed."""
    reason = str(error) or type(error).__name__
    return DataError(f"{location}: truncated or damaged compression: {reason}")


@contextmanager
def open_stream(
    path: Path, *, progress: Progress | None = None, wanted: tuple[str, ...] = ()
) -> Iterator[Stream]:
    """Open a file, decompressed if it is gzip, bzip2, xz or zip by its first bytes.

    Of a zip archive with several files, the only one with a `wanted` suffix is read.
    """
    with ExitStack() as stack:
        raw = stack.enter_context(_open_regular(path))
        magic = raw.read(10)
        raw.seek(0)
        kinds = (kind for begin, kind in COMPRESSIONS.items() if magic.startswith(begin))
        compression = next(kinds, "")
        content: Any = raw
        if compression == ".gz":
            content = stack.enter_context(gzip.GzipFile(fileobj=raw))
        elif compression == ".xz":
            content = stack.enter_context(lzma.LZMAFile(raw))
        elif compression == ".bz2" and magic[4:] in BZ2_BLOCKS:
            content = stack.enter_context(bz2.BZ2File(raw))
        elif compression == ".bz2":  # a text that begins with BZh
            compression = ""
        elif compression == ".zip":
            try:
                archive = stack.enter_context(zipfile.ZipFile(raw))
                member = archive.open(_chosen_member(path, archive.namelist(), wanted))
            except InputError:
                raise
            except (*BROKEN, KeyError) as error:
                raise damaged(str(path), error) from error
            content = stack.enter_context(member)
        yield Stream(path, raw, content, compression, progress)


def read_text(path: Path) -> str:
    """Read a file of UTF-8, decompressed, without a byte order mark."""
    with open_stream(path) as stream:
        content = stream.read(LARGEST_TEXT + 1)
    if len(content) > LARGEST_TEXT:
        raise DataError(f"{path}: must have at most {LARGEST_TEXT} bytes; it has more")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: must be UTF-8; {error.reason} at byte {error.start}") from error


def _open_regular(path: Path) -> BinaryIO:
    """Open a regular file; a pipe, which would wait for a writer, and a device are refused."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISREG(mode):
            return open(path, "rb")
    except FileNotFoundError as error:
        raise InputError(f"no such file: '{path}'") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot be read: {reason}") from error
    what = "a directory" if stat.S_ISDIR(mode) else "a device or a pipe"
    raise InputError(f"'{path}' must be a file; got {what}")


def _chosen_member(path: Path, names: list[str], wanted: tuple[str, ...]) -> str:
    """Return the only file of an archive that has a fitting name."""
    files = [name for name in names if not name.endswith("/") and "__MACOSX" not in name]
    if len(files) == 1:
        return files[0]
    likely = [name for name in files if name.lower().endswith(wanted)] if wanted else []
    same = [name for name in likely if Path(name).stem == path.stem or Path(name).name == path.stem]
    for choice in (likely, same):
        if len(choice) == 1:
            return choice[0]
    found = ", ".join(files[:8]) or "nothing"
    raise DataError(
        f"{path}: must hold one file that can be read; holds {found}. Unpack the one wanted"
    )
