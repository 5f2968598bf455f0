"""Integrations are imported when asked for, and say what they need."""

from __future__ import annotations

import subprocess
import sys

import pytest

LIBRARIES = {  # module of fuzzbow.integrations -> module that it needs
    "sklearn": "sklearn",
}
EXTRAS = dict.fromkeys(LIBRARIES)


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_import_of_fuzzbow_imports_no_integration_and_no_library():
    wanted = ["fuzzbow.integrations", *LIBRARIES.values()]
    code = f"import sys, fuzzbow; print([name for name in {wanted!r} if name in sys.modules])"
    assert python(code) == "[]"


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_missing_library_is_named_with_its_extra(name):
    code = (
        f"import sys; sys.modules[{LIBRARIES[name]!r}] = None\n"
        f"try: import fuzzbow.integrations.{name}\n"
        "except ImportError as error: print(error)"
    )
    assert python(code).endswith(f'pip install "fuzzbow[{name}]"')
