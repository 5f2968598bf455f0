"""From texts, ids and metadata to tables of rows with tokens, a batch at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from fuzzbow.arrays import Ragged
from fuzzbow.errors import InputError
from fuzzbow.model.encoding import Encoder, check_texts
from fuzzbow.tasks.files import BATCH_ROWS, Progress
from fuzzbow.tasks.index import tokens
from fuzzbow.tasks.index.columns import (
    check_distinct,
    check_range,
    fit_metadata,
    id_column,
    metadata_table,
)

LARGEST_COUNTED = 2**62  # numbers go on after the ids up to here; older indexes hold larger ones


@dataclass(frozen=True)
class Given:
    """Some texts as a caller gave them; `ids` and `metadata` are Arrow columns or None."""

    texts: list[str]
    ids: Any
    metadata: Any


def check_given(texts: Iterable[str], ids: Any, metadata: Any) -> Given:
    """Texts, ids and metadata that belong together."""
    items = check_texts(texts, "texts")
    column = None if ids is None else id_column(ids)
    if column is not None and len(column) != len(items):
        raise InputError(
            f"texts and ids must have equal length; got {len(items)} and {len(column)}"
        )
    if column is not None:
        check_range(column)
        check_distinct(column)
    return Given(items, column, metadata_table(metadata, len(items)))


def in_batches(texts: Iterable[str], ids: Any, metadata: Any) -> tuple[Iterator[Given], int | None]:
    """The same in batches, and how many texts there are if that is known.

    Texts without ids and metadata may come from an iterator, and are then never all in memory.
    """
    if ids is None and metadata is None and isinstance(texts, Iterator):
        parts = iter(lambda: list(islice(texts, BATCH_ROWS)), [])
        return (check_given(part, None, None) for part in parts), None
    given = check_given(texts, ids, metadata)
    return cut(given, BATCH_ROWS), len(given.texts)


def cut(given: Given, size: int) -> Iterator[Given]:
    """Parts of at most so many texts; of no texts, one part."""
    for start in range(0, max(len(given.texts), 1), size):
        part = given.texts[start : start + size]
        yield Given(
            part,
            None if given.ids is None else given.ids.slice(start, len(part)),
            None if given.metadata is None else given.metadata.slice(start, len(part)),
        )


@dataclass(frozen=True)
class Made:
    """Rows with their tokens, and the same words as `Encoder.word_ids` gives them."""

    table: Any
    rows: Ragged
    unknown: list[str]
    next_id: int
    named: bool  # ids were given


def schema_for(given: Given) -> Any:
    """The columns of an index whose first texts these are."""
    import pyarrow as pa

    kind = pa.int64() if given.ids is None else given.ids.type
    metadata = [] if given.metadata is None else list(given.metadata.schema)
    return pa.schema(
        [pa.field("id", kind), pa.field("text", pa.large_string())]
        + [pa.field(field.name, field.type) for field in metadata]
    )


def make_rows(given: Given, schema: Any, next_id: int, encoder: Encoder) -> Made:
    """Rows of the index's own columns; ids that are not given are the next numbers."""
    import pyarrow as pa

    count = len(given.texts)
    ids = _ids(given, schema.field("id").type, next_id)
    columns = [ids, pa.array(given.texts, pa.large_string())]
    columns += fit_metadata(given.metadata, count, list(schema)[2:])
    rows, unknown = encoder.word_ids(given.texts)
    columns += tokens.to_columns(rows, unknown, len(encoder.vectors))
    table = pa.Table.from_arrays(columns, schema=pa.schema([*schema, *tokens.fields()]))
    return Made(table, rows, unknown, max(next_id, after(ids)), given.ids is not None)


def made_rows(
    batches: Iterable[Given],
    schema: Any,
    next_id: int,
    encoder: Encoder,
    progress: Progress | None = None,
    total: int | None = None,
) -> Iterator[Made]:
    """Rows of all batches; `progress` is told how many are done, each time they were taken."""
    done = 0
    for given in batches:
        made = make_rows(given, schema, next_id, encoder)
        next_id, done = made.next_id, done + len(given.texts)
        yield made
        if progress is not None:
            progress(done, total)


class Incoming:
    """Rows on their way into an index: tables are handed on, ids and words remembered."""

    def __init__(
        self, made: Iterator[Made], schema: Any, next_id: int, *, keep_words: bool = False
    ) -> None:
        self.next_id = next_id  # the first id that is free after those that were taken
        self.words: list[tuple[Ragged, list[str]]] = []
        self._made, self._kind, self._keep_words = made, schema.field("id").type, keep_words
        self._parts: list[Any] = []

    @property
    def ids(self) -> Any:
        """Ids of all rows that were taken, as one Arrow array."""
        import pyarrow as pa

        return pa.chunked_array(self._parts, self._kind).combine_chunks()

    def tables(self, check: Callable[[Any], None] = lambda ids: None) -> Iterator[Any]:
        """All tables; in the end ids that were given must differ, and pass `check`."""
        named = False
        for made in self._made:
            self.next_id, named = made.next_id, named or made.named
            self._parts += made.table.column("id").chunks
            if self._keep_words:
                self.words.append((made.rows, made.unknown))
            yield made.table
        if named:
            check_distinct(self.ids)
            check(self.ids)


def _ids(given: Given, kind: Any, next_id: int) -> Any:
    """The column of ids, of the index's own kind."""
    import pyarrow as pa

    if given.ids is None:
        if kind != pa.int64():
            raise InputError("ids must be given: those of the index are strings")
        return pa.array(range(next_id, next_id + len(given.texts)), pa.int64())
    if len(given.ids) and given.ids.type != kind:
        raise InputError(
            f"ids must be {_kind_name(kind)}, as those of the index are; got"
            f" {_kind_name(given.ids.type)}"
        )
    return given.ids.cast(kind) if not len(given.ids) else given.ids


def _kind_name(kind: Any) -> str:
    return "strings" if str(kind) == "string" else "whole numbers"


def after(ids: Any) -> int:
    """The first number after all ids that count; 0 where they are strings."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if ids.type != pa.int64() or not len(ids):
        return 0
    largest = pc.max(ids.filter(pc.less(ids, LARGEST_COUNTED))).as_py()
    return 0 if largest is None else max(0, largest + 1)
