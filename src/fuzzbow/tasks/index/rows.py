"""The rows of an index: ids, texts and metadata, by document number.

Documents are numbered as they are inserted. A number is never given twice while an index is
open, so a deleted row leaves a gap; compacting or opening anew numbers rows from 0 again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from fuzzbow.arrays import Booleans, Integers, blocks
from fuzzbow.encoding import ArrowTexts, Encoder, TokenIds
from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.tasks.files import BATCH_ROWS
from fuzzbow.tasks.index.condition import checked_condition
from fuzzbow.tasks.index.encoded import (
    TOKENS,
    UNKNOWN,
    token_columns,
    token_fields,
    words_of_columns,
)

Read = Callable[[], Any]  # gives an Arrow table when it is called


class RowsRemovedError(InputError):
    """Another process removed the version that is open; the newest must be loaded."""


class Rows(Protocol):
    """What the two kinds of rows, in memory and on disk, have in common."""

    @property
    def schema(self) -> Any:
        """Arrow fields id, text and those of the metadata."""
        ...

    @property
    def next_id(self) -> int:
        """The first id that was never given."""
        ...

    def __len__(self) -> int:
        """How many rows there are."""
        ...

    def writing(self) -> AbstractContextManager[object]:
        """Keep writers of other processes out; may wait for one of them."""
        ...

    def catch_up(self) -> bool:
        """Load what another process has written; whether there was anything new."""
        ...

    def stage(self, tables: Iterable[Any]) -> Any:
        """Take rows with their tokens, a table at a time, for `append`; nobody sees them yet."""
        ...

    def append(self, staged: Any, next_id: int) -> None:
        """Add staged rows, all or none."""
        ...

    def replace(self, staged: Any, next_id: int, ids: Any, documents: Integers) -> None:
        """Add staged rows and remove those of some ids, all or none."""
        ...

    def delete(self, ids: Any, documents: Integers) -> None:
        """Remove rows, all or none."""
        ...

    def compact(self, keep_versions: int | None) -> None:
        """Give back what deleted rows took."""
        ...

    def reload(self) -> None:
        """Load the newest state, also after an interrupted change; numbers begin at 0."""
        ...

    def ids(self) -> Any:
        """Ids of all rows in order, as an Arrow array."""
        ...

    def documents(self) -> Integers:
        """Document numbers of all rows in order."""
        ...

    def words(self, encoder: Encoder) -> TokenIds:
        """The words of all rows in order."""
        ...

    def batches(self, encoder: Encoder) -> Iterator[Any]:
        """All rows with their tokens, as Arrow tables of a bounded size."""
        ...

    def reader(self, documents: Integers) -> Read:
        """Reads the rows of documents as they are now, whenever it is called."""
        ...

    def allowed(self, where: str) -> Booleans:
        """Which documents an SQL condition is true of: (documents,)."""
        ...


_user: list[int] = []  # the process that began to use Lance


def import_lance() -> Any:
    """The Lance library, or an error that names the extra or a process that cannot use it."""
    try:
        import lance
    except ImportError as error:
        raise MissingExtraError("pylance", "index") from error
    _user[:] = _user or [os.getpid()]
    if _user != [os.getpid()]:
        raise InputError(
            "an index on disk, and where, cannot be used in a process that was forked from one"
            " which used them: Lance's threads do not survive a fork. Start the process with"
            ' multiprocessing.get_context("spawn") or "forkserver", and open the index in it:'
            " fuzzbow.open_index(path)"
        )
    return lance


def matching(dataset: Any, where: str, columns: list[str]) -> Booleans:
    """Rows of a Lance dataset, in order, that an SQL condition is true of: (rows,)."""
    condition = checked_condition(where, columns)
    try:
        table = dataset.scanner(columns={"keep": condition, "id": "id"}).to_table()
    except ValueError as error:
        raise InputError(_misfit(dataset.schema, where, columns, str(error))) from error
    keep = table.column("keep")
    if str(keep.type) != "bool":
        raise InputError(f"where must be true or false of a row; {where!r} is of type {keep.type}")
    return np.asarray(keep.fill_null(False).to_numpy(), dtype=np.bool_)


def _misfit(schema: Any, where: str, columns: list[str], reason: str) -> str:
    """Why a condition that can be read cannot be computed."""
    if "Divide by zero" in reason:
        return f"where must not divide by zero; {where!r:.200} does"
    kinds = ", ".join(f"{name} {schema.field(name).type}" for name in columns)
    return (
        f"where must compare like with like, a date as date '2020-01-31'; {where!r:.200} does not"
        f" fit the columns {kinds}"
    )


class MemoryRows:
    """Rows in an Arrow table; deleted ones stay in it until the next compaction."""

    def __init__(self, table: Any, next_id: int) -> None:
        self._state = _State(table, np.ones(table.num_rows, dtype=np.bool_), next_id)

    @property
    def schema(self) -> Any:
        """Arrow fields id, text and those of the metadata."""
        import pyarrow as pa

        return pa.schema([field for field in self._state.table.schema if field.name[0] != "_"])

    @property
    def next_id(self) -> int:
        """The first id that was never given."""
        return self._state.next_id

    def __len__(self) -> int:
        return self._state.rows

    def table(self) -> Any:
        """The rows that are left, as an Arrow table."""
        return self._state.table.filter(self._state.alive).select(self.schema.names)

    def writing(self) -> AbstractContextManager[object]:
        """No other process knows of these rows."""
        return nullcontext()

    def catch_up(self) -> bool:
        """Nobody else can change them."""
        return False

    def stage(self, tables: Iterable[Any]) -> Any:
        """Take rows; their tokens are not kept."""
        import pyarrow as pa

        names = self.schema.names
        return pa.concat_tables([table.select(names) for table in tables])

    def append(self, staged: Any, next_id: int) -> None:
        """Add staged rows."""
        import pyarrow as pa

        joined = pa.concat_tables([self._state.table.select(self.schema.names), staged])
        alive = np.concatenate([self._state.alive, np.ones(staged.num_rows, dtype=np.bool_)])
        self._state = _State(joined, alive, next_id)

    def replace(self, staged: Any, next_id: int, ids: Any, documents: Integers) -> None:
        """Add staged rows and remove those of some documents, which are there no longer."""
        before = self._state
        try:
            self.delete(ids, documents)
            self.append(staged, next_id)
        except BaseException:
            self._state = before
            raise

    def delete(self, ids: Any, documents: Integers) -> None:
        """Remove rows."""
        alive = self._state.alive.copy()
        alive[documents] = False
        self._state = _State(self._state.table, alive, self.next_id)

    def compact(self, keep_versions: int | None) -> None:
        """Copy the rows that are left."""
        table = self._state.table.filter(self._state.alive).combine_chunks()
        self._state = _State(table, np.ones(table.num_rows, dtype=np.bool_), self.next_id)

    def reload(self) -> None:
        """Number the rows from 0 again."""
        self.compact(None)

    def ids(self) -> Any:
        """Ids of all rows in order, as an Arrow array."""
        return self._state.table.column("id").filter(self._state.alive).combine_chunks()

    def documents(self) -> Integers:
        """Document numbers of all rows in order."""
        return np.flatnonzero(self._state.alive)

    def words(self, encoder: Encoder) -> TokenIds:
        """The words of all rows in order; after the first time, texts are split anew."""
        table = self._state.table.filter(self._state.alive)
        if TOKENS not in table.column_names:
            return encoder.word_ids(ArrowTexts(table.column("text")))
        columns = table.column(TOKENS), table.column(UNKNOWN)
        table = self._state.table.select(self.schema.names)
        self._state = _State(table, self._state.alive, self.next_id)
        return words_of_columns(*columns, known=len(encoder.vectors))

    def batches(self, encoder: Encoder) -> Iterator[Any]:
        """All rows with their tokens, as Arrow tables of a bounded size."""
        table = self._state.table.filter(self._state.alive)
        for part in blocks(table.num_rows, BATCH_ROWS):
            rows = table.slice(part.start, part.stop - part.start)
            words = encoder.word_ids(ArrowTexts(rows.column("text")))
            columns = token_columns(words, known=len(encoder.vectors))
            for field, column in zip(token_fields(), columns, strict=True):
                rows = rows.append_column(field, column)
            yield rows

    def reader(self, documents: Integers) -> Read:
        """Reads the rows of documents as they are now, whenever it is called."""
        table = self._state.table
        return lambda: table.take(documents)

    def allowed(self, where: str) -> Booleans:
        """Which documents an SQL condition is true of: (documents,)."""
        return self._state.matching(where)


class _State:
    """An immutable state of the rows, so that a change is one assignment."""

    def __init__(self, table: Any, alive: Booleans, next_id: int) -> None:
        self.table, self.alive, self.next_id = table, alive, next_id
        self.rows = int(alive.sum())  # once: every search asks
        self.matching = lru_cache(maxsize=8)(self._matching)

    def _matching(self, where: str) -> Booleans:
        """By the same engine as on disk."""
        dataset = import_lance().write_dataset(self.table, "memory://")
        return matching(dataset, where, self.table.column_names)
