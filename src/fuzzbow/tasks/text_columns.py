"""The columns of a table whose texts are compared: one, or several, joined and weighted.

A column is named in one way everywhere, `title` or `title=2`, which is read here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fuzzbow.errors import InputError, nearest
from fuzzbow.tasks.formats import Record, Records, Table
from fuzzbow.text import is_blank

BETWEEN = "\n"  # texts of several columns
LARGEST_WEIGHT = 20  # since a text is that many times as long


class TextColumns:
    """Takes the texts of a table's rows: those of its columns, joined.

    A column is named `title`, or `title=2` where its words count twice: its text then stands
    twice in the joined one, the second time behind the others. A missing value is an empty
    text; `missing` counts the rows without any text so far.
    """

    def __init__(self, named: str | Sequence[str], columns: Sequence[str], place: str) -> None:
        specs = [named] if isinstance(named, str) else named
        self.weights = dict(_parse(spec, columns) for spec in specs)
        self.missing = 0
        if len(self.weights) < len(specs):
            raise InputError(f"a column of texts can be named once; got {', '.join(specs)}")
        check_text_columns(columns, self.names, place)

    @property
    def names(self) -> list[str]:
        """The columns, without their weights."""
        return list(self.weights)

    @property
    def alone(self) -> bool:
        """Whether a text is the value of one column."""
        return list(self.weights.values()) == [1]

    def texts(self, records: Records, first: int) -> list[str]:
        """The texts of rows, of which the first has that number, from 0 on."""
        texts = [self.text(record, row) for row, record in enumerate(records, first)]
        self.missing += sum(map(is_blank, texts))
        return texts

    def text(self, record: Record, row: int) -> str:
        """The text of one row."""
        if self.alone:
            return text_of(record, self.names[0], row)
        parts = {name: text_of(record, name, row) for name in self.weights}
        again = (parts[name] for name, weight in self.weights.items() for _ in range(weight - 1))
        return BETWEEN.join(filter(None, [*parts.values(), *again]))


def _parse(spec: str, columns: Sequence[str]) -> tuple[str, int]:
    """The name and weight of a column; one that is called like this as a whole counts once."""
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


def check_text_columns(columns: Sequence[str], wanted: Sequence[str], place: str) -> None:
    """The wanted columns must be there."""
    for column in wanted:
        if column not in columns:
            raise InputError(
                f"{place}: column {column!r} is not there; there are"
                f" {', '.join(columns)}{nearest(column, columns)}"
            )


def collection_of(table: Table, sides: Sequence[TextColumns]) -> Iterator[str]:
    """The texts of a file, row by row, those of several sides after each other."""
    rows = 0
    for records in table.batches:
        for row, record in enumerate(records, rows):
            for side in sides:
                yield side.text(record, row)
        rows += len(records)


def text_of(record: Record, column: str, row: int) -> str:
    """The text of a row; a missing one is empty."""
    value = record.get(column)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(
            f"column {column!r} must hold text; row {row + 1} has"
            f" {type(value).__name__}: {value!r:.40}"
        )
    return value
