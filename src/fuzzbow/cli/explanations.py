"""Explanations in a terminal and in a file, for every command that has --explain."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path

from rich.text import Text

from fuzzbow.cli.console import info, output
from fuzzbow.explain import Explanation, html_page
from fuzzbow.explain.terminal import rich_explanation
from fuzzbow.io.atomic import replacing
from fuzzbow.plurals import counted
from fuzzbow.text import visible_line

MOST_ON_PAGE = 100  # explanations of one page: a browser has to draw them all

Titled = tuple[str, Explanation]  # with what it is about, such as a hit's id


def show_explanations(explanations: Sequence[Titled], *, counting: bool = False) -> None:
    """Print tables with bars, each under its title if it has one.

    With `counting`, words that add nothing to the score are left out.
    """
    show_anything()
    for title, explanation in explanations:
        if title:
            output.rule(Text(visible_line(title)), align="left", style="dim")
        output.print(rich_explanation(explanation, counting=counting), soft_wrap=False)


def show_anything() -> None:
    """Make stdout replace characters that it cannot encode."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def write_page(
    path: Path, explanations: Sequence[Titled], total: int | None = None, *, intro: str = ""
) -> None:
    """Write one self-contained page; if it shows only the first of `total`, stderr says so.

    `intro` is HTML above the explanations.
    """
    shown = explanations[:MOST_ON_PAGE]
    titles = [title for title, _ in shown if title]
    page = html_page((explanation for _, explanation in shown), headings=titles, intro=intro)
    with replacing(path) as beside:
        beside.write_text(page, encoding="utf-8")
    info(f"{_how_many(len(shown), total or len(explanations))} written to {path}")


def _how_many(shown: int, total: int) -> str:
    if shown < total:
        return f"the first {shown} of {total} explanations"
    return counted(shown, "explanation")
