"""A file of word vectors as its reader gets it."""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from pathlib import Path

from fuzzbow.progress import Progress
from fuzzbow.streams import Stream
from fuzzbow.vectors.formats.container import map_file


@dataclass(frozen=True)
class ReadOptions:
    """Options of a reader; `limit` counts entries of the file."""

    limit: int | None = None
    skip_bad: bool = False
    encoding: str = "utf-8"
    progress: Progress | None = None


@dataclass(frozen=True, eq=False)
class VectorFile:
    """An open file: recognised by `head`, then read from `stream` or from `content()`."""

    path: Path
    stream: Stream  # decompressed, at its first byte
    name: str  # of the vectors: the file's, without what tells only the format
    options: ReadOptions

    @property
    def head(self) -> bytes:
        """The first bytes, decompressed; all of them in a small file."""
        return self.stream.head

    @property
    def origin(self) -> str:
        """The path, as error messages begin with it."""
        return self.stream.origin

    def content(self) -> mmap.mmap | bytes:
        """All bytes: memory-mapped, or in memory where they had to be decompressed."""
        return self.stream.read_all() if self.stream.compression else map_file(self.path)
