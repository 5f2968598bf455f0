"""Installed without a compiler, the package works on the reference engine and says so once."""

from __future__ import annotations

import subprocess
import sys

WITHOUT = "import sys; sys.modules['fuzzbow._kernel'] = None; import fuzzbow; "


def python(code: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT + code]
    return subprocess.run(command, capture_output=True, text=True, check=True)


def test_import_is_silent():
    assert python("").stderr == ""


def test_engine_info_says_reference_and_why():
    shown = python(
        "info = fuzzbow.engine.engine_info(); print(info['engine'], '|', info['why'])"
    ).stdout
    assert shown.startswith("reference ")
    assert "fuzzbow._kernel" in shown


def test_one_warning_names_the_remedy():
    done = python("print([fuzzbow.load().similarity('a cat', 'a cat') for _ in range(3)])")
    assert done.stdout == "[1.0, 1.0, 1.0]\n"
    assert done.stderr.count("without its compiled kernels") == 1
    assert "pip install" in done.stderr


def test_many_texts_work():
    code = "texts = [f'cat {n}' for n in range(100)]; print(fuzzbow.load().matrix(texts).shape)"
    assert python(code).stdout == "(100, 100)\n"


def test_asking_for_the_compiled_engine_is_refused():
    code = "try: fuzzbow.load(engine='compiled')\nexcept fuzzbow.InputError as error: print(error)"
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT.rstrip("; ") + "\n" + code],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "compiled engine is not installed" in done.stdout
