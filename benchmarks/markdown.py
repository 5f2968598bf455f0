"""Pieces of Markdown that the generated pages are made of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


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
