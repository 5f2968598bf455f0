"""Rows of an index in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from fuzzbow.arrays import Booleans, Integers, blocks
from fuzzbow.encoding import ArrowTexts, Encoder, TokenIds
from fuzzbow.index.condition import matching
from fuzzbow.index.documents import TOKENS, with_tokens, words_of_columns
from fuzzbow.index.store import Read, Store, import_lance, own_fields
from fuzzbow.io.tables import BATCH_ROWS


class MemoryStore(Store):
    """Rows in an Arrow table; deleted rows are kept in it until the next compaction."""

    _table: Any

    def __init__(self, table: Any, next_id: int) -> None:
        self.next_id, self.schema = next_id, own_fields(table.schema)
        self._set(table.num_rows, _table=table)

    def _left(self) -> Any:
        """Return the rows that are not deleted."""
        return self._table.filter(self._kept())

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the rows that are left, without their tokens."""
        return MemoryStore, (self._left().select(self.schema.names), self.next_id)

    def stage(self, tables: Iterable[Any]) -> Any:
        """Stage rows; their tokens are not kept."""
        import pyarrow as pa

        return pa.concat_tables([table.select(self.schema.names) for table in tables])

    def replace(self, staged: Any, next_id: int, ids: Any, documents: Integers) -> None:
        import pyarrow as pa

        table = self._table.select(self.schema.names)
        table = pa.concat_tables([table, table.slice(0, 0) if staged is None else staged])
        self._change(len(table) - self._total, documents, _table=table, next_id=next_id)

    def compact(self, keep_versions: int | None) -> None:
        table = self._left().combine_chunks()
        self._set(table.num_rows, _table=table)

    def reload(self) -> None:
        self.compact(None)

    def ids(self) -> Any:
        return self._table.column("id").filter(self._kept()).combine_chunks()

    def words(self, encoder: Encoder) -> Iterator[TokenIds]:
        """Yield the words of all rows in order; from the second time on, texts are split again."""
        table = self._left()
        if TOKENS not in table.column_names:
            yield encoder.word_ids(ArrowTexts(table.column("text")))
            return
        self._table = self._table.select(self.schema.names)
        yield words_of_columns(table, known=len(encoder.vectors))

    def batches(self, encoder: Encoder) -> Iterator[Any]:
        table = self._left().select(self.schema.names)
        for part in blocks(table.num_rows, BATCH_ROWS):
            rows = table.slice(part.start, part.stop - part.start)
            yield with_tokens(rows, encoder.word_ids(ArrowTexts(rows.column("text"))), encoder)

    def reader(self, documents: Integers) -> Read:
        table = self._table
        return lambda: table.take(documents)

    def matching(self, where: str) -> Booleans:
        """Evaluate a condition by the same engine as on disk."""
        names = self.schema.names
        dataset = import_lance().write_dataset(self._left().select(names), "memory://")
        return matching(dataset, where, names)
