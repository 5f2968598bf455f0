"""Tables in files, streamed in and out.

A table is its columns and batches of records. Whatever text a row holds can be written: a
lone surrogate is escaped in JSON, as it came, and becomes U+FFFD elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from fuzzbow.atomic import replacing
from fuzzbow.errors import InputError
from fuzzbow.tasks.formats import (
    AS_IT_IS,
    Reading,
    Records,
    Table,
    Write,
    format_named,
    format_of,
)

BATCH_ROWS = 16_384  # rows that are read, scored or stored at once


def read_table(path: Path, *, batch_rows: int, reading: Reading = AS_IT_IS) -> Table:
    """Open a table; its rows come in batches of at most `batch_rows`."""
    kind = format_of(path) if reading.format is None else format_named(reading.format)
    if not path.is_file():
        what = "a directory" if path.is_dir() else "nothing there"
        raise InputError(f"'{path}' must be a file; got {what}")
    return kind.read(path, batch_rows=batch_rows, reading=reading)


@contextmanager
def table_writer(path: Path, source: Table, added: dict[str, Any]) -> Iterator[Write]:
    """Write records of a source, with `added` columns (name -> Arrow type), to a file.

    The file appears when the block ends without an error; until then what was at
    `path` stays as it was.
    """
    format_of(path, writing=True)  # an error before anything is written
    written = 0
    with (
        replacing(path, count_rows=lambda: written) as beside,
        part_writer(beside, path, source, added) as write,
    ):

        def write_and_count(records: Records) -> None:
            nonlocal written
            write(records)
            written += len(records)

        yield write_and_count


def part_writer(
    beside: Path, path: Path, source: Table, added: dict[str, Any]
) -> AbstractContextManager[Write]:
    """Write such records to a file beside `path`, in the format that the name of `path` tells."""
    return format_of(path, writing=True).writer(beside, path, source, added)
