"""The executor that needs nothing else: this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from fuzzbow.cluster.executors.executor import Executor, Result, Task, perform


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
