"""Rows of a command's data sets: streamed, in a temporary file, or in shards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from fuzzbow.arrays import blocks
from fuzzbow.io.tables import BadRows, Write, concat, read_table, spooled
from fuzzbow.pipeline.shards import RowTexts, Source
from fuzzbow.plurals import counted
from fuzzbow.progress import ProgressOption, open_progress

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK_ROWS = 131_072  # rows that are written together
Sink = Callable[[Any, str | None], AbstractContextManager[Write]]  # of a schema and a delimiter


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

    @classmethod
    def of_shards(cls, source: Source, texts: RowTexts) -> Rows:
        """Make the rows of a data set in shards."""
        import pyarrow as pa

        shards = [part.shard for part in texts.parts]
        ids = None
        if source.id_name is not None:
            parts = (shard.table([source.id_name])[source.id_name] for shard in shards)
            ids = pa.chunked_array(chain.from_iterable(part.chunks for part in parts))

        def tables() -> Iterator[pa.Table]:
            return (shard.table() for shard in shards)

        return cls(source, shards[0].schema, texts.delimiter, texts.bad, tables, texts, ids)

    def read_all(self) -> pa.Table:
        """Read all rows into memory."""
        parts = [part for table in self.tables() for part in table.to_batches()]
        return concat(parts, self.schema).combine_chunks()

    def total(self, done: int) -> int | None:
        """Return the number of rows if it is known or can be estimated."""
        return self.source.table.total(done) if len(self.source.files) == 1 else None

    def messages(self) -> list[str]:
        """Describe malformed rows and repeated ids."""
        import pyarrow.compute as pc

        name, found = self.source.files[0], []
        if self.bad.count:
            rows = counted(self.bad.count, "malformed row")
            found.append(f"{name}: {rows} skipped; the first: {self.bad.first}")
        if self.ids is not None:
            repeated = len(self.ids) - pc.count_distinct(self.ids, mode="all").as_py()
            if repeated:
                found.append(f"{name}: {counted(repeated, 'repeated id')}")
        return found


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
        ids = None if source.id_name is None else rows[source.id_name]

        def parts() -> Iterator[pa.Table]:
            for part in blocks(len(rows), BLOCK_ROWS):
                yield rows.slice(part.start, part.stop - part.start)

        texts = source.text.column(rows)
        yield replace(streamed, schema=rows.schema, tables=parts, texts=texts, ids=ids)
