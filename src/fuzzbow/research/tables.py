"""Results in tables for terminals, as CSV and as JSON, and the formats of their numbers."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Any

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from fuzzbow import __version__
from fuzzbow.text import visible_line, whole_value

NAME_CELLS = 24


def terminal_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    align: str,
    *,
    title: str,
    caption: str = "",
    rule: int | None = None,
) -> Table:
    """Make a table for a terminal; long names are wrapped, never cut.

    `align` has an l or r for each column. The row of number `rule` has a line above.
    """
    made = Table(title=Text(visible_line(title)), caption=caption or None)
    for number, (name, side) in enumerate(zip(columns, align, strict=True)):
        longest = max((cell_len(row[number]) for row in rows), default=0)
        made.add_column(
            Text(visible_line(name)),
            justify="left" if side == "l" else "right",
            overflow="fold" if side == "l" else "ellipsis",
            min_width=min(longest, NAME_CELLS) if number == 0 else None,
        )
    for number, row in enumerate(rows):
        if number == rule:
            made.add_section()
        made.add_row(*(Text(visible_line(cell)) for cell in row))
    return made


def write_csv(stream: IO[str], columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as CSV; a value that a row lacks is empty."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([whole_value(row.get(column)) for column in columns] for row in rows)


def results_dict(**parts: Any) -> dict[str, Any]:
    """Return results of a command of `research` as plain data, with the version and the scale."""
    return {"fuzzbow": __version__, "scale": "correlations and metrics are times 100", **parts}


def number(value: float | None, digits: int = 2) -> str:
    """Format a number, such as `58.20`; `undefined` for None."""
    return "undefined" if value is None else f"{value:.{digits}f}"


def signed(value: float | None) -> str:
    """Format a number with its sign, such as `+1.50`; `undefined` for None, never `-0.00`."""
    return "undefined" if value is None else f"{round(value, 2) + 0.0:+.2f}"


def interval(low: float | None, high: float | None) -> str:
    """Format an interval, such as `[1.20, 3.40]`; a dash for None."""
    return "–" if low is None or high is None else f"[{low:.2f}, {high:.2f}]"
