"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fuzzbow.errors import InputError


@contextmanager
def replacing(path: Path, *, keep_rows: bool = False) -> Iterator[Path]:
    """A path beside `path` to write to, which takes its place at the end.

    Until then what was at `path` stays, and any other end leaves nothing; but with
    `keep_rows`, bad input half-way leaves what was written before it, under another name.
    """
    if path.is_dir():
        raise InputError(f"output must be a file; '{path}' is a directory")
    if not path.parent.is_dir():
        raise InputError(f"output must be in an existing folder; there is no '{path.parent}'")
    beside = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        yield beside
        _into_place(beside, path)
    except InputError as error:
        if not (keep_rows and beside.exists()):
            raise
        kept = path.with_name(f"partial-{path.name}")
        _into_place(beside, kept)
        raise InputError(f"{error} (the rows before it are in '{kept}')") from error
    finally:
        beside.unlink(missing_ok=True)


def _into_place(written: Path, path: Path) -> None:
    """Make sure that a file is on the disk, then give it its name."""
    with written.open("rb+") as file:
        os.fsync(file.fileno())
    written.replace(path)
