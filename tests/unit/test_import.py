"""Importing is silent, needs numpy only and is quick."""

from __future__ import annotations

import subprocess
import sys

HEAVY = (
    "pyarrow", "typer", "rich", "scipy", "ot", "gensim", "spacy", "model2vec", "sacremoses",
    "lance", "pandas", "torch", "triton",
)  # fmt: skip


def python(code: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True)


def test_import_is_silent():
    done = python("import fuzzbow")
    assert (done.stdout, done.stderr) == ("", "")


def test_import_needs_numpy_only():
    code = f"import sys, fuzzbow; print([name for name in {HEAVY!r} if name in sys.modules])"
    assert python(code).stdout.strip() == "[]"


def test_similarity_by_the_default_needs_numpy_only():
    blocked = f"import sys; sys.modules.update(dict.fromkeys({HEAVY!r}))"
    code = f"{blocked}; import fuzzbow; print(fuzzbow.similarity('a cat', 'a cat'))"
    assert python(code).stdout.strip() == "1.0"


def test_a_similarity_on_the_command_line_does_not_import_the_experiments():
    code = "import sys, fuzzbow.cli.main; print('fuzzbow.sts' in sys.modules)"
    assert python(code).stdout.strip() == "False"


def test_without_torch_the_error_names_the_extra():
    code = "import sys; sys.modules['torch'] = None\ntry: import fuzzbow.torch\n"
    code += "except ImportError as error: print(error)"
    assert 'pip install "fuzzbow[torch]"' in python(code).stdout
