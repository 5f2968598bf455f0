"""New documents for an index: texts, ids and metadata, from a caller or from a file."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

from fuzzbow.encoding import TextList, check_texts, column_names, column_of
from fuzzbow.errors import FuzzbowWarning, InputError
from fuzzbow.tasks.files import BATCH_ROWS
from fuzzbow.tasks.formats import Records, Table
from fuzzbow.tasks.index.ids import check_distinct, check_range, id_column
from fuzzbow.tasks.index.metadata import metadata_table
from fuzzbow.tasks.text_columns import TextColumns, check_text_columns
from fuzzbow.text import whole_value

INTEGER = re.compile(r"-?(0|[1-9]\d{0,17})")
NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
STRAY_SHARE = 0.5  # of values that are no numbers, in a column that was meant to hold numbers
TYPES = {
    "string": "string",
    "int": "int64",
    "float": "float64",
    "bool": "bool",
    "date": "date32",
    "timestamp": "timestamp[us]",
}


@dataclass(frozen=True)
class NewDocuments:
    """Some texts as a caller gave them; `ids` and `metadata` are Arrow columns or None."""

    texts: TextList
    ids: Any
    metadata: Any


def new_documents(
    texts: Iterable[str], ids: Any, metadata: Any, *, before: int = 0
) -> NewDocuments:
    """Check that texts, ids and metadata have equal lengths and usable values.

    `before` is how many rows came before these, for errors.
    """
    items = check_texts(texts, "texts")
    column = None if ids is None else id_column(ids)
    if column is not None and len(column) != len(items):
        raise InputError(
            f"texts and ids must have equal length; got {len(items)} and {len(column)}"
        )
    if column is not None:
        check_range(column)
        check_distinct(column, before)
    return NewDocuments(items, column, metadata_table(metadata, len(items)))


def document_batches(
    texts: Any, ids: Any, metadata: Any, column: str | None = None
) -> tuple[Iterator[NewDocuments], int | None]:
    """Documents in batches, and how many texts there are if that is known.

    Texts without ids and metadata may come from an iterator, and are then never all in memory.
    With a `column`, `texts` are a frame: see `frame_parts`.
    """
    if column is not None:
        texts, ids, metadata = frame_parts(texts, column, ids, metadata)
    if ids is None and metadata is None and isinstance(texts, Iterator):
        parts = iter(lambda: list(islice(texts, BATCH_ROWS)), [])
        return (new_documents(part, None, None) for part in parts), None
    given = new_documents(texts, ids, metadata)
    return _cut(given, BATCH_ROWS), len(given.texts)


def frame_parts(frame: Any, column: str, ids: Any, metadata: Any) -> tuple[Any, Any, Any]:
    """Texts, ids and metadata of a frame whose texts are in `column`.

    `ids` may name a column. Unless metadata are given, they are all columns besides.
    """
    texts = column_of(frame, column, "texts")
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
    return texts, ids, metadata


def _cut(given: NewDocuments, size: int) -> Iterator[NewDocuments]:
    """Parts of at most `size` texts; one empty part if there are no texts."""
    for start in range(0, max(len(given.texts), 1), size):
        part = given.texts[start : start + size]
        yield NewDocuments(
            part,
            None if given.ids is None else given.ids.slice(start, len(part)),
            None if given.metadata is None else given.metadata.slice(start, len(part)),
        )


@dataclass(frozen=True)
class Column:
    """A column of a file, and its type if that is known."""

    name: str
    type: str | None = None


def parse_column(text: str) -> Column:
    """A column as the command line names it: `year` or `year:int`.

    >>> parse_column("year:int")
    Column(name='year', type='int')
    """
    name, colon, kind = text.rpartition(":")
    if not colon:
        return Column(text)
    if kind not in TYPES:
        raise InputError(f"the type of a column must be one of {', '.join(TYPES)}; got {text!r}")
    return Column(name, kind)


def file_documents(
    table: Table,
    place: str,
    text: TextColumns,
    name: Column | None,
    metadata: Sequence[Column] | None,
) -> Iterator[NewDocuments]:
    """Batches of a file's rows; if `metadata` is None all other columns are metadata.

    In CSV and TSV all values are strings. A column without a type gets the one that its values in
    the first batch look like. An empty value counts as missing unless the column holds strings.
    """
    if metadata is None:
        used = [*text.names, name and name.name]
        metadata = [Column(column) for column in table.columns if column not in used]
    columns = [*([name] if name else []), *metadata]
    names = [*text.names, *(column.name for column in columns)]
    check_text_columns(table.columns, names, place)
    if len(set(names)) < len(names):
        raise InputError(f"{place}: each column can have one use; got {', '.join(names)}")
    first = next(table.batches, [])
    metadata = [_typed(column, first) for column in metadata]
    name = None if name is None else _typed(name, first)
    done = 0
    for records in chain([first], table.batches):
        yield _documents(records, done, text, name, metadata)
        done += len(records)


def _typed(column: Column, records: Records) -> Column:
    """The column with the type that strings suggest, if all its values are strings."""
    values = [value for record in records if (value := record.get(column.name)) not in (None, "")]
    if column.type is not None or not all(isinstance(value, str) for value in values):
        return column
    kinds = (("int", INTEGER), ("float", NUMBER))
    for kind, pattern in kinds:
        if values and all(pattern.fullmatch(value) for value in values):
            return replace(column, type=kind)
    _warn_of_strays(column.name, records, values)
    return replace(column, type="string")


def _warn_of_strays(name: str, records: Records, values: list[Any]) -> None:
    """Say which value makes text of a column of numbers, since `where` will compare it as text."""
    strays = [value for value in values if not NUMBER.fullmatch(value)]
    if strays and len(strays) <= STRAY_SHARE * len(values):
        row = next(n for n, record in enumerate(records, 1) if record.get(name) == strays[0])
        warnings.warn(
            f"column {name!r} is kept as text, since row {row} holds {strays[0]!r:.40} among"
            f" numbers; where has to compare it as text ({name} = '5'), unless the value is"
            " mended or left empty",
            FuzzbowWarning,
            stacklevel=2,
        )


def _documents(
    records: Records,
    done: int,
    text: TextColumns,
    name: Column | None,
    metadata: Sequence[Column],
) -> NewDocuments:
    """One batch."""
    texts = text.texts(records, done)
    ids = None if name is None else _values(records, name, done)
    columns = {column.name: _values(records, column, done) for column in metadata}
    return new_documents(texts, ids, columns, before=done)


def _values(records: Records, column: Column, done: int) -> Any:
    """The values of a column, of its type."""
    import pyarrow as pa

    values = [whole_value(record.get(column.name)) for record in records]
    try:
        if column.type is None:
            return pa.array(values)
        if column.type != "string":
            values = [None if value == "" else value for value in values]
        strings = all(value is None or isinstance(value, str) for value in values)
        array = pa.array(values, pa.string()) if strings else pa.array(values)
        return array.cast(TYPES[column.type])
    except (pa.ArrowException, TypeError) as error:
        raise InputError(
            f"column {column.name!r} must hold {column.type or 'values of one type'}, as in the"
            f" rows before; rows {done + 1} to {done + len(records)} do not: {error}"
            f" (name it {column.name}:string to keep it as it is)"
        ) from error
