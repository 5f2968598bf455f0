"""Texts that were chosen from a collection, in the order of choice."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Generic, TypeVar, overload

import numpy as np

from fuzzbow.arrays import Integers
from fuzzbow.encoding import TextList, blank_texts, distinct_texts, texts_where
from fuzzbow.io.frames import to_pandas
from fuzzbow.notebook import html_table, plain_table, table_cell
from fuzzbow.plurals import counted

Item = TypeVar("Item", bound=Any)


def filled_texts(texts: TextList) -> tuple[TextList, Integers, Integers, Integers]:
    """Find the texts that are not blank, each string once, in the order of first positions.

    Return them with the position of the first copy of each and their number of copies,
    (distinct,), and for each given text which of them it is, -1 for blank ones, (texts,).
    """
    blank = blank_texts(texts)
    filled = np.flatnonzero(~blank)
    which = np.full(len(texts), -1, dtype=np.int64)
    if not len(filled):
        return [], filled, filled, which
    kept, which[filled] = distinct_texts(texts_where(texts, ~blank))
    first = filled[np.unique(which[filled], return_index=True)[1]]
    return kept, first, np.bincount(which[filled]), which


@dataclass(frozen=True, repr=False)
class Selected(Sequence[Item], Generic[Item]):
    """Chosen texts with their scores; prints as a table.

    Positions are those of the given texts.
    """

    items: tuple[Item, ...]
    texts: int  # number of given texts
    empty: Integers  # positions of the texts that are missing or blank, which are never chosen
    item_type: ClassVar[type]

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, position: int) -> Item: ...
    @overload
    def __getitem__(self, position: slice) -> list[Item]: ...
    def __getitem__(self, position: int | slice) -> Item | list[Item]:
        return list(self.items[position]) if isinstance(position, slice) else self.items[position]

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    @property
    def positions(self) -> Integers:
        """Positions of the chosen texts, in the order of choice: (chosen,)."""
        return np.array([item.position for item in self.items], dtype=np.int64)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the fields of each chosen text."""
        return [asdict(item) for item in self.items]

    def to_json(self, *, indent: int | None = None) -> str:
        """Write the chosen texts as JSON."""
        return json.dumps(self.to_dicts(), ensure_ascii=False, indent=indent, allow_nan=False)

    def to_arrow(self) -> Any:
        """Return an Arrow table with a column for each field."""
        import pyarrow as pa

        kinds = {"int": pa.int64(), "float": pa.float64(), "str": pa.string()}
        schema = pa.schema(
            (field.name, kinds[str(field.type).partition(" | ")[0]])
            for field in fields(self.item_type)
        )
        return pa.Table.from_pylist(self.to_dicts(), schema=schema)

    def to_pandas(self) -> Any:
        """Return a data frame with a column for each field."""
        return to_pandas(self.to_arrow())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} of {counted(self.texts, 'text')})"

    def __str__(self) -> str:
        """Write a table for people; long texts are cut."""
        header, *rows = self._cells()
        return plain_table(header, rows)

    def _repr_html_(self) -> str:
        """Draw a table for notebooks."""
        header, *rows = self._cells()
        return html_table(repr(self), header, rows)

    def _cells(self) -> list[list[str]]:
        """Write the fields of each chosen text under their names."""
        return [
            [field.name.replace("_", " ") for field in fields(self.item_type)],
            *([table_cell(value) for value in asdict(item).values()] for item in self.items),
        ]
