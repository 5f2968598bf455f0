"""Parts of a run: files that tasks write, each with a record of its origin and its content.

The record is a hidden file beside the part. It is written last and holds digests of what the part
was made from (the task, its options and the content of its inputs) and of the part's bytes, behind
a digest of the record itself. A part is believed only if all three agree, so that a damaged one,
one of another run and one in the wrong location are made again.
"""

from __future__ import annotations

import json
import os
import shutil
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import fuzzbow
from fuzzbow.atomic import replacing
from fuzzbow.errors import InputError, LanguageWarning
from fuzzbow.file_digest import DigestedFile, content_digest, file_state, identity_of
from fuzzbow.tasks.index.sealed_file import sealed, unsealed

Counted = dict[str, int]  # numbers that a task reports, by name


class PartTask(Protocol):
    """A task that writes one file."""

    @property
    def out(self) -> str:
        """The file."""
        ...


Task = TypeVar("Task", bound=PartTask)


@dataclass(frozen=True)
class Part:
    """A finished part: its file, and what its task counted."""

    file: DigestedFile
    counted: Counted


@dataclass(frozen=True)
class RecordedTask(Generic[Task]):
    """A function that writes a part, and then the record of the part."""

    function: Callable[[Task], Counted | None]

    def __call__(self, task: Task) -> None:
        """Run the task; of the language of texts the driver warns once for all tasks."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LanguageWarning)
            counted = self.function(task) or {}
        record = {
            "made_of": self.origin(task),
            "digest": content_digest(task.out),
            "counted": counted,
        }
        write_whole_file(record_path(task.out), sealed(record))

    def origin(self, task: Task) -> str:
        """Digest of everything that decides the content of a task's part."""
        name = f"{self.function.__module__}.{self.function.__qualname__}"
        facts = [fuzzbow.__version__, name, identity_of(task)]
        return blake2b(json.dumps(facts).encode(), digest_size=20).hexdigest()

    def finished(self, task: Task, *, verify: bool) -> Part | None:
        """Return the part of a task if it is whole; to `verify` it, its content is read."""
        with suppress(OSError, InputError, KeyError):
            path = record_path(task.out)
            record = unsealed(path, path.read_bytes())
            state = file_state(task.out)
            if record["made_of"] == self.origin(task) and (
                not verify or content_digest(task.out) == record["digest"]
            ):
                return Part(DigestedFile(task.out, record["digest"], state), record["counted"])
        return None


def record_path(out: str) -> Path:
    """Return the path of a part's record, hidden so that a folder of parts is a data set."""
    return Path(out).with_name(f".{Path(out).stem}.json")


def discard(out: str) -> bool:
    """Remove whatever is where a part and its record should be; True if both were there."""
    there = record_path(out).exists() and os.path.lexists(out)
    for path in (record_path(out), Path(out)):  # the record first, without which no part counts
        remove(path)
    return there


def remove(path: Path) -> None:
    """Remove a file or a folder, if there is one."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def write_whole_file(path: Path, content: bytes) -> None:
    """Write a small file that appears whole or not at all."""
    with replacing(path) as beside:
        beside.write_bytes(content)


def read_sealed_file(path: Path) -> dict[str, Any] | None:
    """Read a small sealed file; None if it is missing or damaged."""
    with suppress(OSError, InputError):
        return unsealed(path, path.read_bytes())
    return None
