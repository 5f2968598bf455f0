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


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_import_of_fuzzbow_imports_no_integration_and_no_library():
    wanted = ["fuzzbow.integrations", "rapidfuzz", *LIBRARIES.values()]
    code = f"import sys, fuzzbow; print([name for name in {wanted!r} if name in sys.modules])"
    assert python(code) == "[]"


def test_a_missing_library_is_named_with_its_extra():
    code = (
        f"import importlib, sys\nsys.modules.update(dict.fromkeys({[*LIBRARIES.values()]!r}))\n"
        f"for name in {[*LIBRARIES]!r}:\n"
        "    try: importlib.import_module('fuzzbow.integrations.' + name)\n"
        "    except ImportError as error: print(error)"
    )
    said = python(code).splitlines()
    assert len(said) == len(LIBRARIES)
    for line, name in zip(said, LIBRARIES, strict=True):
        assert f'pip install "fuzzbow[{name}]"' in line
