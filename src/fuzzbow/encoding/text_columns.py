"""Columns of a table whose texts are compared: one, or several, joined and weighted.

A column is named `title`, or `title=2` with a weight.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans
from fuzzbow.encoding.arrow_texts import ArrowTexts
from fuzzbow.errors import InputError, nearest

BETWEEN = "\n"  # texts of several columns
TEXT = "text"  # the column of texts, unless it is named or the only one
LARGEST_WEIGHT = 20  # since a text is that many times as long


class TextColumns:
    """Columns of a table whose texts are compared: one, or several, joined.

    With `title=2` the words of a column count twice: its text is repeated after the others. A
    missing value is an empty text.
    """

    def __init__(self, named: str | Sequence[str], columns: Sequence[str], location: str) -> None:
        specs = [named] if isinstance(named, str) else named
        self.weights = dict(_parse(spec, columns) for spec in specs)
        self.missing = 0  # rows without any text so far
        self.blank: Booleans = np.zeros(0, np.bool_)  # of the rows that were read last: (n,)
        if len(self.weights) < len(specs):
            raise InputError(f"a column of texts can be named once; got {', '.join(specs)}")
        check_text_columns(columns, self.names, location)

    @property
    def names(self) -> list[str]:
        """Names of the columns, without weights."""
        return list(self.weights)

    @property
    def alone(self) -> bool:
        """True if a text is the value of one column."""
        return list(self.weights.values()) == [1]

    @property
    def specs(self) -> tuple[str, ...]:
        """Columns with their weights, as users name them."""
        return tuple(n if weight == 1 else f"{n}={weight}" for n, weight in self.weights.items())

    def column(self, batch: Any, first: int = 0) -> ArrowTexts:
        """Return the texts of the rows of a record batch or table, in Arrow's memory.

        Parameters
        ----------
        batch : pyarrow.RecordBatch or pyarrow.Table
            Rows of the table.
        first : int
            Number of the first of these rows, from 0, for errors.

        Raises
        ------
        InputError
            If a value is not a string.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        parts = [_strings(batch, name, first) for name in self.weights]
        if not self.alone:
            again = [
                part
                for part, weight in zip(parts, self.weights.values(), strict=True)
                for _ in range(weight - 1)
            ]
            empty = pa.scalar("", pa.large_string())
            between = pa.scalar(BETWEEN, pa.large_string())
            # Arrow drops rows without any part if it skips nulls
            pieces = [
                pc.if_else(
                    pc.equal(part, ""), empty, pc.binary_join_element_wise(part, empty, between)
                )
                for part in (*parts, *again)
            ]
            whole = pc.binary_join_element_wise(*pieces, empty)
            parts = [pc.utf8_slice_codeunits(whole, 0, -len(BETWEEN))]
        texts = ArrowTexts(pa.chunked_array([parts[0]], pa.large_string()))
        self.blank = texts.blank()
        self.missing += int(self.blank.sum())
        return texts


def _parse(spec: str, columns: Sequence[str]) -> tuple[str, int]:
    """Split NAME=WEIGHT; without a weight, or if a column is called that, the weight is 1."""
    name, equals, number = spec.rpartition("=")
    if not equals or spec in columns:
        return spec, 1
    weight = int(number) if number.isascii() and number.isdigit() and len(number) < 4 else 0
    if not 1 <= weight <= LARGEST_WEIGHT:
        raise InputError(
            f"the weight of a column must be a whole number from 1 to {LARGEST_WEIGHT}, as in"
            f" {name or 'title'}=2; got {spec!r:.80}"
        )
    return name, weight


def check_new_column(columns: Sequence[str], added: str, location: str) -> None:
    """Raise InputError if a column of that name exists."""
    if added in columns:
        raise InputError(
            f"{location}: already has a column {added!r}; choose another name for the new one"
        )


def check_text_columns(columns: Sequence[str], wanted: Sequence[str], location: str) -> None:
    """Check that the wanted columns exist."""
    for column in wanted:
        if column not in columns:
            raise InputError(
                f"{location}: no column {column!r}; the columns are"
                f" {', '.join(columns)}{nearest(column, columns)}"
            )


def choose_columns(
    named: str | Sequence[str] | None,
    columns: Sequence[str],
    location: str,
    *,
    id_name: str | None = None,
    option: str = "",
) -> TextColumns:
    """Return the columns of texts: the named ones, or the only one besides the ids, or `text`.

    Parameters
    ----------
    named : str or list of str, optional
        Names, with weights as in `title=2`.
    columns : list of str
        All columns of the table.
    location : str
        Name of the table, for errors.
    id_name : str, optional
        Column of the ids, which must exist too.
    option : str
        Option of the command that names the column, for errors.
    """
    check_text_columns(columns, [] if id_name is None else [id_name], location)
    only = [column for column in columns if column != id_name]
    usual = only[0] if len(only) == 1 else TEXT
    if not named and usual not in columns:
        by = f" by {option}" if option else ""
        raise InputError(
            f"{location}: name the column of texts{by}; the columns are {', '.join(columns)}"
        )
    return TextColumns(named or usual, columns, location)


def _strings(batch: Any, name: str, first: int) -> Any:
    """Return a column as one large_string array, empty where a value is missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from fuzzbow.io.values import is_json, is_string

    wide = pa.large_string()
    if name not in batch.schema.names:  # JSON may lack a key in all rows of a batch
        return pa.array([""] * len(batch), wide)
    column = batch.column(name)
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    given = is_string(column.type) and not is_json(batch.schema.field(name))
    if not given and column.null_count < len(column):
        items: Iterable[tuple[int, Any]] = enumerate(column.to_pylist(), first + 1)
        if is_json(batch.schema.field(name)):
            items = ((row, item and json.loads(item)) for row, item in items)
        row, value = next((r, v) for r, v in items if v is not None and not isinstance(v, str))
        raise InputError(
            f"column {name!r} must hold text; row {row} has {type(value).__name__}: {value!r:.40}"
        )
    return pc.fill_null(column.cast(wide), "")
