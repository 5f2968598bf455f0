"""Files of rows before any version refers to them, and whether the disk took them whole."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from fuzzbow.tasks.files import BATCH_ROWS

STORAGE = "2.1"  # of the Lance file format
FILE_ROWS = 8 * BATCH_ROWS  # rows of one file; so many are in memory while they are written


def write_fragments(path: str, tables: Iterable[Any], *, new: bool = False) -> list[Any]:
    """Write tables into files of a bounded size; `new` where there is no version at all."""
    from lance.fragment import write_fragments as write

    mode = "create" if new else "append"
    found: list[Any] = []
    for table in _gathered(tables):
        fragments = write(table, path, mode=mode, data_storage_version=STORAGE)
        for fragment in fragments:
            check_sizes(Path(path), fragment)
        found += fragments
    return found


def _gathered(tables: Iterable[Any]) -> Iterator[Any]:
    """Tables of about `FILE_ROWS` rows, out of smaller ones; empty ones are left out."""
    import pyarrow as pa

    waiting: list[Any] = []
    for table in tables:
        waiting += [table] if table.num_rows else []
        if sum(part.num_rows for part in waiting) >= FILE_ROWS:
            yield pa.concat_tables(waiting)
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting)


def check_sizes(folder: Path, fragment: Any) -> None:
    """The files of a fragment must be as long as they were meant to be."""
    for file in fragment.files:
        path = folder / "data" / file.path
        if path.stat().st_size != file.file_size_bytes:
            raise OSError(errno.ENOSPC, "the disk is full: a file was cut short", str(path))
