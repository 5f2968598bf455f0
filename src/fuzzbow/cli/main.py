"""The command `fuzzbow`, and the registry of its commands: a new one needs one line in COMMANDS."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from fuzzbow import __version__
from fuzzbow.cli.console import end_like_ctrl_c, flush_output, output, set_verbosity
from fuzzbow.cli.help import arrange, arrange_help

# name -> module of a function of this name, or of `app`, and line on the help page, in the order of
# that page; the line is the first paragraph of the docstring, known without an import
COMMANDS = {
    "demo": ("similarity", "Compare a few sentences by four measures on the embedded vectors."),
    "similarity": (
        "similarity",
        "Compare two texts and print one number; with --explain, the share of each word.",
    ),
    "score": ("score", "Score the pairs of a file, row by row, whatever its size."),
    "encode": (
        "score",
        "Encode each text of a file as a row of numbers, for tools that work with vectors.",
    ),
    "search": ("search", "Find the texts of an index that are most similar to a query, exactly."),
    "dedupe": (
        "dedupe",
        "Find rows whose texts have the same meaning; every pair above the threshold is found.",
    ),
    "join": ("join", "Match each row of a file with the most similar rows of another, exactly."),
    "outliers": (
        "selection",
        "Find rows whose texts are least similar to any other row, exactly.",
    ),
    "representatives": ("selection", "Choose rows whose texts cover all rows best."),
    "serve": (
        "serve",
        "Serve similarity, explanations and search over HTTP, with an interactive page at /.",
    ),
    "index": (
        "index",
        "Exact search: `fuzzbow index FILE -o DIR` builds an index, `fuzzbow search` queries it.",
    ),
    "vectors": ("vectors", "List, describe, convert and distil word vectors."),
    "eval": ("evaluation", "Evaluate measures on your own data, compared with BM25 and TF-IDF."),
    "sts": ("sts", "The paper's experiments on STS data."),
}


@cache
def load_command(name: str) -> Any:
    """Import a command of COMMANDS."""
    module = import_module(f"fuzzbow.cli.{COMMANDS[name][0]}")
    app = getattr(module, "app", None)
    if app is None:
        app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        app.command(name)(getattr(module, name))
    command = typer.main.get_command(app)
    command.name = name
    arrange_help(command)
    return command


class Commands(TyperGroup):
    """Group of the commands of COMMANDS, each imported when it is called.

    The help page, completion and suggestions for a mistyped name use placeholders.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        for name, (_, summary) in COMMANDS.items():
            self.commands[name] = TyperCommand(name, help=summary)

    def get_params(self, ctx: Any) -> Any:
        """Return the options as the help page shows them."""
        return arrange(super().get_params(ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Import the command that the arguments name."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, load_command(name) if name in COMMANDS else command, rest


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Compare texts as fuzzy sets of word vectors.",
)


def _version(wanted: bool) -> None:
    if wanted:
        output.print(f"fuzzbow {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Show no messages and no progress, only errors.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show settings, and the time of each step.")
    ] = False,
) -> None:
    """Compare texts as fuzzy sets of word vectors."""
    set_verbosity(quiet=quiet, verbose=verbose)


class WithoutPandas(MetaPathFinder, Loader):
    """Import finder that hides pandas from pyarrow, which saves 0.3 s and 30 MB."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        """Return a spec for pandas only."""
        return spec_from_loader(fullname, self) if fullname == "pandas" else None

    def exec_module(self, module: ModuleType) -> None:
        """Raise ModuleNotFoundError."""
        raise ModuleNotFoundError("no command uses pandas", name="pandas")


def run() -> None:
    """Run the command line: entry point of `fuzzbow`."""
    sys.meta_path.insert(0, WithoutPandas())
    end_like_ctrl_c()
    try:
        app()
    finally:
        flush_output()
