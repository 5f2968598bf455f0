"""Documents of a table file: the columns of texts, ids and metadata, and their types."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from fuzzbow.encoding.text_columns import check_text_columns, choose_columns
from fuzzbow.errors import FuzzbowWarning, InputError
from fuzzbow.index.documents import RESERVED, metadata_columns
from fuzzbow.index.ids import new_ids
from fuzzbow.io.tables import Table

INTEGER = re.compile(r"-?(0|[1-9]\d{0,17})")
NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
STRAY_SHARE = 0.5  # maximum share of other values in a column that was meant to hold numbers
TYPES = {
    "string": "string", "int": "int64", "float": "float64", "bool": "bool", "date": "date32",
    "timestamp": "timestamp[us]",
}  # fmt: skip


Column = tuple[str, str | None]  # its name, and its type if it is known


def parse_column(text: str) -> Column:
    """Parse a column with an optional type, `year` or `year:int`.

    >>> parse_column("year:int")
    ('year', 'int')
    """
    name, colon, kind = text.rpartition(":")
    if not colon:
        return text, None
    if kind not in TYPES:
        raise InputError(f"the type of a column must be one of {', '.join(TYPES)}; got {text!r}")
    return name, kind


class FileDocuments:
    """Documents of a table that is being read; `texts.missing` counts those without text.

    `location` names the table in errors. The columns `text` have weights as in `title=2`; the only
    one, or `text`, is the default. Metadata are by default all other columns, or those of an index
    to which documents are added, `known`.
    """

    def __init__(
        self,
        table: Table,
        location: str,
        text: str | Sequence[str] | None = None,
        ids: str | None = None,
        metadata: Sequence[str] | None = None,
        known: Sequence[str] | None = None,
    ) -> None:
        self._ids = None if ids is None else parse_column(ids)
        name = None if self._ids is None else self._ids[0]
        self.texts = choose_columns(text, table.columns, location, id_name=name, option="--text")
        used = [*self.texts.names, *([name] if name is not None else [])]
        if metadata is not None:
            self._metadata = [parse_column(spec) for spec in metadata]
        else:
            others = [column for column in table.columns if column not in used]
            for column in others if known is None else []:
                if column.lower() in RESERVED:
                    own = f"--id {column} takes the ids from it, " if column.lower() == "id" else ""
                    raise InputError(
                        f"the column '{column}' cannot be metadata: {own}--metadata names the"
                        " columns to keep, --no-metadata keeps none"
                    )
            self._metadata = [(item, None) for item in others if known is None or item in known]
        names = [*used, *(column for column, _ in self._metadata)]
        check_text_columns(table.columns, names, location)
        if len(set(names)) < len(names):
            raise InputError(f"{location}: each column can have one use; got {', '.join(names)}")
        self._table = table

    def batches(self) -> Iterator[Any]:
        """Read the documents in batches.

        The type of an untyped column of strings is inferred from its values in the first batch. An
        empty value counts as missing unless the column holds strings.
        """
        import pyarrow as pa

        first = next(self._table.batches, None)
        if first is None:
            first = pa.RecordBatch.from_pylist([], self._table.schema)
        metadata = [_with_type(column, first) for column in self._metadata]
        key = None if self._ids is None else _with_type(self._ids, first)
        done = 0
        for batch in chain([first], self._table.batches):
            columns = {"text": pa.array(self.texts.column(batch, done), pa.large_string())}
            if key is not None:
                columns["id"] = new_ids(_values(batch, key, done), done)
            given = {column[0]: _values(batch, column, done) for column in metadata}
            yield pa.table(columns | metadata_columns(given, len(batch)))
            done += len(batch)


def _with_type(column: Column, batch: Any) -> Column:
    """Infer the type of an untyped column of strings from its values."""
    import pyarrow as pa

    from fuzzbow.io.values import is_json, is_string

    name, kind = column
    field = batch.schema.field(name)
    if kind is not None or is_json(field):
        return column
    if not (is_string(field.type) or pa.types.is_null(field.type)):
        return column
    found = batch.column(name).to_pylist()
    values = [value for value in found if value]
    for kind, pattern in (("int", INTEGER), ("float", NUMBER)):
        if values and all(map(pattern.fullmatch, values)):
            return name, kind
    strays = [value for value in values if not NUMBER.fullmatch(value)]
    if strays and len(strays) <= STRAY_SHARE * len(values):
        warnings.warn(
            f"column {name!r} is kept as text, since row {found.index(strays[0]) + 1} holds"
            f" {strays[0]!r:.40} among numbers; conditions must compare it as text"
            f" ({name} = '5'), unless the value is corrected or removed",
            FuzzbowWarning,
            stacklevel=2,
        )
    return name, "string"


def _values(batch: Any, column: Column, done: int) -> Any:
    """Convert a column to its type; `done` is the number of rows before, for errors."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from fuzzbow.io.values import is_string, parsed

    name, kind = column
    if name not in batch.schema.names:  # no row of the batch has it, as JSON allows
        return pa.nulls(len(batch), kind and TYPES[kind])
    try:
        values = parsed(batch.schema.field(name), batch.column(name))
        if pa.types.is_dictionary(values.type):
            values = values.dictionary_decode()
        if kind is None:
            return values
        if kind != "string" and is_string(values.type):
            values = pc.if_else(pc.equal(values, ""), pa.scalar(None, values.type), values)
        return values.cast(TYPES[kind])
    except (pa.ArrowException, TypeError) as error:
        raise InputError(
            f"column {name!r} must hold {kind or 'values of one type'}, as in the rows before;"
            f" rows {done + 1} to {done + len(batch)} do not: {error}"
            f" (name it {name}:string to keep it as it is)"
        ) from error
