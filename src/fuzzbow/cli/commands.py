"""Registry of the commands of `fuzzbow`: a new command needs one line in COMMANDS."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from fuzzbow.cli.help import plain_parameters, with_plain_help


def load_command(name: str) -> Any:
    """Import a command of COMMANDS."""
    module, attribute, _ = COMMANDS[name]
    found = app = getattr(import_module(module), attribute)
    if not isinstance(found, typer.Typer):
        app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        app.command(name)(found)
    command = typer.main.get_command(app)
    command.name = name
    return with_plain_help(command)


# name -> module, function or `app` there, and line on the help page, in the order of that page; the
# line is the first paragraph of the docstring, known without an import
COMMANDS = {
    "demo": (
        "fuzzbow.cli.similarity",
        "demo",
        "Compare a few sentences by four measures on the embedded vectors.",
    ),
    "similarity": (
        "fuzzbow.cli.similarity",
        "similarity",
        "Compare two texts and print one number; with --explain, the share of each word.",
    ),
    "score": (
        "fuzzbow.cli.score",
        "score",
        "Score the pairs of a file, row by row, whatever its size.",
    ),
    "encode": (
        "fuzzbow.cli.encode",
        "encode",
        "Encode each text of a file as a row of numbers, for tools that work with vectors.",
    ),
    "search": (
        "fuzzbow.cli.search",
        "search",
        "Find the texts of an index that are most similar to a query, exactly.",
    ),
    "dedupe": (
        "fuzzbow.cli.dedupe",
        "dedupe",
        "Find rows whose texts have the same meaning; every pair above the threshold is found.",
    ),
    "join": (
        "fuzzbow.cli.join",
        "join",
        "Match each row of a file with the most similar rows of another, exactly.",
    ),
    "outliers": (
        "fuzzbow.cli.selection",
        "outliers",
        "Find rows whose texts are least similar to any other row, exactly.",
    ),
    "representatives": (
        "fuzzbow.cli.selection",
        "representatives",
        "Choose rows whose texts cover all rows best.",
    ),
    "serve": (
        "fuzzbow.cli.serve",
        "serve",
        "Serve similarity, explanations and search over HTTP, with an interactive page at /.",
    ),
    "index": (
        "fuzzbow.cli.index",
        "app",
        "Exact search: `fuzzbow index FILE -o DIR` builds an index, `fuzzbow search` asks it.",
    ),
    "vectors": ("fuzzbow.cli.vectors", "app", "Word vectors: list, describe, convert, distil."),
    "eval": (
        "fuzzbow.cli.evaluation",
        "app",
        "Evaluate measures on your own data, compared with BM25 and TF-IDF.",
    ),
    "sts": ("fuzzbow.cli.sts", "app", "The paper's experiments on STS data."),
}


class Commands(TyperGroup):
    """Group of the commands of COMMANDS, imported when they or their help are called."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._loaded: dict[str, Any] = {}
        self._summaries_only = False
        # placeholders for the help page, completion and suggestions for a mistyped name
        for name, (_, _, summary) in COMMANDS.items():
            self.commands[name] = TyperCommand(name, help=summary)

    def get_params(self, ctx: Any) -> Any:
        """Return the options as the help page shows them."""
        return plain_parameters(super().get_params(ctx))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import a command by name; the help page uses a placeholder instead."""
        if self._summaries_only or cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        if cmd_name not in self._loaded:
            self._loaded[cmd_name] = load_command(cmd_name)
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
