"""Processes of a Ray cluster: that of an address, or one of this machine alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from fuzzbow.cluster.workers.interface import RETRIES, Result, Task, Workers, lost, perform
from fuzzbow.errors import MissingExtraError, check_count

LOCAL = "local"
MOST_WAITING = 10_000  # tasks that Ray knows at a time


class RayWorkers(Workers):
    """Tasks of Ray, each with `threads` cores, wherever the cluster has these.

    `address` is that of a running cluster, such as "10.0.0.1:6379" or "auto"; "local" starts one
    on this machine, with `count` cores. Where the program has called `ray.init` already, that
    cluster is used. Every machine needs fuzzbow, and the files of tasks at the same paths.
    """

    def __init__(
        self,
        address: str = LOCAL,
        *,
        count: int | None = None,
        threads: int = 1,
        retries: int = RETRIES,
    ) -> None:
        self.ray = _imported()
        self.threads, self.retries = check_count(threads, "threads"), retries
        self._started = not self.ray.is_initialized()
        if self._started:
            _connect(self.ray, address, None if count is None else count * threads)
        self.count = max(int(self.ray.cluster_resources().get("CPU", 1)) // threads, 1)
        self._perform = self.ray.remote(perform).options(
            num_cpus=threads, max_retries=retries, scheduling_strategy="SPREAD"
        )

    def run(
        self, function: Callable[[Task], Result], tasks: Iterable[Task]
    ) -> Iterator[tuple[Task, Result]]:
        """Do all tasks; Ray gives one again whose worker or machine is lost."""
        unseen = iter(tasks)
        given: dict[Any, Task] = {}
        try:
            while True:
                for task in islice(unseen, MOST_WAITING - len(given)):
                    given[self._perform.remote(function, task, self.threads)] = task
                if not given:
                    return
                finished, _ = self.ray.wait(list(given))
                for reference in finished:
                    task = given.pop(reference)
                    yield task, self._result(reference, task)
        finally:
            for reference in given:
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
            raise lost(task, self.retries + 1) from error

    def close(self) -> None:
        """Leave the cluster, which ends where it was started here."""
        if self._started:
            self.ray.shutdown()
            self._started = False


def _imported() -> Any:
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
