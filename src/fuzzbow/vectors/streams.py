"""Files as streams of bytes: decompressed on the way, with a look at the beginning."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from fuzzbow.errors import InputError
from fuzzbow.vectors.options import Progress

HEAD = 1 << 20
VECTOR_SUFFIXES = (".txt", ".vec", ".bin", ".safetensors", ".w2v", ".glove")
BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError)


class Stream:
    """Bytes of a file, decompressed; `head` is a look at the first ones."""

    def __init__(
        self,
        path: Path,
        raw: BinaryIO,
        content: BinaryIO,
        progress: Progress | None,
    ) -> None:
        self.origin = str(path)
        self.compressed = content is not raw
        self.file_size = path.stat().st_size
        self._raw, self._content, self._progress = raw, content, progress
        self._rest = b""
        self.head = self._rest = self.read(HEAD)

    def read(self, size: int) -> bytes:
        """The next bytes: exactly `size`, or fewer at the end."""
        parts = [self._rest[:size]]
        self._rest = self._rest[size:]
        missing = size - len(parts[0])
        while missing > 0:
            part = self._pull(missing)
            if not part:
                break
            parts.append(part)
            missing -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def read_all(self) -> bytes:
        """Everything that is left."""
        parts = []
        while part := self.read(1 << 24):
            parts.append(part)
        return b"".join(parts)

    def _pull(self, size: int) -> bytes:
        try:
            part = self._content.read(size)
        except BROKEN as error:
            raise InputError(f"{self.origin}: truncated or damaged: {error}") from error
        if self._progress is not None:
            self._progress(min(self._raw.tell(), self.file_size), self.file_size)
        return part


@contextmanager
def open_stream(path: Path, *, progress: Progress | None = None) -> Iterator[Stream]:
    """A file's content, decompressed if it is gzip, bzip2, xz or zip by its first bytes."""
    try:
        raw = open(path, "rb")  # noqa: SIM115 - closed below, with what is wrapped around it
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    with raw:
        magic = raw.read(6)
        raw.seek(0)
        with _decompressed(path, raw, magic) as content:
            yield Stream(path, raw, content, progress)


@contextmanager
def _decompressed(path: Path, raw: BinaryIO, magic: bytes) -> Iterator[BinaryIO]:
    if magic.startswith(b"\x1f\x8b"):
        with gzip.GzipFile(fileobj=raw) as content:
            yield cast(BinaryIO, content)
    elif magic.startswith(b"BZh"):
        with bz2.BZ2File(raw) as content:
            yield cast(BinaryIO, content)
    elif magic.startswith(b"\xfd7zXZ\x00"):
        with lzma.LZMAFile(raw) as content:
            yield cast(BinaryIO, content)
    elif magic.startswith(b"PK\x03\x04"):
        with _zip_member(path, raw) as content:
            yield content
    else:
        yield raw


@contextmanager
def _zip_member(path: Path, raw: BinaryIO) -> Iterator[BinaryIO]:
    try:
        archive = zipfile.ZipFile(raw)
        member = archive.open(choose_member(path, archive.namelist()))
    except BROKEN as error:
        raise InputError(f"{path}: truncated or damaged: {error}") from error
    with archive, member:
        yield cast(BinaryIO, member)


def choose_member(path: Path, names: list[str]) -> str:
    """The one file in an archive that holds vectors, by its name."""
    files = [name for name in names if not name.endswith("/") and "__MACOSX" not in name]
    if len(files) == 1:
        return files[0]
    likely = [name for name in files if name.lower().endswith(VECTOR_SUFFIXES)]
    same = [name for name in likely if Path(name).stem == path.stem or Path(name).name == path.stem]
    for choice in (likely, same):
        if len(choice) == 1:
            return choice[0]
    found = ", ".join(files[:8]) or "nothing"
    raise InputError(f"{path}: must hold one file of vectors; holds {found}. Unpack the one wanted")
