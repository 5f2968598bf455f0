"""Documents of an index: checked texts, ids and metadata, and the words that are stored with them.

New documents are Arrow tables with a column `text`, columns of metadata, and perhaps a column `id`.
The words of a text are columns as well, so that an index opens without splitting texts again. A
token is the id of a word of the vocabulary, or the size of the vocabulary for any other word. Words
outside it are bytes in a second column, in the order of their tokens. Rows are independent of each
other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

import numpy as np

from fuzzbow.arrays import Ragged, read_only
from fuzzbow.encoding import (
    ArrowTexts,
    Encoder,
    TokenIds,
    check_texts,
    column_names,
    column_of,
    warn_of_language,
)
from fuzzbow.errors import InputError, nearest
from fuzzbow.index.ids import arrow_array, check_distinct, first_free_id, new_ids
from fuzzbow.io.tables import BATCH_ROWS
from fuzzbow.progress import Progress
from fuzzbow.text import whole_text
from fuzzbow.vectors.vocabulary import encode

TOKENS, UNKNOWN = "_tokens", "_unknown"  # columns
RESERVED = ("id", "text", "score", "rank", "query", "metadata")


def new_documents(texts: Iterable[str], ids: Any = None, metadata: Any = None) -> Any:
    """Check that texts, ids and metadata have equal lengths and usable values."""
    import pyarrow as pa

    columns = {"text": pa.array(check_texts(texts, "texts"), pa.large_string())}
    rows = len(columns["text"])
    if ids is not None:
        columns["id"] = new_ids(ids)
        if len(columns["id"]) != rows:
            raise InputError(
                f"texts and ids must have equal length; got {rows} and {len(columns['id'])}"
            )
    return pa.table(columns | metadata_columns(metadata, rows))


def document_batches(
    texts: Any, ids: Any, metadata: Any, column: str | None = None
) -> tuple[Iterator[Any], int | None]:
    """Return documents in batches, and the number of texts if it is known.

    Texts without ids and metadata may come from an iterator, which is read a batch at a time. With
    a `column`, `texts` are a data frame: `ids` may name a column, and by default all other columns
    are metadata.
    """
    if column is not None:
        frame, texts = texts, column_of(texts, column, "texts")
        used = {column}
        if isinstance(ids, str):
            used.add(ids)
            ids = column_of(frame, ids, "texts")
        if metadata is None:
            names = [name for name in column_names(frame) if name not in used]
            if "id" in names and ids is None:
                raise InputError(
                    "the column 'id' cannot be metadata: give ids=\"id\" to take the ids from it,"
                    " or metadata={} to keep no other column"
                )
            metadata = {name: frame[name] for name in names}
    if ids is None and metadata is None and isinstance(texts, Iterator):
        parts = iter(lambda: list(islice(texts, BATCH_ROWS)), [])
        return map(new_documents, parts), None
    given = new_documents(texts, ids, metadata)
    total = given.num_rows
    return (given.slice(n, BATCH_ROWS) for n in range(0, max(total, 1), BATCH_ROWS)), total


def metadata_columns(metadata: Any, rows: int) -> dict[str, Any]:
    """Convert metadata to Arrow columns with this number of rows.

    They may be a mapping of columns, a list of dictionaries, a data frame or an Arrow table.
    """
    if metadata is None:
        return {}
    if isinstance(metadata, Mapping):
        columns = dict(metadata)
    elif hasattr(metadata, "columns"):
        columns = {name: metadata[name] for name in column_names(metadata)}
    elif isinstance(metadata, Iterable) and not isinstance(metadata, str | bytes):
        records = list(metadata)
        for n, record in enumerate(records):
            if not isinstance(record, Mapping):
                raise InputError(
                    f"metadata must hold dictionaries; item {n} is {type(record).__name__}"
                )
        names = dict.fromkeys(name for record in records for name in record)
        columns = {name: [record.get(name) for record in records] for name in names}
    else:
        raise InputError(
            "metadata must be a mapping of columns, a list of dictionaries, a pandas frame or an"
            f" Arrow table; got {type(metadata).__name__}"
        )
    for name in columns:
        if (
            not isinstance(name, str)
            or not name
            or name != whole_text(name)
            or name.startswith("_")
            or name.lower() in RESERVED
        ):
            raise InputError(
                f"a metadata column must have a name in valid Unicode other than"
                f" {', '.join(RESERVED)}, and none that begins with an underscore; got {name!r}"
            )
    return {name: _metadata_column(name, column, rows) for name, column in columns.items()}


def _metadata_column(name: str, values: Any, rows: int) -> Any:
    """Convert one column, which must have as many values as there are rows."""
    import pyarrow as pa

    try:
        column = arrow_array(values)
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        if pa.types.is_null(column.type):
            column = column.cast(pa.string())
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"metadata column {name!r}: {error}") from error
    if len(column) != rows:
        raise InputError(
            f"metadata column {name!r} must have one value for each text, {rows}; got {len(column)}"
        )
    return column


def fit_metadata(given: Any, fields: list[Any]) -> list[Any]:
    """Return the metadata columns of an index: null if not given; unknown ones are refused."""
    import pyarrow as pa

    names = [field.name for field in fields]
    for name in given.column_names:
        if name not in ("id", "text", *names):
            there = f"are {', '.join(names)}" if names else "is none"
            raise InputError(
                f"the index has no metadata column {name!r}; there {there}{nearest(name, names)}"
            )
    columns = []
    for field in fields:
        try:
            known = field.name in given.column_names
            column = given.column(field.name).cast(field.type) if known else None
        except pa.ArrowException as error:
            raise InputError(
                f"metadata column {field.name!r} must hold {field.type}, as in the rows before;"
                f" {error}"
            ) from error
        columns.append(pa.nulls(len(given), field.type) if column is None else column)
    return columns


class DocumentStream:
    """Stream of the tables of new documents of an index; keeps their ids.

    The columns are those of the index, `schema`, or of the first documents. With an `encoder`
    tables have token columns; `keep_words` keeps the words as ids, too.
    """

    def __init__(
        self,
        batches: Iterable[Any],
        encoder: Encoder | None = None,
        *,
        schema: Any = None,
        next_id: int = 0,
        keep_words: bool = False,
        progress: Progress | None = None,
        total: int | None = None,
    ) -> None:
        import pyarrow as pa

        if schema is None:
            given = iter(batches)
            first = next(given, new_documents([]))
            kinds = {"id": "int64"} | {field.name: field.type for field in first.schema}
            batches, schema = chain([first], given), pa.schema(kinds)
        self.schema = schema
        self.next_id = next_id  # the first free id after the tables so far
        self.words: list[TokenIds] = []
        self._batches, self._encoder, self._keep_words = batches, encoder, keep_words
        self._progress, self._total = progress, total
        self._parts: list[Any] = []

    @property
    def ids(self) -> Any:
        """Ids of all rows that were read, as one Arrow array."""
        import pyarrow as pa

        return pa.chunked_array(self._parts, self.schema.field("id").type).combine_chunks()

    def tables(self, check: Callable[[Any], None] = lambda ids: None) -> Iterator[Any]:
        """Yield all tables; after the last, check that the ids differ and pass `check`."""
        named, done, encoder = False, 0, self._encoder
        for given in self._batches:
            table = self._table(given)
            if encoder is not None:
                tokens = encoder.word_ids(ArrowTexts(table.column("text")))
                if not done:
                    warn_of_language(encoder, encoder.batch(tokens))
                table = with_tokens(table, tokens, encoder)
                self.words += [tokens] if self._keep_words else []
            self.next_id = max(self.next_id, first_free_id(table.column("id")))
            self._parts += table.column("id").chunks
            named = named or "id" in given.column_names
            yield table
            done += table.num_rows
            if self._progress is not None:
                self._progress(done, self._total)
        if named:
            check_distinct(self.ids)
            check(self.ids)

    def _table(self, given: Any) -> Any:
        """Return rows with the columns of the index; missing ids get the next numbers."""
        import pyarrow as pa

        kind, count = self.schema.field("id").type, given.num_rows
        if "id" in given.column_names:
            ids = given.column("id")
            if count and ids.type != kind:
                names = {"string": "strings", "int64": "whole numbers"}
                raise InputError(
                    f"ids must be {names[str(kind)]}, as those of the index are; got"
                    f" {names[str(ids.type)]}"
                )
        elif kind != pa.int64():
            raise InputError("ids must be given: those of the index are strings")
        else:
            ids = pa.array(range(self.next_id, self.next_id + count), kind)
        metadata = fit_metadata(given, list(self.schema)[2:])
        columns = [ids.cast(kind), given.column("text"), *metadata]
        return pa.Table.from_arrays(columns, schema=self.schema)


def token_fields() -> list[Any]:
    """Return the Arrow fields of tokens and of words outside the vocabulary."""
    import pyarrow as pa

    kinds = {TOKENS: pa.uint32(), UNKNOWN: pa.binary()}
    return [pa.field(name, pa.list_(kind)) for name, kind in kinds.items()]


def with_tokens(table: Any, tokens: TokenIds, encoder: Encoder) -> Any:
    """Append the token columns of the texts of a table."""
    import pyarrow as pa

    known, rows = len(encoder.vectors), tokens.rows
    outside = rows.values >= known
    ids = np.minimum(rows.values, known).astype(np.uint32)
    words = pa.array([encode(word) for word in tokens.unknown], pa.binary())
    taken = words.take(pa.array(rows.values[outside].astype(np.int64) - known))
    before = np.concatenate([[0], np.cumsum(outside)])
    columns = [
        pa.ListArray.from_arrays(rows.offsets.astype(np.int32), pa.array(ids)),
        pa.ListArray.from_arrays(before[rows.offsets].astype(np.int32), taken),
    ]
    for field, column in zip(token_fields(), columns, strict=True):
        table = table.append_column(field, column)
    return table


def words_of_columns(table: Any, known: int) -> TokenIds:
    """Read texts from their columns, as `Encoder.word_ids` returns them."""
    import pyarrow.compute as pc

    values = np.array(pc.list_flatten(table.column(TOKENS)).to_numpy(), dtype=np.uint32)
    lengths = pc.list_value_length(table.column(TOKENS)).to_numpy()
    coded = pc.list_flatten(table.column(UNKNOWN)).dictionary_encode().combine_chunks()
    values[values == known] += coded.indices.to_numpy().astype(np.uint32)
    found = [word.decode("utf-8", "surrogatepass") for word in coded.dictionary.to_pylist()]
    return TokenIds(Ragged.from_lengths(read_only(values), lengths), found)
