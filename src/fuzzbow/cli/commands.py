"""Every command of `fuzzbow`. A new one is registered in COMMANDS, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from fuzzbow.cli.plain_help import plain_parameters, with_plain_help


@dataclass(frozen=True)
class CommandEntry:
    """One command: its module, its function or `app` there, and its line on the help page."""

    module: str
    attribute: str
    summary: str  # the first paragraph of its docstring, known without an import

    def load(self, name: str) -> Any:
        """Import the command."""
        found = getattr(import_module(self.module), self.attribute)
        app = found
        if not isinstance(found, typer.Typer):
            app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
            app.command(name)(found)
        command = typer.main.get_command(app)
        command.name = name
        return with_plain_help(command)


# name -> entry, in the order of the help page
COMMANDS: dict[str, CommandEntry] = {
    "demo": CommandEntry(
        "fuzzbow.cli.similarity",
        "demo",
        "Compare a few sentences by four measures on the embedded vectors.",
    ),
    "similarity": CommandEntry(
        "fuzzbow.cli.similarity",
        "similarity",
        "Compare two texts and print one number; with --explain, what each word adds to it.",
    ),
    "score": CommandEntry(
        "fuzzbow.cli.score", "score", "Score the pairs of a file, row by row, whatever its size."
    ),
    "encode": CommandEntry(
        "fuzzbow.cli.encode",
        "encode",
        "Give each text of a file a row of numbers, for tools that work with vectors.",
    ),
    "search": CommandEntry(
        "fuzzbow.cli.search",
        "search",
        "Find the texts of an index that are most similar to a query, exactly.",
    ),
    "dedupe": CommandEntry(
        "fuzzbow.cli.dedupe",
        "dedupe",
        "Find rows whose texts say the same, exactly, however many rows there are.",
    ),
    "join": CommandEntry(
        "fuzzbow.cli.join",
        "join",
        "Match each row of a file with the most similar rows of another, exactly.",
    ),
    "outliers": CommandEntry(
        "fuzzbow.cli.selection",
        "outliers",
        "Find rows whose texts are least similar to any other row, exactly.",
    ),
    "representatives": CommandEntry(
        "fuzzbow.cli.selection",
        "representatives",
        "Choose rows whose texts cover all rows best.",
    ),
    "serve": CommandEntry(
        "fuzzbow.cli.serve",
        "serve",
        "Serve similarity, explanations and search over HTTP, with a page at / to play with.",
    ),
    "index": CommandEntry(
        "fuzzbow.cli.index",
        "app",
        "Exact search: `fuzzbow index FILE -o DIR` builds an index, `fuzzbow search` asks it.",
    ),
    "vectors": CommandEntry(
        "fuzzbow.cli.vectors", "app", "Word vectors: list, look at, convert, distil."
    ),
    "eval": CommandEntry(
        "fuzzbow.cli.evaluation",
        "app",
        "Measure how well measures do on your own data, beside BM25 and TF-IDF.",
    ),
    "sts": CommandEntry("fuzzbow.cli.sts", "app", "The paper's experiments on STS data."),
}


class Commands(TyperGroup):
    """The commands of COMMANDS; each is imported when it is called or asked for its help."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._loaded: dict[str, Any] = {}
        self._summaries_only = False
        # stand-ins: they serve the help page, completion and suggestions for a mistyped name
        for name, entry in COMMANDS.items():
            self.commands[name] = TyperCommand(name, help=entry.summary)

    def get_params(self, ctx: Any) -> Any:
        """Options, as their help shows them."""
        return plain_parameters(super().get_params(ctx))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import a command by name; on the help page its stand-in is enough."""
        if self._summaries_only or cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        if cmd_name not in self._loaded:
            self._loaded[cmd_name] = COMMANDS[cmd_name].load(cmd_name)
        return self._loaded[cmd_name]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help page without importing the commands."""
        with self._summaries():
            super().format_help(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Complete the name of a command without importing the commands."""
        with self._summaries():
            return super().shell_complete(ctx, incomplete)

    @contextmanager
    def _summaries(self) -> Iterator[None]:
        self._summaries_only = True
        try:
            yield
        finally:
            self._summaries_only = False
