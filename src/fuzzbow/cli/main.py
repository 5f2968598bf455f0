"""The command `fuzzbow`."""

from __future__ import annotations

from typing import Annotated

import typer

from fuzzbow import __version__
from fuzzbow.cli import sts, vectors
from fuzzbow.cli.console import output
from fuzzbow.cli.score import score
from fuzzbow.cli.similarity import demo, similarity

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Compare texts as fuzzy sets of word vectors.",
)
app.command()(demo)
app.command()(similarity)
app.command()(score)
app.add_typer(vectors.app, name="vectors")
app.add_typer(sts.app, name="sts")


def _version(wanted: bool) -> None:
    if wanted:
        output.print(f"fuzzbow {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Compare texts as fuzzy sets of word vectors."""


def run() -> None:
    """Entry point."""
    app()
