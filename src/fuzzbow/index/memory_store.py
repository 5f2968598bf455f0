"""Rows of an index in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans, Integers, blocks
from fuzzbow.encoding import ArrowTexts, Encoder, TokenIds
from fuzzbow.errors import InputError
from fuzzbow.index.condition import matching
from fuzzbow.index.documents import TOKENS, UNKNOWN, with_tokens, words_of_columns
from fuzzbow.index.store import Read, Store, import_lance
from fuzzbow.io.tables import BATCH_ROWS


class MemoryStore(Store):
    """Rows in an Arrow table; deleted rows are kept in it until the next compaction."""

    _table: Any
    _alive: Booleans
    _next_id: int
    _rows: int
    _matching: Callable[[str], Booleans]

    def __init__(self, table: Any, next_id: int) -> None:
        self._use(table, np.ones(table.num_rows, dtype=np.bool_), next_id)

    def _use(self, table: Any, alive: Booleans, next_id: int) -> None:
        """Change all attributes in one step, which Ctrl-C cannot interrupt."""
        self.__dict__.update(
            _table=table,
            _alive=alive,
            _next_id=next_id,
            _rows=int(alive.sum()),  # cached: each search needs it
            _matching=lru_cache(maxsize=8)(partial(_matching, table)),
        )

    @property
    def schema(self) -> Any:
        import pyarrow as pa

        return pa.schema([field for field in self._table.schema if field.name[0] != "_"])

    @property
    def next_id(self) -> int:
        return self._next_id

    def __len__(self) -> int:
        return self._rows

    def _left(self) -> Any:
        """Return the rows that are not deleted."""
        return self._table.filter(self._alive)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the rows that are left, without their tokens."""
        return MemoryStore, (self._left().select(self.schema.names), self.next_id)

    def restore(self, version: int) -> None:
        raise InputError("only an index on disk has versions; this one is in memory")

    def stage(self, tables: Iterable[Any]) -> Any:
        """Take rows; their tokens are not kept."""
        import pyarrow as pa

        names = self.schema.names
        return pa.concat_tables([table.select(names) for table in tables])

    def replace(self, staged: Any, next_id: int, ids: Any, documents: Integers) -> None:
        import pyarrow as pa

        alive = np.concatenate([self._alive, np.ones(staged.num_rows, dtype=np.bool_)])
        alive[documents] = False
        table = pa.concat_tables([self._table.select(self.schema.names), staged])
        self._use(table, alive, next_id)

    def delete(self, ids: Any, documents: Integers) -> None:
        alive = self._alive.copy()
        alive[documents] = False
        self._use(self._table, alive, self.next_id)

    def compact(self, keep_versions: int | None) -> None:
        table = self._left().combine_chunks()
        self._use(table, np.ones(table.num_rows, dtype=np.bool_), self.next_id)

    def reload(self) -> None:
        self.compact(None)

    def ids(self) -> Any:
        return self._table.column("id").filter(self._alive).combine_chunks()

    def documents(self) -> Integers:
        return np.flatnonzero(self._alive)

    def words(self, encoder: Encoder) -> Iterator[TokenIds]:
        """Yield the words of all rows in order; from the second time on, texts are split again."""
        table = self._left()
        if TOKENS not in table.column_names:
            yield encoder.word_ids(ArrowTexts(table.column("text")))
            return
        columns = table.column(TOKENS), table.column(UNKNOWN)
        self._use(self._table.select(self.schema.names), self._alive, self.next_id)
        yield words_of_columns(*columns, known=len(encoder.vectors))

    def batches(self, encoder: Encoder) -> Iterator[Any]:
        table = self._left().select(self.schema.names)
        for part in blocks(table.num_rows, BATCH_ROWS):
            rows = table.slice(part.start, part.stop - part.start)
            yield with_tokens(rows, encoder.word_ids(ArrowTexts(rows.column("text"))), encoder)

    def reader(self, documents: Integers) -> Read:
        table = self._table
        return lambda: table.take(documents)

    def allowed(self, where: str) -> Booleans:
        return self._matching(where)


def _matching(table: Any, where: str) -> Booleans:
    """Evaluate a condition by the engine that is used on disk, too."""
    dataset = import_lance().write_dataset(table, "memory://")
    return matching(dataset, where, table.column_names)
