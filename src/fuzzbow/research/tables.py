"""Tables of results for terminals, Markdown, LaTeX and CSV, and results as JSON."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from rich.cells import cell_len
from rich.table import Table as RichTable
from rich.text import Text

from fuzzbow import __version__
from fuzzbow.text import visible_line, whole_value

LATEX_SPECIAL = re.compile(r"[&%$#_{}~^\\]")
NAME_CELLS = 24


@dataclass(frozen=True)
class ResultTable:
    """Table of texts; `align` has an l or r for each column, as in LaTeX."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    align: str
    title: str = ""
    caption: str = ""
    rules: frozenset[int] = frozenset()  # rows with a line above


def to_terminal(table: ResultTable) -> RichTable:
    """Convert to a table for a terminal; long names are wrapped, never cut."""
    made = RichTable(title=Text(visible_line(table.title)), caption=table.caption or None)
    for number, (name, side) in enumerate(zip(table.columns, table.align, strict=True)):
        longest = max((cell_len(row[number]) for row in table.rows), default=0)
        names = side == "l"
        made.add_column(
            Text(visible_line(name)),
            justify="left" if names else "right",
            overflow="fold" if names else "ellipsis",
            min_width=min(longest, NAME_CELLS) if number == 0 else None,
        )
    for number, row in enumerate(table.rows):
        if number in table.rules:
            made.add_section()
        made.add_row(*(Text(visible_line(cell)) for cell in row))
    return made


def to_markdown(table: ResultTable) -> str:
    """Write a Markdown table, without title and caption."""
    rule = ["---" if side == "l" else "---:" for side in table.align]
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in table.rows]
    rows = (list(table.columns), rule, *escaped)
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def to_latex(table: ResultTable, label: str) -> str:
    r"""Write a floating LaTeX table with booktabs, for \input; cells must be LaTeX.

    A first cell that repeats the one above is left empty.
    """
    lines, above = [], ""
    for number, row in enumerate(table.rows):
        if number in table.rules:
            lines.append(r"\midrule")
        first = "" if row[0] == above and number not in table.rules else row[0]
        above = row[0]
        lines.append(" & ".join([first, *row[1:]]).replace("–", "--") + r" \\")
    return "\n".join(
        [
            r"\begin{table}", r"\centering", rf"\caption{{{table.caption}}}", rf"\label{{{label}}}",
            rf"\begin{{tabular}}{{{table.align}}}", r"\toprule",
            " & ".join(table.columns) + r" \\", r"\midrule", *lines,
            r"\bottomrule", r"\end{tabular}", r"\end{table}",
        ]
    )  # fmt: skip


def latex(text: str) -> str:
    """Escape plain text for LaTeX."""
    named = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return LATEX_SPECIAL.sub(lambda match: named.get(match[0], "\\" + match[0]), text)


def write_csv(stream: IO[str], columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as CSV; a value that a row lacks is empty."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([whole_value(row.get(column)) for column in columns] for row in rows)


def results_dict(**parts: Any) -> dict[str, Any]:
    """Return results of a command of `research` as plain data, with the version and the scale."""
    return {"fuzzbow": __version__, "scale": "correlations and metrics are times 100", **parts}


def results_text(results: Mapping[str, Any]) -> str:
    """Write the text of a results file."""
    return json.dumps(results, indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def number(value: float | None, digits: int = 2) -> str:
    """Format a number, such as `58.20`; `undefined` for None."""
    return "undefined" if value is None else f"{value:.{digits}f}"


def signed(value: float | None) -> str:
    """Format a number with its sign, such as `+1.50`; `undefined` for None, never `-0.00`."""
    return "undefined" if value is None else f"{round(value, 2) + 0.0:+.2f}"


def interval(low: float | None, high: float | None) -> str:
    """Format an interval, such as `[1.20, 3.40]`; a dash for None."""
    return "–" if low is None or high is None else f"[{low:.2f}, {high:.2f}]"
