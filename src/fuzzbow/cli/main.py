"""The command `fuzzbow`."""

from __future__ import annotations

from typing import Annotated

import typer

from fuzzbow import __version__
from fuzzbow.cli.commands import Commands
from fuzzbow.cli.console import end_like_ctrl_c, flush_output, output, set_verbosity

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
        bool, typer.Option("--verbose", "-v", help="Say what is used, how long each step takes.")
    ] = False,
) -> None:
    """Compare texts as fuzzy sets of word vectors."""
    set_verbosity(quiet=quiet, verbose=verbose)


def run() -> None:
    """Run the command line: entry point of `fuzzbow`."""
    end_like_ctrl_c()
    try:
        app()
    finally:
        flush_output()
