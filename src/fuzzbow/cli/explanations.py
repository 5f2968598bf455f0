"""Explanations in a terminal, for every command that has --explain."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import TextIOWrapper

from rich.text import Text

from fuzzbow.cli.console import output
from fuzzbow.explain import Titled
from fuzzbow.explain.terminal import rich_explanation
from fuzzbow.text import visible_line


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
