"""Formats that are lines of text: any of them may be compressed, or printed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from fuzzbow.streams import WRITERS
from fuzzbow.tasks.formats.lines import Lines, batched
from fuzzbow.tasks.formats.table import AS_IT_IS, Reading, Record, Table, Write


@dataclass(frozen=True)
class TextFormat:
    """A text format, made of a function that reads and one that writes."""

    name: str
    suffixes: tuple[str, ...]
    records: Callable[[Lines], tuple[list[str], Iterator[Record]]]  # lines -> columns, records
    # an open stream, columns, the delimiter of the source if it is CSV -> what writes records
    write: Callable[[IO[str], list[str], str | None], Write]
    one_line: bool = False
    writable: bool = True

    def read(self, path: Path, *, batch_rows: int, reading: Reading = AS_IT_IS) -> Table:
        """Open a file; its rows come in batches of at most `batch_rows`."""
        lines = Lines(path, reading)
        columns, records = self.records(lines)
        batches = batched(records, lines, batch_rows)
        return Table(
            columns,
            batches,
            share=lambda: lines.share,
            bad=lines.bad,
            delimiter=lines.delimiter,
        )

    @contextmanager
    def writer(
        self, path: Path, name: Path, source: Table, added: dict[str, Any]
    ) -> Iterator[Write]:
        """Write records to `path`, compressed as the end of `name` tells."""
        opener = WRITERS.get(name.suffix, open)
        with opener(path, "wt", encoding="utf-8", newline="") as stream:
            yield self.write(stream, [*source.columns, *added], source.delimiter)
