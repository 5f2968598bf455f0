"""Importing is silent, needs numpy only, and loads no more than is used."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import pytest

import fuzzbow
from fuzzbow.cli.main import COMMANDS

HEAVY = (
    "pyarrow", "typer", "rich", "scipy", "ot", "gensim", "spacy", "model2vec", "sacremoses",
    "lance", "pandas", "torch", "triton",
)  # fmt: skip


def python(code: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True)


# packages of the library that `import fuzzbow` and `fuzzbow similarity` do without
TASKS = (
    "fuzzbow.research", "fuzzbow.server", "fuzzbow.pipeline",
    "fuzzbow.integrations", "fuzzbow.torch",
)  # fmt: skip
COMMAND = "import sys; from fuzzbow.cli.main import app; sys.argv[1:] = {words!r}\ntry: app()\n"
COMMAND += "except SystemExit: pass\n"


def loaded(code: str, names: Sequence[str]) -> list[str]:
    """Which of these modules, or modules in them, are imported once the code has run."""
    report = f"\nimport sys; print(*(n for n in {tuple(names)!r} if n in sys.modules), sep='\\n')"
    return python(code + report).stdout.split()


def test_import_is_silent_and_loads_only_what_is_used():
    report = "print(*(n for n in {!r} if n in sys.modules))"
    code = f"""
import sys, fuzzbow
{report.format((*HEAVY, "numpy", "fuzzbow.model", "fuzzbow.measures", *TASKS))}
model = fuzzbow.load(); before = set(sys.modules)
model.similarity("a cat", "a dog")
print(*(name for name in set(sys.modules) - before if name.startswith("fuzzbow")))
{report.format((*HEAVY, *TASKS, "csv", "sqlite3", "asyncio"))}
print(all(hasattr(fuzzbow, name) for name in fuzzbow.__all__))
"""
    done = python(code)
    assert (done.stdout, done.stderr) == ("\n\n\nTrue\n", "")


def test_similarity_by_the_default_needs_numpy_only():
    blocked = f"import sys; sys.modules.update(dict.fromkeys({HEAVY!r}))"
    code = f"{blocked}; import fuzzbow; print(fuzzbow.similarity('a cat', 'a cat'))"
    assert python(code).stdout.strip() == "1.0"


def test_help_loads_no_command():
    names = [f"fuzzbow.cli.{module}" for module, _ in COMMANDS.values()]
    code = COMMAND.format(words=["--help"])
    found = loaded(code, ["numpy", "fuzzbow.model", "fuzzbow.cli.options", *names, *TASKS])
    assert [line for line in found if line.startswith(("numpy", "fuzzbow."))] == []


def test_similarity_on_the_command_line_loads_no_tasks():
    heavy = [name for name in HEAVY if name not in ("typer", "rich")]
    found = loaded(COMMAND.format(words=["similarity", "a", "a"]), [*heavy, "numpy.ma", *TASKS])
    assert found == ["1.0000"]


def test_imports_for_type_checkers_are_those_at_run_time():
    tree = ast.parse(Path(fuzzbow.__file__).read_text("utf-8"))
    written = next(node for node in tree.body if isinstance(node, ast.If)).body
    typed = {node.module: [name.name for name in node.names] for node in written}
    assert typed == {f"fuzzbow.{package}": names for package, names in fuzzbow._HOMES.items()}
    assert {*chain(*typed.values()), "__version__"} == set(fuzzbow.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        fuzzbow.nothing  # noqa: B018


def test_without_torch_the_error_names_the_extra():
    code = "import sys; sys.modules['torch'] = None\ntry: import fuzzbow.torch\n"
    code += "except ImportError as error: print(error)"
    assert 'pip install "fuzzbow[torch]"' in python(code).stdout
