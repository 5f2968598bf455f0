"""Damaged files of every format: a result or an InputError that names the file, nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.scale import steps

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")

PROCESSES = 2  # one after the other, so that one crash does not hide the rest
MUTANTS = steps(600, 100_000)
FIRST = int(os.environ.get("FUZZBOW_SEED", "0")) * 10_000_000
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("share", range(PROCESSES))
def test_damaged_files_are_read_or_refused(share: int, record_property) -> None:
    count = MUTANTS // PROCESSES
    command = [sys.executable, "-m", "tests.hostile.mutants"]
    done = subprocess.run(
        [*command, str(FIRST + share), str(count), str(PROCESSES)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=300 + count,
    )
    last = (done.stderr.split() or ["none"])[-1]
    assert done.returncode == 0, f"crashed at mutant {last}: {done.stderr[-2000:]}"
    *wrong, told = map(json.loads, done.stdout.splitlines())
    assert wrong == []
    assert told == {"read": count}
    record_property("mutants", count)
    print(f"{count} mutants read or refused")
