"""A table of parameters below each signature: type, default, and what is said of it."""

from __future__ import annotations

import re
from typing import Any

import griffe

OWN = ("self", "cls")
# what means the same everywhere, and is not repeated in every docstring
COMMON = {
    "threads": "how many to use at most, of four for each core; all cores unless given",
    "progress": "`True` for a bar, or a function that hears how much is done, of how much",
    "keep": 'which text of a group stays, "first" or "longest"',
    "linkage": 'what a group is, "leader", "single" or "complete": see `groups`',
    "seed": "of the random numbers",
    "indent": "spaces for each level; none for one line",
}
EXAMPLE = re.compile(r"^(?:>>>|\.\.\.) .*(?:\n(?!\n).*)*", re.MULTILINE)
CLAUSE_END = re.compile(r"(?<=[.;])\s+(?=[`A-Z])")


class Parameters(griffe.Extension):
    """Adds the table to docstrings, which name parameters in their prose."""

    def on_function(self, *, func: griffe.Function, **more: Any) -> None:
        """Change the docstring before it is rendered."""
        named = [item for item in func.parameters if item.name not in OWN]
        if func.docstring is None or not named or func.name.startswith("_"):
            return
        prose = EXAMPLE.sub("", func.docstring.value)
        rows = [
            f"| `{item.name}` | {_code(item.annotation)} | {_code(item.default)} |"
            f" {said_of(item.name, prose)} |"
            for item in named
        ]
        table = ["| parameter | type | default | |", "|---|---|---|---|", *rows]
        func.docstring.value += "\n\n" + "\n".join(table) + "\n"


def _code(value: object) -> str:
    """A type or a default as the signature has it; nothing where there is none."""
    return "" if value is None else f"`{value}`"


def said_of(name: str, prose: str) -> str:
    """The first clause that names a parameter, on one line.

    >>> said_of("k", "The best texts. `k` of them at most; equal ones\\n in their order.")
    '`k` of them at most; equal ones in their order'
    """
    paragraphs = (" ".join(part.split()) for part in prose.split("\n\n"))
    clauses = (clause for part in paragraphs for clause in CLAUSE_END.split(part))
    found = next((clause for clause in clauses if f"`{name}`" in clause), COMMON.get(name, ""))
    return found.rstrip(".;").replace("|", "\\|")
