"""What the README shows is what happens."""

from __future__ import annotations

import doctest
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def test_python_examples_are_true():
    result = doctest.testfile(str(README), module_relative=False)
    assert result.attempted >= 8
    assert result.failed == 0


def test_shown_output_of_commands_is_true():
    shown = re.findall(r"^\$ (fuzzbow .*)\n([^$`\n].*)$", README.read_text("utf-8"), re.MULTILINE)
    assert shown
    for command, output in shown:
        program = Path(sys.executable).with_name("fuzzbow")
        done = subprocess.run(
            [program, *shlex.split(command)[1:]], capture_output=True, text=True, timeout=60
        )
        assert done.stdout.strip() == output


def test_quality_in_the_readme_is_that_of_the_benchmark():
    results = README.parent / "benchmarks" / "results" / "default_vectors.json"
    data = json.loads(results.read_text("utf-8"))
    ours, dynamax = data["chosen"]["sts_raw"], data["other_measures"][0]["sts_raw"]
    text = " ".join(README.read_text("utf-8").split())
    assert f"{ours:.1f} for `weighted-jaccard`, {dynamax:.1f} for `dynamax-jaccard`" in text
