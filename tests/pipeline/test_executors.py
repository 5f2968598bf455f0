"""Each executor runs every task once; Ray repeats those of killed workers."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter

import pytest

from fuzzbow.engine.threads import current_threads
from fuzzbow.errors import InputError
from fuzzbow.pipeline import ThisProcess, open_executor
from tests.pipeline import tasks


@pytest.fixture(params=["this process", "ray"])
def executor(request):
    """Each executor, with one thread a task."""
    if request.param == "ray":
        return request.getfixturevalue("ray_executor")
    return ThisProcess(threads=1)


def test_every_task_is_returned_once_with_its_result(executor):
    assert sorted(executor.run(tasks.squared, range(20))) == [(n, n * n) for n in range(20)]
    assert list(executor.run(tasks.squared, [])) == []


def test_a_task_uses_the_threads_of_its_executor(executor):
    assert {threads for _, threads in executor.run(tasks.threads_of, range(3))} == {1}


def test_an_error_of_a_task_is_raised_as_it_is_and_other_tasks_run_after_it(executor):
    with pytest.raises(InputError, match=r"^not 3$"):
        list(executor.run(tasks.refused, range(6)))
    assert dict(executor.run(tasks.squared, [5])) == {5: 25}


def test_this_process_runs_tasks_in_order_as_they_are_requested():
    done = []
    results = ThisProcess().run(lambda n: done.append(n) or os.getpid(), range(5))
    assert next(results) == (0, os.getpid())
    assert done == [0]
    assert [n for n, _ in results] == [1, 2, 3, 4]


def test_this_process_uses_all_threads_unless_limited():
    before = current_threads()
    assert dict(open_executor().run(tasks.threads_of, [1])) == {1: before}
    assert dict(open_executor(threads=1).run(tasks.threads_of, [1])) == {1: 1}
    assert current_threads() == before


def test_ray_repeats_the_task_of_a_killed_worker_and_no_other(ray_executor, tmp_path):
    pairs = [(str(tmp_path), number) for number in range(6)]
    assert sorted(ray_executor.run(tasks.killed_once, pairs)) == [(pair, pair[1]) for pair in pairs]
    attempts = Counter(name.name.partition("-")[0] for name in tmp_path.iterdir())
    assert attempts == {str(number): 2 if number == 2 else 1 for number in range(6)}


def test_ray_gives_up_a_task_that_kills_every_worker(ray_executor):
    with pytest.raises(InputError, match="4 Ray workers in a row were lost with one task"):
        list(ray_executor.run(tasks.always_killed, [1]))


def test_a_missing_ray_is_named_with_its_extra():
    code = (
        "import sys; sys.modules['ray'] = None\nimport fuzzbow.pipeline\n"
        "try: fuzzbow.pipeline.open_executor('local')\nexcept ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "fuzzbow[ray]"' in done.stdout


def test_import_of_fuzzbow_starts_no_machinery_of_processes():
    wanted = ["ray", "multiprocessing", "fuzzbow.pipeline"]
    code = f"import sys, fuzzbow; print([name for name in {wanted!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
