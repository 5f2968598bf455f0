"""A process that is killed in any kind of task resumes, and the result does not change."""

from __future__ import annotations

import multiprocessing
import signal
from typing import Any

import pytest

import fuzzbow
from fuzzbow import pipeline
from fuzzbow.pipeline.executor import THIS_PROCESS
from tests.command import IMPORTED
from tests.pipeline.tasks import FatalExecutor, dedupe, join

KINDS = {"dedupe": 3, "join": 3, "score": 2, "encode": 2}  # of tasks: one converts the CSV file


def run_job(name, data, folder, executor):
    """Run a job in shards and return its result as plain values."""
    model = fuzzbow.load(limit=3000)
    options: dict[str, Any] = {"model": model, "shards": 3, "executor": executor}
    if name == "dedupe":
        pairs = dedupe(data, folder, text="text", threshold=0.6, **options).pairs
        return pairs.to_arrow().to_pylist()
    if name == "join":
        on = {"left_on": "text", "right_on": "other", "threshold": 0.5, "k": 2}
        found = join(data, data, folder, **on, **options)
        return [(*part.left, *part.right, *part.score.astype(str)) for part in found]
    run = pipeline.RunOptions(executor, 3, folder)
    options = {"model": model, "run": run}
    if name == "encode":
        scored = pipeline.encode_file(data, text="text", **options)
    else:
        scored = pipeline.score_file(data, left="text", right="other", **options)
    return [values.tolist() for values in scored.arrays()]


@pytest.mark.parametrize("name", KINDS)
def test_a_driver_killed_before_and_after_each_kind_of_task_resumes(name, tmp_path):
    words = ["cat", "dog", "house", "river", "plane", "tree", "road"]
    texts = [f"{words[n % 7]} {words[n * 3 % 5]} {words[n * 2 % 6]}" for n in range(30)]
    data = tmp_path / "in.csv"
    rows = zip(texts, texts[1:] + texts[:1], strict=True)
    data.write_text("text,other\n" + "".join(f"{a},{b}\n" for a, b in rows))
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(IMPORTED)
    kills = 0
    while True:
        process = context.Process(target=run_fatally, args=(name, tmp_path))
        process.start()
        process.join(120)
        if process.exitcode == 0:
            break
        assert process.exitcode == -signal.SIGKILL
        kills += 1
    assert kills == 2 * KINDS[name]
    resumed = run_job(name, data, tmp_path / "run", THIS_PROCESS)
    assert resumed == run_job(name, data, tmp_path / "whole", THIS_PROCESS)


def run_fatally(name, folder):
    """Run a job in a process that is killed at each kind of task."""
    executor = FatalExecutor(THIS_PROCESS, folder / "killed")
    run_job(name, folder / "in.csv", folder / "run", executor)
