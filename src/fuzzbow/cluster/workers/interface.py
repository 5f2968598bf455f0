"""What workers can do, whoever they are."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import TypeVar

from fuzzbow.engine import limited_threads
from fuzzbow.errors import InputError, LanguageWarning

RETRIES = 3  # times that a task is given to another worker after the first was lost

Task = TypeVar("Task")
Result = TypeVar("Result")


class Workers(ABC):
    """Processes that do independent tasks; as a context they end with it.

    A task is a small value, such as paths and numbers, never a model nor texts by the million:
    it is sent to the worker, and so is a function that can be imported by its name. What a task
    makes goes to files; its result is small again. A worker may be lost at any time, by a kill,
    a lack of memory or with its machine: its task is then done again by another one. So a
    function must leave either its whole output or nothing, and the same one each time.
    """

    count: int  # tasks that are done at a time

    @abstractmethod
    def run(
        self, function: Callable[[Task], Result], tasks: Iterable[Task]
    ) -> Iterator[tuple[Task, Result]]:
        """Do all tasks, several at a time; each with its result, in the order of finishing.

        An error of the function is raised here, and what others still do is given up; the
        same where the caller stops asking. The workers can be used again after either.
        """

    @abstractmethod
    def close(self) -> None:
        """End the workers."""

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def perform(function: Callable[[Task], Result], task: Task, threads: int | None) -> Result:
    """Do a task in the worker; of the language of texts, the driver warns once for all."""
    with limited_threads(threads), warnings.catch_warnings():
        warnings.simplefilter("ignore", LanguageWarning)
        return function(task)


def lost(task: object, times: int) -> InputError:
    """The error of a task whose workers are lost again and again."""
    return InputError(
        f"{times} workers in a row were lost with one task, most likely for lack of memory: give"
        f" more shards or fewer workers; the task was {task!r:.400}"
    )
