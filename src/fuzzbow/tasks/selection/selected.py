"""Texts that were chosen from a collection, in the order of choice."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Generic, TypeVar, overload

import numpy as np

from fuzzbow.arrays import Integers
from fuzzbow.encoding import TextList, blank_texts, distinct_texts
from fuzzbow.plurals import counted
from fuzzbow.tasks.frames import to_pandas
from fuzzbow.tasks.notebook import html_table, plain_table, table_cell

Item = TypeVar("Item", bound=Any)


@dataclass(frozen=True)
class DistinctTexts:
    """The texts that are not blank, each string once, in the order of their first positions."""

    texts: TextList
    first: Integers  # (distinct,) position of the first copy
    copies: Integers  # (distinct,) how many texts are this string
    which: Integers  # (texts,) the distinct text that each is, -1 for blank ones

    @classmethod
    def of(cls, texts: TextList) -> DistinctTexts:
        """Distinct texts of a list or column."""
        told = np.flatnonzero(~blank_texts(texts))
        which = np.full(len(texts), -1, dtype=np.int64)
        if not len(told):
            return cls([], told, told, which)
        kept, which[told] = distinct_texts([texts[place] for place in told.tolist()])
        first = told[np.unique(which[told], return_index=True)[1]]
        return cls(kept, first, np.bincount(which[told]), which)


@dataclass(frozen=True, repr=False)
class Selected(Sequence[Item], ABC, Generic[Item]):
    """Chosen texts with what they were chosen by; prints as a table.

    Positions are those of the given texts.
    """

    items: tuple[Item, ...]
    texts: int  # how many were given
    empty: Integers  # positions of the texts that are missing or blank, which are never chosen

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> list[Item]: ...
    def __getitem__(self, place: int | slice) -> Item | list[Item]:
        return list(self.items[place]) if isinstance(place, slice) else self.items[place]

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    @property
    def positions(self) -> Integers:
        """Positions of the chosen texts, in the order of choice: (chosen,)."""
        return np.array([item.position for item in self.items], dtype=np.int64)

    def to_dicts(self) -> list[dict[str, Any]]:
        """The fields of each chosen text."""
        return [asdict(item) for item in self.items]

    def to_json(self, *, indent: int | None = None) -> str:
        """The chosen texts as JSON."""
        return json.dumps(self.to_dicts(), ensure_ascii=False, indent=indent, allow_nan=False)

    def to_arrow(self) -> Any:
        """A table with a column for each field."""
        import pyarrow as pa

        kinds = {"int": pa.int64(), "float": pa.float64(), "str": pa.string()}
        schema = pa.schema(
            (field.name, kinds[str(field.type).partition(" | ")[0]])
            for field in fields(self.item_type())
        )
        return pa.Table.from_pylist(self.to_dicts(), schema=schema)

    def to_pandas(self) -> Any:
        """A data frame with a column for each field."""
        return to_pandas(self.to_arrow())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} of {counted(self.texts, 'text')})"

    def __str__(self) -> str:
        """A table for people; long texts are cut."""
        header, *rows = self._cells()
        return plain_table(header, rows)

    def _repr_html_(self) -> str:
        """A table for notebooks."""
        header, *rows = self._cells()
        return html_table(repr(self), header, rows)

    def _cells(self) -> list[list[str]]:
        """The fields of each chosen text under their names."""
        return [
            [field.name.replace("_", " ") for field in fields(self.item_type())],
            *([table_cell(value) for value in asdict(item).values()] for item in self.items),
        ]

    @staticmethod
    @abstractmethod
    def item_type() -> type[Item]:
        """The class of the items."""
