"""Explanations in a terminal and in a file, for every command that has --explain."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path

from fuzzbow.atomic import replacing
from fuzzbow.cli.console import output, say
from fuzzbow.tasks.explain import Explanation, html_page


def show_explanation(explanation: Explanation, title: str = "") -> None:
    """Tables with bars on stdout, under a title such as a hit's id."""
    if isinstance(sys.stdout, TextIOWrapper):  # a bar or a word that it cannot show is no failure
        sys.stdout.reconfigure(errors="replace")
    if title:
        output.rule(title, align="left", style="dim")
    output.print(explanation, soft_wrap=False)


def write_page(path: Path, explanations: Sequence[Explanation]) -> None:
    """One page that needs nothing else, with all explanations."""
    with replacing(path) as beside:
        beside.write_text(html_page(explanations), encoding="utf-8")
    say(f"explanation written to {path}")
