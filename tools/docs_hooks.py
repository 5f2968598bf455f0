"""What the documentation shows and nobody writes: pictures, benchmarks, commands, changes.

MkDocs calls this; nothing that it makes is kept in the repository.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docs_pictures import pictures
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from fuzzbow.palette import themed

ROOT = Path(__file__).parents[1]

EXPLANATION = "<!-- explanation of the first example -->"
FIELDS = re.compile(r"<!-- fields of ([\w.]+)\.(\w+) -->")
EXAMPLE = ("He has a cat", "She had one dog")  # the first of the home page


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages and pictures that are made."""
    for name, content in generated():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put an explanation, as a notebook shows it, and tables of fields where a page asks."""
    if EXPLANATION in markdown:
        import fuzzbow

        markdown = markdown.replace(EXPLANATION, fuzzbow.load().explain(*EXAMPLE).to_html())
    return FIELDS.sub(lambda found: fields_table(found[1], found[2]), markdown)


def fields_table(module: str, name: str) -> str:
    """The fields of a dataclass with their types and the comments beside them."""
    lines = (ROOT / "src" / f"{module.replace('.', '/')}.py").read_text("utf-8").splitlines()
    tree = ast.parse("\n".join(lines))
    kind = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    rows = [
        f"| `{ast.unparse(field.target)}` | `{ast.unparse(field.annotation)}` |"
        f" {lines[field.lineno - 1].partition('  # ')[2]} |"
        for field in kind.body
        if isinstance(field, ast.AnnAssign)
    ]
    return "\n".join(["| field | type | |", "|---|---|---|", *rows])


def generated() -> Iterator[tuple[str, str]]:
    """Names and contents of what is made."""
    yield from pictures()
    yield "stylesheets/palette.css", themed("[data-md-color-scheme]")
    yield "benchmarks.md", (ROOT / "benchmarks" / "README.md").read_text("utf-8")
    yield "changelog.md", (ROOT / "CHANGELOG.md").read_text("utf-8")
    yield "reference/command-line.md", command_page()


def command_page() -> str:
    """The help of every command."""
    import typer

    from fuzzbow.cli.main import app

    parts = ["# Command line", "Data go to stdout, messages to stderr; exit code 0 is done, 1"]
    parts[-1] += " failed, 2 wrong usage."
    for path, text in _helps(typer.main.get_command(app), ("fuzzbow",)):
        parts += [f"## {' '.join(path)}", f"```text\n{text}\n```"]
    return "\n\n".join(parts) + "\n"


def _helps(command: Any, path: tuple[str, ...], above: Any = None) -> Iterator[tuple[Any, str]]:
    """The help of a command and of those below it, as plain text."""
    context = command.make_context(path[-1], ["--help"], parent=above, resilient_parsing=True)
    command.rich_markup_mode = None
    yield path, command.get_help(context).rstrip()
    for name in command.list_commands(context) if hasattr(command, "list_commands") else ():
        yield from _helps(command.resolve_command(context, [name])[1], (*path, name), context)
