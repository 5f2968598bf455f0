"""Tasks are done once each, whatever happens to the workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from fuzzbow.cluster import ProcessWorkers, Workers, open_workers
from fuzzbow.errors import InputError
from tests.cluster import tasks
from tests.command import child


def test_every_task_comes_back_once_with_its_result(workers: Workers):
    assert sorted(workers.run(tasks.squared, range(20))) == [(n, n * n) for n in range(20)]


def test_no_tasks_give_nothing(workers: Workers):
    assert list(workers.run(tasks.squared, [])) == []


def test_a_task_uses_the_threads_of_its_worker(workers: Workers):
    assert {threads for _, threads in workers.run(tasks.threads_of, range(3))} == {1}


def test_an_error_of_a_task_is_raised_as_it_is(workers: Workers):
    with pytest.raises(InputError, match=r"^not 3$"):
        list(workers.run(tasks.refused, range(6)))


def test_workers_do_other_tasks_after_an_error(workers: Workers):
    with pytest.raises(InputError):
        list(workers.run(tasks.refused, range(6)))
    assert dict(workers.run(tasks.squared, [5])) == {5: 25}


def test_the_task_of_a_killed_worker_is_done_again_and_no_other(workers: Workers, tmp_path: Path):
    given = [(str(tmp_path), number) for number in range(6)]
    assert sorted(workers.run(tasks.killed_once, given)) == [(task, task[1]) for task in given]
    attempts = Counter(name.name.partition("-")[0] for name in tmp_path.iterdir())
    assert attempts == {str(number): 2 if number == 2 else 1 for number in range(6)}


def test_a_task_that_kills_every_worker_is_given_up(workers: Workers):
    with pytest.raises(InputError, match="4 workers in a row were lost with one task"):
        list(workers.run(tasks.always_killed, [1]))


def test_processes_are_used_again(processes: ProcessWorkers):
    before = {pid for _, pid in processes.run(tasks.process_of, range(6))}
    assert {pid for _, pid in processes.run(tasks.process_of, range(6))} == before
    assert len(before) <= 2
    assert os.getpid() not in before


def test_a_process_that_was_killed_while_idle_is_replaced(processes: ProcessWorkers):
    list(processes.run(tasks.squared, range(4)))
    for pid in processes.pids:
        os.kill(pid, signal.SIGKILL)
    assert dict(processes.run(tasks.squared, [3])) == {3: 9}


def test_an_answer_that_cannot_be_sent_is_told(processes: ProcessWorkers):
    with pytest.raises(RuntimeError, match="could not send its answer"):
        list(processes.run(tasks.nothing_to_send, [1]))


def test_an_error_that_cannot_be_made_again_is_told(processes: ProcessWorkers):
    with pytest.raises(RuntimeError, match=r"fuzzbow\[ray\]"):
        list(processes.run(tasks.without_ray, [1]))


def test_closed_workers_have_no_processes():
    with ProcessWorkers(1) as workers:
        list(workers.run(tasks.squared, [1]))
        (pid,) = workers.pids
    assert workers.pids == []
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_workers_end_with_a_driver_that_is_killed(tmp_path: Path):
    code = (
        "from fuzzbow.cluster import ProcessWorkers; from tests.cluster import tasks\n"
        f"list(ProcessWorkers(1).run(tasks.endless, [{str(tmp_path)!r}]))"
    )
    with child([sys.executable, "-c", code], stderr=subprocess.DEVNULL) as driver:
        pid = int(_until(lambda: [path.name for path in tmp_path.iterdir()])[0])
        driver.kill()
        driver.wait(60)
        assert _until(lambda: not _runs(pid))


def test_workers_must_be_at_least_one():
    with pytest.raises(InputError, match="workers must be a whole number of at least 1; got 0"):
        open_workers(0)


def test_a_missing_ray_is_named_with_its_extra():
    code = (
        "import sys; sys.modules['ray'] = None\nimport fuzzbow.cluster\n"
        "try: fuzzbow.cluster.open_workers(ray='local')\nexcept ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "fuzzbow[ray]"' in done.stdout


def test_import_of_fuzzbow_starts_no_machinery_of_processes():
    wanted = ["ray", "multiprocessing", "fuzzbow.cluster"]
    code = f"import sys, fuzzbow; print([name for name in {wanted!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def _until(condition):
    """What a condition gives as soon as it gives something."""
    end = time.monotonic() + 60
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.02)
    return found


def _runs(pid: int) -> bool:
    """Whether a process is there and no zombie, which nobody in a container may collect."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
