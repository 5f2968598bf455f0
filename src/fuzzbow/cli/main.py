"""The command `fuzzbow`."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from fuzzbow import __version__
from fuzzbow.cli import index, vectors
from fuzzbow.cli.console import end_like_ctrl_c, flush_output, output, set_loudness
from fuzzbow.cli.dedupe import dedupe
from fuzzbow.cli.encode import encode
from fuzzbow.cli.join import join
from fuzzbow.cli.plain_help import plain_parameters, with_plain_help
from fuzzbow.cli.score import score
from fuzzbow.cli.search import search
from fuzzbow.cli.selection import outliers, representatives
from fuzzbow.cli.serve import serve
from fuzzbow.cli.similarity import demo, similarity

# heavy, and imported only where they are asked for: name -> module with an `app`
EXPERIMENTS = {"eval": "fuzzbow.cli.evaluation", "sts": "fuzzbow.cli.sts"}


class Commands(TyperGroup):
    """The commands, with the experiments behind the others."""

    def get_params(self, ctx: Any) -> Any:
        """Options, as their help shows them."""
        return plain_parameters(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:
        """Names in the order of the help page."""
        return [*super().list_commands(ctx), *EXPERIMENTS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by name."""
        if cmd_name not in EXPERIMENTS:
            return with_plain_help(super().get_command(ctx, cmd_name))
        command = typer.main.get_command(import_module(EXPERIMENTS[cmd_name]).app)
        command.name = cmd_name
        return with_plain_help(command)


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Compare texts as fuzzy sets of word vectors.",
)
app.command()(demo)
app.command()(similarity)
app.command()(score)
app.command()(encode)
app.add_typer(index.app, name="index")
app.command()(search)
app.command()(dedupe)
app.command()(join)
app.command()(outliers)
app.command()(representatives)
app.command()(serve)
app.add_typer(vectors.app, name="vectors")


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
    set_loudness(quiet=quiet, verbose=verbose)


def run() -> None:
    """Entry point."""
    end_like_ctrl_c()
    try:
        app()
    finally:
        flush_output()
