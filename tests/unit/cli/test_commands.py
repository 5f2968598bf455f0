"""The registry of commands: names, summaries, and loading at the first call."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest
import typer

from fuzzbow.cli import files
from fuzzbow.cli.help import PANEL_OF, PANELS
from fuzzbow.cli.main import COMMANDS, load_command
from fuzzbow.io import FORMATS
from fuzzbow.io.tables import TableFormat
from fuzzbow.model import PURPOSES
from fuzzbow.plurals import listed
from fuzzbow.research.evaluation import BASELINES
from fuzzbow.research.evaluation.sets import KINDS
from fuzzbow.text import TOKENIZERS
from fuzzbow.vectors.weights import Weights
from tests.command import invoked


def test_summaries_are_the_first_paragraphs_of_the_commands():
    for name, (_, summary) in COMMANDS.items():
        paragraph = (load_command(name).help or "").split("\n\n")[0]
        assert summary == " ".join(paragraph.split()), name


def test_a_command_is_one_line_of_the_registry(monkeypatch):
    monkeypatch.setitem(sys.modules, "fuzzbow.cli.greeting", SimpleNamespace(greet=greet))
    monkeypatch.setitem(COMMANDS, "greet", ("greeting", "Print a greeting."))
    assert invoked("greet", "World").stdout == "Hello, World\n"
    shown = invoked("--help").stdout
    assert "Print a greeting." in shown
    positions = [shown.index(f"│ {name} ") for name in COMMANDS]
    assert positions == sorted(positions)


def test_a_mistyped_command_is_refused_with_the_nearest_name():
    assert "similarity" in invoked("similarty", check=2).stderr


@pytest.mark.parametrize(
    ("words", "registry"),
    [
        (("dedupe",), list(FORMATS)),
        (("similarity",), list(TOKENIZERS)),
        (("similarity",), list(PURPOSES)),
        (("similarity",), [kind.value for kind in Weights]),
        (("eval",), list(BASELINES)),
        (("eval",), list(KINDS)),
    ],
)
def test_help_lists_what_is_registered(words, registry):
    shown = " ".join(invoked(*words, "--help", env={"COLUMNS": "300"}).stdout.split())
    assert ", ".join(registry) in shown or listed(registry, "or") in shown


def test_formats_that_stdout_can_have_are_those_of_the_registry(monkeypatch):
    toy = TableFormat("toy", (".toy",), lambda *parts: None, lambda *parts: None)
    monkeypatch.setitem(FORMATS, "toy", toy)
    assert files.printable() == ["csv", "tsv", "jsonl", "toy"]


def greet(name: str) -> None:
    """Print a greeting."""
    typer.echo(f"Hello, {name}")


def _options(command) -> set[str]:
    below = getattr(command, "commands", None)
    if below is not None:
        return set().union(*map(_options, below.values()))
    return {item.name for item in command.params if item.param_type_name == "option"}


def test_every_option_of_a_panel_is_an_option_of_some_command():
    known = set().union(*(_options(load_command(name)) for name in COMMANDS))
    assert set(PANEL_OF) <= known
    assert len(PANEL_OF) == sum(map(len, PANELS.values()))


def test_help_shows_panels_in_one_order():
    shown = invoked("dedupe", "--help").stdout
    places = [shown.index(f"─ {panel} ─") for panel in PANELS if panel != "Limits"]
    assert places == sorted(places)
