"""Integrations are imported when asked for, and say what they need."""

from __future__ import annotations

import subprocess
import sys

LIBRARIES = {  # module of fuzzbow.integrations, and extra -> module that it needs
    "sklearn": "sklearn",
    "pandas": "pandas",
    "polars": "polars",
    "duckdb": "duckdb",
    "langchain": "langchain_core",
    "haystack": "haystack",
    "spacy": "spacy",
    "mteb": "mteb",
}


def test_a_missing_library_is_named_with_its_extra():
    code = (
        f"import importlib, sys\nsys.modules.update(dict.fromkeys({[*LIBRARIES.values()]!r}))\n"
        f"for name in {[*LIBRARIES]!r}:\n"
        "    try: importlib.import_module('fuzzbow.integrations.' + name)\n"
        "    except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for line, name in zip(done.stdout.splitlines(), LIBRARIES, strict=True):
        assert f'pip install "fuzzbow[{name}]"' in line
