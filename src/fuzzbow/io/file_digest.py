"""Files identified by a digest of their content.

A digest is computed once and stored with the path, in tasks and in cache keys. Reading the whole
file again at each use would cost too much, so `check` first compares the state of the file (device,
inode, size, times of change and of modification): a file that was written to or replaced since has
another time of change, which no program can set. Only if these differ, as for a copy on another
machine, is the content read and compared.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from fuzzbow.errors import InputError

READ_BYTES = 1 << 22  # at a time
DIGEST_BYTES = 20
State = tuple[int, ...]


@dataclass(frozen=True)
class DigestedFile:
    """File with the digest of its content; equal if path and content are equal."""

    path: str
    digest: str
    state: State = field(compare=False)  # when its content was last known to have the digest

    @classmethod
    def of(cls, path: str | Path) -> DigestedFile:
        """Compute the digest of a file."""
        whole = str(Path(path).resolve())
        state = file_state(whole)
        digest = content_digest(whole)
        if file_state(whole) != state:
            raise _changed(whole)
        return cls(whole, digest, state)

    def check(self) -> None:
        """Raise an InputError unless the file still has this content."""
        state = file_state(self.path)
        if state != self.state and _digest_at(self.path, state) != self.digest:
            raise _changed(self.path)

    @contextmanager
    def reading(self) -> Iterator[str]:
        """Yield the path; raise InputError if the content does not match the digest."""
        self.check()
        try:
            yield self.path
        except Exception:
            self.check()  # which explains the error, if the file was changed
            raise
        self.check()


def file_state(path: str | Path) -> State:
    """Return the state of a file in the file system, which changes when the file does."""
    try:
        found = os.stat(path)
    except FileNotFoundError as error:
        raise InputError(f"'{path}' was removed while it was in use") from error
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def content_digest(path: str | Path) -> str:
    """Compute the digest of the bytes of a file."""
    digest = blake2b(digest_size=DIGEST_BYTES)
    with open(path, "rb") as file:
        while block := file.read(READ_BYTES):
            digest.update(block)
    return digest.hexdigest()


def identity_of(value: Any) -> Any:
    """Convert a value to data for JSON, with files by their digest instead of their path."""
    if isinstance(value, DigestedFile):
        return value.digest
    if is_dataclass(value) and not isinstance(value, type):
        parts = (identity_of(getattr(value, part.name)) for part in fields(value))
        return [type(value).__name__, *parts]
    if isinstance(value, set | frozenset):  # whose order differs between processes
        return sorted(identity_of(part) for part in value)
    if isinstance(value, tuple | list):
        return [identity_of(part) for part in value]
    if isinstance(value, dict):
        return {str(name): identity_of(part) for name, part in value.items()}
    if isinstance(value, Enum):
        return value.value
    return str(value) if isinstance(value, Path) else value


@lru_cache(maxsize=1024)
def _digest_at(path: str, state: State) -> str:
    return content_digest(path)


def _changed(path: str) -> InputError:
    return InputError(f"'{path}' was changed while it was in use; start again")
