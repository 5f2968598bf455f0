"""Installed without a compiler, the package works on the reference engine and says so once."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
sys.modules["fuzzbow._kernel"] = None
import fuzzbow
info = fuzzbow.engine.engine_info()
print(info["engine"], "|", info["why"])
print("imported", file=sys.stderr)
model = fuzzbow.load()
print([model.similarity("a cat", "a cat") for _ in range(3)])
print(fuzzbow.load().matrix([f"cat {n}" for n in range(100)]).shape)
try:
    fuzzbow.load(engine="compiled")
except fuzzbow.InputError as error:
    print(error)
"""


def test_the_reference_engine_works_and_one_warning_names_the_remedy():
    command = [sys.executable, "-c", CODE]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    info, scores, shape, error = done.stdout.splitlines()
    assert info.startswith("reference ")
    assert "fuzzbow._kernel" in info
    assert (scores, shape) == ("[1.0, 1.0, 1.0]", "(100, 100)")
    assert "compiled engine is not installed" in error
    first, *warning = done.stderr.splitlines()
    assert first == "imported"  # by then, silently
    assert "\n".join(warning).count("without its compiled kernels") == 1
    assert "pip install" in done.stderr
