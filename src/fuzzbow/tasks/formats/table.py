"""A table as its columns and batches of records, and what a format of tables can do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from fuzzbow.errors import InputError
from fuzzbow.text import whole_text

Record = dict[str, Any]  # one row: column -> value
Records = list[Record]
Write = Callable[[Records], None]


@dataclass(frozen=True)
class Table:
    """A file being read; `schema` is Parquet's, which has types to keep."""

    columns: list[str]
    batches: Iterator[Records]
    rows: int | None = None  # how many there are, if that is known before reading them
    schema: Any = None


class TableFormat(Protocol):
    """One format of table files."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def suffixes(self) -> tuple[str, ...]:
        """How names of its files end, in lower case, such as ".csv"."""
        ...

    @property
    def one_line(self) -> bool:
        """Whether no value may hold a line end."""
        ...

    def read(self, path: Path, *, batch_rows: int) -> Table:
        """Open a file; its rows come in batches of at most `batch_rows`."""
        ...

    def writer(
        self, path: Path, name: Path, source: Table, added: dict[str, str]
    ) -> AbstractContextManager[Write]:
        """Write records of a source, with `added` columns (name -> Arrow type), to `path`.

        The file will be called `name`, which may tell a compression.
        """
        ...


def stored_names(columns: list[str]) -> list[str]:
    """Column names that a file can hold, all different."""
    names = [whole_text(column) for column in columns]
    if len(set(names)) < len(names):
        raise InputError(f"column names must differ as text; got {columns}")
    return names
