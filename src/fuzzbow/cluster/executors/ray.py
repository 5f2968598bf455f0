"""The executor that runs tasks on a Ray cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from fuzzbow.cluster.executors.executor import Executor, Result, Task, perform
from fuzzbow.errors import InputError, MissingExtraError, check_count

LOCAL = "local"
RETRIES = 3  # repetitions of a task whose worker died
MAX_PENDING = 10_000  # tasks submitted to Ray at a time


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
        self.ray = _import_ray()
        self.threads, self.retries = check_count(threads, "threads"), retries
        self._started = not self.ray.is_initialized()
        if self._started:
            _connect(self.ray, address, cores)
        self.count = max(int(self.ray.cluster_resources().get("CPU", 1)) // threads, 1)
        self._perform = self.ray.remote(perform).options(
            num_cpus=threads, max_retries=retries, scheduling_strategy="SPREAD"
        )

    def run(
        self, function: Callable[[Task], Result], tasks: Iterable[Task]
    ) -> Iterator[tuple[Task, Result]]:
        """Run all tasks; Ray repeats a task whose worker or machine is lost."""
        waiting = iter(tasks)
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
                    yield task, self._result(reference, task)
        finally:
            for reference in pending:
                self.ray.cancel(reference, force=True)

    def _result(self, reference: Any, task: object) -> Any:
        errors = self.ray.exceptions
        try:
            return self.ray.get(reference)
        except errors.RayTaskError as error:
            if isinstance(error.cause, Exception):
                raise error.cause from error
            raise
        except (errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError) as error:
            raise InputError(
                f"{self.retries + 1} Ray workers in a row were lost with one task, most likely for"
                f" lack of memory: use more shards; the task was {task!r:.400}"
            ) from error

    def close(self) -> None:
        """Disconnect from the cluster, and stop it if it was started here."""
        if self._started:
            self.ray.shutdown()
            self._started = False


def _import_ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise MissingExtraError("ray", "ray") from error
    return ray


def _connect(ray: Any, address: str, cores: int | None) -> None:
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    if address != LOCAL:
        ray.init(address=address, **quiet)
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent anywhere
    ray.init(address=LOCAL, num_cpus=cores, include_dashboard=False, **quiet)
