"""Data sets of files, and their rows: streamed, in a temporary file, or in shards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fuzzbow.arrays import blocks
from fuzzbow.encoding.text_columns import TextColumns, choose_columns
from fuzzbow.errors import InputError
from fuzzbow.io.outputs import check_paths
from fuzzbow.io.tables import (
    AS_IT_IS,
    BadRows,
    Reading,
    Table,
    Write,
    concat,
    format_of,
    read_table,
    spooled,
)
from fuzzbow.plurals import counted
from fuzzbow.progress import ProgressOption, open_progress

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK_ROWS = 131_072  # rows that are written together
Sink = Callable[[Any, str | None], AbstractContextManager[Write]]  # of a schema and a delimiter
Files = str | PathLike[str] | Sequence[str | PathLike[str]]


@dataclass(frozen=True)
class Source:
    """Files of a data set, and the columns of their texts and ids."""

    files: list[Path]
    text: TextColumns
    reading: Reading
    id_name: str | None
    table: Table  # the first file, open at its first row

    @classmethod
    def of(
        cls,
        files: Files,
        name: str,
        text: str | Sequence[str] | None,
        *,
        reading: Reading = AS_IT_IS,
        id_name: str | None = None,
        option: str = "",
    ) -> Source:
        """Find the files and columns; the data set is called `name` in errors."""
        found = find_files(files, name)
        table, first = read_table(found[0], reading), str(found[0])
        chosen = choose_columns(text, table.columns, first, id_name=id_name, option=option)
        return cls(found, chosen, reading, id_name, table)

    @property
    def columns(self) -> list[str]:
        """Names of all columns."""
        return self.table.columns

    def check_new(self, names: Iterable[str]) -> None:
        """Raise an InputError if there are columns of these names."""
        clash = [name for name in names if name in self.columns]
        if clash:
            raise InputError(
                f"{self.files[0]}: has columns {', '.join(clash)} already; rename them"
            )


def find_files(given: Files, name: str) -> list[Path]:
    """Return the files of a data set in order: one, several, or all tables of a folder by name."""
    paths = [Path(given)] if isinstance(given, str | PathLike) else [Path(path) for path in given]
    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        for file in sorted(path.iterdir()):
            with suppress(InputError):  # of a file that is no table
                if file.is_file() and not file.name.startswith(".") and format_of(file):
                    found.append(file)
    if not found:
        raise InputError(f"{name} must be tables, or a folder of them; got {given!r:.200}")
    for path in found:
        if not path.is_file():
            raise InputError(f"no such file: '{path}'")
    return found


def check_outputs(outputs: Mapping[str, Path], sources: Sequence[Source]) -> None:
    """Check the formats of outputs, and that none is another file of the work."""
    for path in outputs.values():
        format_of(path, writing=True)
    inputs = {f"'{path}'": path for source in sources for path in source.files}
    check_paths(inputs=inputs, outputs=outputs)


def bad_rows(path: str | PathLike[str], bad: BadRows) -> list[str]:
    """Describe the malformed rows of a file, if any were skipped."""
    if not bad.count:
        return []
    return [f"{path}: {counted(bad.count, 'malformed row')} skipped; the first: {bad.first}"]


def describe_empty(count: int) -> str:
    """Write the end of a message: the number of empty texts, if any."""
    return f"; {count} had an empty text" if count else ""


@dataclass(frozen=True)
class Rows:
    """Rows of a data set, a bounded number at a time."""

    source: Source
    schema: pa.Schema
    delimiter: str | None
    bad: BadRows
    tables: Callable[[], Iterator[pa.Table]]  # once, if they are streamed
    texts: Sequence[str] = ()  # unless they are streamed
    ids: Any = None  # Arrow array of the column of ids

    @classmethod
    def streamed(cls, source: Source) -> Rows:
        """Make the rows of files, which can be read once."""
        import pyarrow as pa

        first = source.table
        rest = [read_table(path, source.reading) for path in source.files[1:]]

        def tables() -> Iterator[pa.Table]:
            for batch in chain.from_iterable(table.batches for table in (first, *rest)):
                yield pa.Table.from_batches([batch])

        return cls(source, first.schema, first.delimiter, first.bad, tables)

    def read_all(self) -> pa.Table:
        """Read all rows into memory."""
        parts = [part for table in self.tables() for part in table.to_batches()]
        return concat(parts, self.schema).combine_chunks()

    def total(self, done: int) -> int | None:
        """Return the number of rows, or an estimate, or None."""
        return self.source.table.total(done) if len(self.source.files) == 1 else None

    def messages(self) -> list[str]:
        """Describe malformed rows and repeated ids."""
        import pyarrow.compute as pc

        name = self.source.files[0]
        ids = [] if self.ids is None else self.ids
        repeated = len(ids) - pc.count_distinct(ids, mode="all").as_py() if len(ids) else 0
        ending = [f"{name}: {counted(repeated, 'repeated id')}"] if repeated else []
        return bad_rows(name, self.bad) + ending


@contextmanager
def open_rows(source: Source, progress: ProgressOption = None) -> Iterator[Rows]:
    """Read the files of a data set once, into a temporary file."""
    streamed, first = Rows.streamed(source), source.table

    def batches() -> Iterator[Any]:
        done = 0
        with open_progress(progress, "reading") as on_progress:
            for table in streamed.tables():
                yield from table.to_batches()
                done += len(table)
                on_progress(done, streamed.total(done))

    with spooled(replace(first, batches=batches())) as rows:

        def parts() -> Iterator[pa.Table]:
            for part in blocks(len(rows), BLOCK_ROWS):
                yield rows.slice(part.start, part.stop - part.start)

        ids = None if source.id_name is None else rows[source.id_name]
        texts = source.text.column(rows)
        yield replace(streamed, schema=rows.schema, tables=parts, texts=texts, ids=ids)
