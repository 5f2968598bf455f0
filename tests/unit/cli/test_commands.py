"""The registry of commands: names, summaries, and loading at the first call."""

from __future__ import annotations

import typer

from fuzzbow.cli.commands import COMMANDS, CommandEntry
from fuzzbow.cli.main import app
from tests.command import invoked


def test_summaries_are_the_first_paragraphs_of_the_commands():
    for name, entry in COMMANDS.items():
        paragraph = (entry.load(name).help or "").split("\n\n")[0]
        assert entry.summary == " ".join(paragraph.split()), name


def test_a_command_is_one_line_of_the_registry(monkeypatch):
    entry = CommandEntry(__name__, "greet", "Print a greeting.")
    monkeypatch.setitem(COMMANDS, "greet", entry)
    assert invoked("greet", "World").stdout == "Hello, World\n"
    assert "Print a greeting." in invoked("--help").stdout


def test_a_mistyped_command_is_refused_with_the_nearest_name():
    assert "similarity" in invoked("similarty", check=2).stderr


def test_every_command_is_listed_in_the_order_of_the_registry():
    group = typer.main.get_command(app)
    assert group.list_commands(None) == list(COMMANDS)


def greet(name: str) -> None:
    """Print a greeting."""
    typer.echo(f"Hello, {name}")
