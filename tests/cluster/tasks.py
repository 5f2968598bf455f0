"""Tasks for workers, which have to find them by name."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzzbow.cluster import ProcessWorkers
from fuzzbow.engine.threads import current_threads
from fuzzbow.errors import InputError, MissingExtraError


def squared(number: int) -> int:
    """The square."""
    return number * number


def process_of(number: int) -> int:
    """Who does the task."""
    return os.getpid()


def threads_of(number: int) -> int:
    """How many threads it may use."""
    return current_threads()


def refused(number: int) -> int:
    """Refuse one number."""
    if number == 3:
        raise InputError("not 3")
    return number


def without_ray(number: int) -> int:
    """Raise an error whose class is not made by its message."""
    raise MissingExtraError("ray", "ray")


def nothing_to_send(number: int) -> object:
    """Give what cannot be sent."""
    return lambda: number


def killed_once(task: tuple[str, int]) -> int:
    """Be killed at the first attempt at number 2, and note every attempt in a file."""
    folder, number = task
    tried = len(list(Path(folder).glob(f"{number}-*")))
    Path(folder, f"{number}-{tried}").touch()
    if number == 2 and tried == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def always_killed(number: int) -> int:
    """Be killed at every attempt."""
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def endless(folder: str) -> None:
    """Note the process, and never end."""
    Path(folder, str(os.getpid())).touch()
    signal.pause()


@dataclass(frozen=True)
class Fatal:
    """A function whose first call kills the worker at once, and whose second one after its work."""

    function: Any
    folder: str

    def __call__(self, task: Any) -> Any:
        """Do the task, unless this is one of the two calls."""
        name = self.function.function.__name__
        before, after = (Path(self.folder, f"{name}-{n}") for n in (1, 2))
        if _first_to_make(before):
            os.kill(os.getpid(), signal.SIGKILL)
        result = self.function(task)
        if _first_to_make(after):
            os.kill(os.getpid(), signal.SIGKILL)
        return result


class MortalWorkers(ProcessWorkers):
    """Workers whose driver is killed when some tasks are finished."""

    def __init__(self, tasks: int) -> None:
        super().__init__(1)
        self._left = tasks

    def run(self, function: Callable[..., Any], tasks: Iterable[Any]) -> Iterator[Any]:
        """The results, until it is too late."""
        for result in super().run(function, tasks):
            self._left -= 1
            if self._left < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            yield result


def _first_to_make(path: Path) -> bool:
    try:
        path.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True
