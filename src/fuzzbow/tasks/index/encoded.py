"""Documents with their words, as an index stores them.

The words of a text are Arrow columns, so that an index opens without splitting texts again.
A token is the id of a word in the vocabulary. The number of words in the vocabulary itself
stands for a word outside it, and those words follow, as bytes, in a column of their own:
the n-th such token is the n-th such word. A row therefore needs no other row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzzbow.arrays import Integers, Ragged, read_only
from fuzzbow.encoding import Encoder, TokenIds, warn_of_language
from fuzzbow.errors import InputError
from fuzzbow.progress import Progress
from fuzzbow.tasks.index.documents import NewDocuments
from fuzzbow.tasks.index.ids import check_distinct, first_free_id
from fuzzbow.tasks.index.metadata import fit_metadata
from fuzzbow.vectors.vocabulary import encode

TOKENS, UNKNOWN = "_tokens", "_unknown"


@dataclass(frozen=True)
class EncodedDocuments:
    """Rows with their words in columns, and as ids."""

    table: Any
    tokens: TokenIds
    next_id: int
    named: bool  # ids were given


def schema_for(given: NewDocuments) -> Any:
    """The columns of an index whose first texts these are."""
    import pyarrow as pa

    kind = pa.int64() if given.ids is None else given.ids.type
    metadata = [] if given.metadata is None else list(given.metadata.schema)
    return pa.schema(
        [pa.field("id", kind), pa.field("text", pa.large_string())]
        + [pa.field(field.name, field.type) for field in metadata]
    )


def document_table(given: NewDocuments, schema: Any, next_id: int) -> Any:
    """Rows of the index's own columns; ids that are not given are the next numbers."""
    import pyarrow as pa

    ids = _ids(given, schema.field("id").type, next_id)
    columns = [ids, pa.array(given.texts, pa.large_string())]
    columns += fit_metadata(given.metadata, len(given.texts), list(schema)[2:])
    return pa.Table.from_arrays(columns, schema=schema)


def encode_documents(
    given: NewDocuments, schema: Any, next_id: int, encoder: Encoder
) -> EncodedDocuments:
    """Those rows with their tokens."""
    table = document_table(given, schema, next_id)
    tokens = encoder.word_ids(given.texts)
    columns = token_columns(tokens, len(encoder.vectors))
    for field, column in zip(token_fields(), columns, strict=True):
        table = table.append_column(field, column)
    after = max(next_id, first_free_id(table.column("id")))
    return EncodedDocuments(table, tokens, after, given.ids is not None)


def encode_batches(
    batches: Iterable[NewDocuments],
    schema: Any,
    next_id: int,
    encoder: Encoder,
    progress: Progress | None = None,
    total: int | None = None,
) -> Iterator[EncodedDocuments]:
    """Encode batch after batch; `progress` is called each time one was stored."""
    done = 0
    for given in batches:
        made = encode_documents(given, schema, next_id, encoder)
        if not done:
            warn_of_language(encoder, encoder.batch(made.tokens))
        next_id, done = made.next_id, done + len(given.texts)
        yield made
        if progress is not None:
            progress(done, total)


class DocumentStream:
    """Encoded documents that go into an index: yields tables, and remembers ids and words."""

    def __init__(
        self,
        made: Iterator[EncodedDocuments],
        schema: Any,
        next_id: int,
        *,
        keep_words: bool = False,
    ) -> None:
        self.next_id = next_id  # the first free id after the tables so far
        self.words: list[TokenIds] = []
        self._made, self._kind, self._keep_words = made, schema.field("id").type, keep_words
        self._parts: list[Any] = []

    @property
    def ids(self) -> Any:
        """Ids of all rows that were taken, as one Arrow array."""
        import pyarrow as pa

        return pa.chunked_array(self._parts, self._kind).combine_chunks()

    def tables(self, check: Callable[[Any], None] = lambda ids: None) -> Iterator[Any]:
        """All tables; after the last, ids that were given must all differ and pass `check`."""
        named = False
        for made in self._made:
            self.next_id, named = made.next_id, named or made.named
            self._parts += made.table.column("id").chunks
            if self._keep_words:
                self.words.append(made.tokens)
            yield made.table
        if named:
            check_distinct(self.ids)
            check(self.ids)


def _ids(given: NewDocuments, kind: Any, next_id: int) -> Any:
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


def token_fields() -> list[Any]:
    """The two Arrow fields of tokens and of words outside the vocabulary."""
    import pyarrow as pa

    return [
        pa.field(TOKENS, pa.list_(pa.uint32())),
        pa.field(UNKNOWN, pa.list_(pa.binary())),
    ]


def token_columns(tokens: TokenIds, known: int) -> list[Any]:
    """The two columns of texts; word ids from `known` on mean words outside the vocabulary."""
    import pyarrow as pa

    rows = tokens.rows
    outside = rows.values >= known
    ids = np.minimum(rows.values, known).astype(np.uint32)
    words = pa.array([encode(word) for word in tokens.unknown], pa.binary())
    places = pa.array(rows.values[outside].astype(np.int64) - known)
    before = np.concatenate([[0], np.cumsum(outside)])
    return [
        pa.ListArray.from_arrays(rows.offsets.astype(np.int32), pa.array(ids)),
        pa.ListArray.from_arrays(before[rows.offsets].astype(np.int32), words.take(places)),
    ]


def words_of_columns(tokens: Any, unknown: Any, known: int) -> TokenIds:
    """Read texts from the two columns, as `Encoder.word_ids` gives them."""
    import pyarrow as pa

    values = _joined([chunk.flatten() for chunk in tokens.chunks], np.uint32)
    lengths = _joined([chunk.value_lengths() for chunk in tokens.chunks], np.int64)
    words = pa.chunked_array([chunk.flatten() for chunk in unknown.chunks], pa.binary())
    coded = words.combine_chunks().dictionary_encode()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.combine_chunks()
    outside = np.flatnonzero(values == known)
    values[outside] = known + coded.indices.to_numpy(zero_copy_only=False).astype(np.uint32)
    found = [word.decode("utf-8", "surrogatepass") for word in coded.dictionary.to_pylist()]
    return TokenIds(Ragged.from_lengths(read_only(values), lengths), found)


def _joined(parts: list[Any], kind: type) -> Integers:
    """Arrow arrays as one NumPy array of its own."""
    arrays = [part.to_numpy(zero_copy_only=False) for part in parts]
    return np.concatenate([np.zeros(0, kind), *arrays]).astype(kind, copy=False)
