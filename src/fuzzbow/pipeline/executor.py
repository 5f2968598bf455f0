"""Executors of the tasks of a run: this process, or a Ray cluster."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from fuzzbow.engine import limited_threads
from fuzzbow.errors import InputError, check_count
from fuzzbow.ray_cluster import LOCAL, RayCluster

RETRIES = 3  # repetitions of a task whose worker died
MAX_PENDING = 10_000  # tasks submitted to Ray at a time

Task = TypeVar("Task")
Result = TypeVar("Result")


class Executor(AbstractContextManager["Executor"]):
    """Executor of independent tasks; as a context manager it is closed at the end.

    A task is a small value, such as paths and numbers, because it may be sent to another machine.
    The function may be sent too, and must be importable by its name. Large results are written to
    files. A task may be interrupted at any time and repeated: the function must write its whole
    output or nothing, and always equal output.
    """

    count: int = 1  # tasks that run at the same time
    remote: bool = False  # whether tasks run in other processes, which load models by name

    @abstractmethod
    def run(
        self, function: Callable[[Task], Result], tasks: Iterable[Task]
    ) -> Iterator[tuple[Task, Result]]:
        """Run all tasks and yield each with its result, in the order of completion.

        If the function fails or the caller stops iterating, the remaining tasks are cancelled; an
        error is raised. The executor can then be used again.
        """

    def close(self) -> None:
        """Release the resources of the executor."""

    def __exit__(self, *error: object) -> None:
        self.close()


def perform(function: Callable[[Task], Result], task: Task, threads: int | None) -> Result:
    """Run a task with at most this number of threads."""
    with limited_threads(threads):
        return function(task)


@dataclass(frozen=True)
class ThisProcess(Executor):
    """Executor that runs tasks one after the other, each with the kernels' threads.

    Tasks use all cores unless `threads` is given.
    """

    threads: int | None = None

    def run(
        self, function: Callable[[Task], Result], tasks: Iterable[Task]
    ) -> Iterator[tuple[Task, Result]]:
        """Run all tasks in their order."""
        for task in tasks:
            yield task, perform(function, task, self.threads)


THIS_PROCESS = ThisProcess()


class RayExecutor(Executor):
    """Executor that runs each task as a Ray task with `threads` cores.

    `address` is that of a running cluster, such as "10.0.0.1:6379" or "auto"; "local" starts one
    on this machine, with `cores` cores or all. After `ray.init` the cluster of the program is
    used. Every machine needs fuzzbow, and the files of tasks at the same paths.
    """

    remote = True

    def __init__(
        self,
        address: str = LOCAL,
        *,
        cores: int | None = None,
        threads: int = 1,
        retries: int = RETRIES,
    ) -> None:
        self._cluster = RayCluster(address, cores=cores)
        self.ray = self._cluster.ray
        self.threads, self.retries = check_count(threads, "threads"), retries
        self.count = max(int(self.ray.cluster_resources().get("CPU", 1)) // threads, 1)
        self._perform = self.ray.remote(perform).options(
            num_cpus=threads, max_retries=retries, scheduling_strategy="SPREAD"
        )

    def run(
        self, function: Callable[[Task], Result], tasks: Iterable[Task]
    ) -> Iterator[tuple[Task, Result]]:
        """Run all tasks; Ray repeats a task whose worker or machine is lost."""
        errors, waiting = self.ray.exceptions, iter(tasks)
        lost = (errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError)
        pending: dict[Any, Task] = {}
        try:
            while True:
                for task in islice(waiting, MAX_PENDING - len(pending)):
                    pending[self._perform.remote(function, task, self.threads)] = task
                if not pending:
                    return
                finished, _ = self.ray.wait(list(pending))
                for reference in finished:
                    task = pending.pop(reference)
                    try:
                        result = self._cluster.result(reference)
                    except lost as error:
                        raise InputError(
                            f"{self.retries + 1} Ray workers in a row were lost with one task, most"
                            " likely for lack of memory: use more shards; the task was"
                            f" {task!r:.400}"
                        ) from error
                    yield task, result
        finally:
            for reference in pending:
                self.ray.cancel(reference, force=True)

    def close(self) -> None:
        """Disconnect from the cluster, and stop it if it was started here."""
        self._cluster.close()


def open_executor(ray: str | None = None, *, threads: int | None = None) -> Executor:
    """Return `ThisProcess`, or a `RayExecutor` of the cluster at the address `ray`.

    Parameters
    ----------
    ray : str, optional
        Address of a cluster, such as "10.0.0.1:6379" or "auto"; "local" starts one on this machine.
    threads : int, optional
        Threads of a task: by default all cores in this process, and 1 on Ray.
    """
    return ThisProcess(threads) if ray is None else RayExecutor(ray, threads=threads or 1)
