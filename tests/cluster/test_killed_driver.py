"""A process that is killed in any kind of task resumes, and the result does not change."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import fuzzbow
from fuzzbow import cluster
from fuzzbow.cluster.executors import THIS_PROCESS, Executor
from tests.cluster.tasks import FatalProcess

KINDS = {"dedupe": 3, "join": 3, "score": 2}  # of tasks: one converts the CSV file


def run_job(name: str, data: Path, folder: Path, executor: Executor) -> Any:
    """Run a job in shards and return its result as plain values."""
    model = fuzzbow.load(limit=3000)
    options: dict[str, Any] = {"model": model, "shards": 3, "executor": executor}
    if name == "dedupe":
        pairs = cluster.dedupe(data, folder, text="text", threshold=0.6, **options).pairs
        return pairs.to_arrow().to_pylist()
    if name == "join":
        on = {"left_on": "text", "right_on": "other", "threshold": 0.5, "k": 2}
        found = cluster.join(data, data, folder, **on, **options)
        return [(*part.left, *part.right, *part.score.astype(str)) for part in found.matches()]
    scored = cluster.score(data, folder, left="text", right="other", **options)
    return [values.tolist() for values in scored.scores()]


@pytest.mark.parametrize("name", KINDS)
def test_a_driver_killed_before_and_after_each_kind_of_task_resumes(name: str, tmp_path: Path):
    words = ["cat", "dog", "house", "river", "plane", "tree", "road"]
    texts = [f"{words[n % 7]} {words[n * 3 % 5]} {words[n * 2 % 6]}" for n in range(30)]
    data = tmp_path / "in.csv"
    rows = zip(texts, texts[1:] + texts[:1], strict=True)
    data.write_text("text,other\n" + "".join(f"{a},{b}\n" for a, b in rows))
    (tmp_path / "killed").mkdir()
    code = (
        "import sys; from pathlib import Path; from tests.cluster import test_killed_driver\n"
        f"test_killed_driver.run_fatally({name!r}, Path({str(tmp_path)!r}))"
    )
    kills = 0
    while done := subprocess.run([sys.executable, "-c", code], check=False).returncode:
        assert done == -signal.SIGKILL
        kills += 1
    assert kills == 2 * KINDS[name]
    resumed = run_job(name, data, tmp_path / "run", THIS_PROCESS)
    assert resumed == run_job(name, data, tmp_path / "whole", THIS_PROCESS)


def run_fatally(name: str, folder: Path) -> None:
    """Run a job in a process that is killed at each kind of task."""
    run_job(name, folder / "in.csv", folder / "run", FatalProcess(str(folder / "killed")))
