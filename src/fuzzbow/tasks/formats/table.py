"""A table as its columns and batches of records, and what a format of tables can do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from fuzzbow.errors import InputError
from fuzzbow.streams import check_encoding
from fuzzbow.text import whole_text

Record = dict[str, Any]  # one row: column -> value
Records = list[Record]
Write = Callable[[Records], None]


@dataclass(frozen=True)
class Reading:
    """How to read a table, where its name and its content do not tell or tell wrong."""

    format: str | None = None  # the name of a format, whatever the file is called
    delimiter: str | None = None  # between the fields of CSV; seen from the header unless given
    encoding: str | None = None  # of text; UTF-8, or UTF-16 by its first bytes, unless given
    skip_bad: bool = False  # pass over malformed rows, and count them

    def __post_init__(self) -> None:
        """Refuse what no reader could use."""
        if self.encoding is not None:
            check_encoding(self.encoding)
        if self.delimiter is not None and (len(self.delimiter) != 1 or self.delimiter in '\r\n"\0'):
            raise InputError(
                f"delimiter must be one character, such as ; or a tab; got {self.delimiter!r:.20}"
            )


AS_IT_IS = Reading()


@dataclass
class BadRows:
    """Malformed rows that were passed over: how many, and what was wrong with the first."""

    count: int = 0
    first: str = ""

    def pass_over(self, error: InputError) -> None:
        """Count one."""
        self.first = self.first or str(error)
        self.count += 1


@dataclass(frozen=True)
class Table:
    """A file being read; `schema` is Parquet's, which has types to keep."""

    columns: list[str]
    batches: Iterator[Records]
    rows: int | None = None  # how many there are, if that is known before reading them
    schema: Any = None
    share: Callable[[], float] | None = None  # how much of the file has been read, from 0 to 1
    bad: BadRows = field(default_factory=BadRows)
    delimiter: str | None = None  # between the fields of CSV; the one of CSV made of it, too

    def total(self, done: int) -> int | None:
        """How many rows there are: as is known, or as the bytes of those read so far suggest."""
        share = self.share() if self.rows is None and self.share is not None else 0.0
        return max(done, round(done / share)) if share > 0 else self.rows


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

    @property
    def writable(self) -> bool:
        """Whether tables are written in it, too."""
        ...

    def read(self, path: Path, *, batch_rows: int, reading: Reading = AS_IT_IS) -> Table:
        """Open a file; its rows come in batches of at most `batch_rows`."""
        ...

    def writer(
        self, path: Path, name: Path, source: Table, added: dict[str, Any]
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
