"""Tables of results for notebooks and terminals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from fuzzbow.text import visible_line

TEXT_WIDTH = 72  # characters of a text in a table
SHOWN_ROWS = 20  # of a table in a notebook


def html_table(caption: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table in HTML; every cell is escaped."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return (
        f"<table><caption>{escape(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def plain_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], left: tuple[str, ...] = ("text",)
) -> str:
    """Format a table as plain text; columns whose names end with `left` are left-aligned."""
    cells = [header, *rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if name.endswith(left) else cell.rjust(width)
            for cell, width, name in zip(row, widths, header, strict=True)
        ).rstrip()
        for row in cells
    )


def table_cell(value: Any) -> str:
    """Show a value in a table."""
    if value is None:
        return "–"
    return f"{value:.4f}" if isinstance(value, float) else short_line(str(value))


def short_line(text: str) -> str:
    """Show a text as one line of a bounded length."""
    line = visible_line(" ".join(text.split()))
    return line if len(line) <= TEXT_WIDTH else line[: TEXT_WIDTH - 1] + "…"
