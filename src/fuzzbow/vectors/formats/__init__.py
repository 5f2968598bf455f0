"""File formats of word vectors."""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fuzzbow.errors import DataError
from fuzzbow.progress import Progress
from fuzzbow.vectors.formats.container import map_file

if TYPE_CHECKING:
    from fuzzbow.io.streams import Stream


@dataclass(frozen=True)
class ReadOptions:
    """Options of a reader; `limit` counts entries of the file."""

    limit: int | None = None
    skip_bad: bool = False
    encoding: str = "utf-8"
    progress: Progress | None = None


@dataclass(frozen=True, eq=False)
class VectorFile:
    """Open file, recognised by `head`, then read from `stream` or `content()`."""

    path: Path
    stream: Stream  # decompressed, at its first byte
    name: str  # of the vectors: the name of the file without the suffixes of its format
    options: ReadOptions

    @property
    def head(self) -> bytes:
        """First decompressed bytes, or all of a small file."""
        return self.stream.head

    @property
    def origin(self) -> str:
        """Path, with which error messages begin."""
        return self.stream.origin

    def content(self) -> mmap.mmap | bytes:
        """Return all bytes, memory-mapped, or in memory if they had to be decompressed."""
        return self.stream.read_all() if self.stream.compression else map_file(self.path)

    def error(self, message: str) -> DataError:
        """Make an error about this file."""
        return DataError(f"{self.origin}: {message}")

    def decode(self, raw: Sequence[bytes]) -> tuple[list[str], list[int]]:
        """Decode words; return the decoded ones and their positions, and refuse or skip others."""
        words: list[str] = []
        positions: list[int] = []
        for position, word in enumerate(raw):
            try:
                words.append(word.decode(self.options.encoding))
                positions.append(position)
            except UnicodeDecodeError as error:
                if not self.options.skip_bad:
                    raise DataError(
                        f"{self.origin}, word {position + 1}: {word!r} is not"
                        f" {self.options.encoding}; give its encoding"
                    ) from error
        return words, positions
