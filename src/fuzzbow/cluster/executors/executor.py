"""The interface of executors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import TypeVar

from fuzzbow.engine import limited_threads

Task = TypeVar("Task")
Result = TypeVar("Result")


class Executor(ABC):
    """Executor of independent tasks; as a context manager it is closed at the end.

    A task is a small value, such as paths and numbers, because it may be sent to another machine;
    so may the function, which must be importable by its name. Large results go to files. A task
    may be interrupted at any time and repeated: the function must write its whole output or
    nothing, and always the same output.
    """

    count: int = 1  # tasks that run at the same time
    remote: bool = False  # whether tasks run in other processes, which load models by name

    @abstractmethod
    def run(
        self, function: Callable[[Task], Result], tasks: Iterable[Task]
    ) -> Iterator[tuple[Task, Result]]:
        """Run all tasks and yield each with its result, in the order of completion.

        Raise an error of the function, and cancel the remaining tasks then, and when the caller
        stops iterating. The executor can be used again after either.
        """

    def close(self) -> None:  # noqa: B027  # only some executors hold resources
        """Release the resources of the executor."""

    def __enter__(self) -> Executor:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def perform(function: Callable[[Task], Result], task: Task, threads: int | None) -> Result:
    """Run a task with at most this number of threads."""
    with limited_threads(threads):
        return function(task)
