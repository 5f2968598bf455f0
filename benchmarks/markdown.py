"""Pieces of Markdown that the generated pages are made of."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fuzzbow.io.atomic import replacing


def table(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """A Markdown table."""
    header = list(header)
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def number(value: float | None, digits: int = 1) -> str:
    """A number with thousands separated, or a dash."""
    return "–" if value is None else f"{value:,.{digits}f}"


def percent(share: float | None) -> str:
    """A share as a percentage, or a dash."""
    return "–" if share is None else f"{100 * share:.0f} %"


def inserted(page: str, mark: str, text: str) -> str:
    """Replace the part of a page between its marks."""
    begin, end = f"<!-- {mark}: begin -->", f"<!-- {mark}: end -->"
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n\n{text}\n\n{end}{after}"


def insert(path: Path, mark: str, text: str) -> None:
    """Write the part of a page between its marks."""
    made = inserted(path.read_text(encoding="utf-8"), mark, text)
    with replacing(path) as new:
        new.write_text(made, encoding="utf-8")
