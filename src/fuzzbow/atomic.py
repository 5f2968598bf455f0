"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from fuzzbow.errors import InputError


@contextmanager
def replacing(path: Path, *, keep_rows: bool = False) -> Iterator[Path]:
    """A path beside `path` to write to, which takes its place at the end.

    Until then what was at `path` stays, and any other end leaves nothing; but with
    `keep_rows`, bad input half-way leaves what was written before it, under another name.
    """
    beside = _beside(path)
    try:
        yield beside
        _onto_disk(beside)
        beside.replace(path)
    except InputError as error:
        if not (keep_rows and beside.exists()):
            raise
        kept = path.with_name(f"partial-{path.name}")
        _onto_disk(beside)
        beside.replace(kept)
        raise InputError(f"{error} (the rows before it are in '{kept}')") from error
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def replacing_all(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """Paths beside several files, which take their places together, the last path last.

    None is replaced before all are whole and on the disk; any other end leaves nothing.
    """
    written = [_beside(path) for path in paths]
    try:
        yield written
        for beside in written:
            _onto_disk(beside)
        for beside, path in zip(written, paths, strict=True):
            beside.replace(path)
    finally:
        for beside in written:
            beside.unlink(missing_ok=True)


def check_output(path: Path) -> None:
    """A file must be able to be at `path`."""
    if path.is_dir():
        raise InputError(f"output must be a file; '{path}' is a directory")
    if not path.parent.is_dir():
        raise InputError(f"output must be in an existing folder; there is no '{path.parent}'")


def _beside(path: Path) -> Path:
    """Where to write what will be at `path`."""
    check_output(path)
    return path.with_name(f".{path.name}.{os.getpid()}.partial")


def _onto_disk(written: Path) -> None:
    """Make sure that a file is on the disk."""
    with written.open("rb+") as file:
        os.fsync(file.fileno())
