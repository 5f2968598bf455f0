"""Tasks that other processes import by name, and executors that are killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import fuzzbow
from fuzzbow.engine.threads import current_threads
from fuzzbow.errors import InputError
from fuzzbow.join import Matches
from fuzzbow.pipeline import DedupeOptions, JoinOptions, RunOptions, dedupe_file, join_files
from fuzzbow.pipeline.executor import THIS_PROCESS, Executor
from fuzzbow.pipeline.join import read_matches


def squared(number: int) -> int:
    """The square."""
    return number * number


def threads_of(number: int) -> int:
    """Return the number of threads of the task."""
    return current_threads()


def refused(number: int) -> int:
    """Refuse one number."""
    if number == 3:
        raise InputError("not 3")
    return number


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


@dataclass(frozen=True)
class Fatal:
    """A function whose first call kills its process at once, and another one after its work."""

    function: Any
    folder: str

    def __call__(self, task: Any) -> Any:
        """Do the task, unless this is one of the two calls."""
        name = self.function.args[0].__name__
        before, after = (Path(self.folder, f"{name}-{n}") for n in (1, 2))
        if _first_to_make(before):
            os.kill(os.getpid(), signal.SIGKILL)
        result = self.function(task)
        if _first_to_make(after):
            os.kill(os.getpid(), signal.SIGKILL)
        return result


class MortalExecutor(Executor):
    """This process, which is killed after some tasks."""

    def __init__(self, tasks: int) -> None:
        self.tasks = tasks

    def run(self, function: Callable[..., Any], tasks: Iterable[Any]) -> Iterator[Any]:
        """Yield results until the process is killed."""
        for number, result in enumerate(THIS_PROCESS.run(function, tasks)):
            if number == self.tasks:
                os.kill(os.getpid(), signal.SIGKILL)
            yield result


class FatalExecutor(Executor):
    """Executor two of whose processes are killed in each kind of task, one after its work."""

    def __init__(self, executor: Executor, folder: Path) -> None:
        self.executor, self.folder, self.remote = executor, folder, executor.remote
        self.count = executor.count
        folder.mkdir(exist_ok=True)

    def run(self, function: Callable[..., Any], tasks: Iterable[Any]) -> Iterator[Any]:
        """Yield results, unless this process is killed."""
        return self.executor.run(Fatal(function, str(self.folder)), tasks)


def _first_to_make(path: Path) -> bool:
    try:
        path.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def _run_options(folder: Path, options: dict[str, Any]) -> RunOptions:
    """Take the fields of RunOptions from keywords."""
    names = {field.name for field in fields(RunOptions)} & options.keys()
    return RunOptions(folder=folder, **{name: options.pop(name) for name in names})


def dedupe(files: Any, folder: Path, *, others: Any = None, **options: Any) -> fuzzbow.Duplicates:
    """Find duplicates in shards."""
    threshold = {name: options.pop(name) for name in ["threshold"] if name in options}
    chosen, run = DedupeOptions(**threshold), _run_options(folder, options)
    return dedupe_file(files, run=run, against=others, options=chosen, **options).found


def join(
    left: Any, right: Any, folder: Path, *, k: int = 1, threshold: float | None = None, **more: Any
) -> list[Matches]:
    """Find matches in shards; of those below the threshold only some rows are kept."""
    run = _run_options(folder, more)
    found = join_files(left, right, run=run, options=JoinOptions(k, threshold), **more)
    least = found.summary["threshold"]
    return [read_matches(file).at_least(least) for file in found.matches]
