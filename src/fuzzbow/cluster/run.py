"""The folder of a run: what it is a run of, and which of its tasks are finished.

A task is finished when its part and the record of it are there, and agree (`parts.py`). So a run
that was stopped, by whatever means, resumes where it was when it is started again, and a part that
was damaged meanwhile is made again.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzzbow.atomic import replacing
from fuzzbow.cluster.executors import Executor
from fuzzbow.cluster.parts import (
    Counted,
    Part,
    RecordedTask,
    Task,
    discard,
    read_sealed_file,
    remove,
    write_whole_file,
)
from fuzzbow.errors import FuzzbowWarning, InputError
from fuzzbow.file_digest import DigestedFile
from fuzzbow.output_lock import lock_file
from fuzzbow.plurals import counted
from fuzzbow.progress import Progress, no_progress
from fuzzbow.tasks.index.sealed_file import sealed

MANIFEST = "run.json"
LOCK = ".lock"
FORMAT = 3  # of the folder; another one is another run


@dataclass
class Counts:
    """Tasks that were finished before, and those that were done now."""

    found: int = 0
    done: int = 0
    damaged: int = 0  # of those done now: parts that were there, but could not be used

    @property
    def total(self) -> int:
        """All of them."""
        return self.found + self.done

    def told(self, thing: str, done: str) -> str:
        """Write both numbers, of a kind of thing and what was done with it."""
        again = f", {self.damaged} of them since damaged" if self.damaged else ""
        total = counted(self.total, thing)
        return f"{total}: {self.found} finished before, {self.done} {done} now{again}"

    def __str__(self) -> str:
        return self.told("task", "done")


class Run:
    """A run in its folder, new or to be continued."""

    def __init__(self, folder: Path, facts: dict[str, Any], *, overwrite: bool = False) -> None:
        """Check that what is in the folder is a run of the same input and options, if anything.

        With `overwrite`, another run in the folder is removed.
        """
        self.folder, self.counts = folder, Counts()
        facts = json.loads(json.dumps({"format": FORMAT, **facts}))
        path = folder / MANIFEST
        stored = stored_facts(folder)
        if stored == facts:
            return
        if stored is not None:
            if not overwrite:
                raise _another_run(folder, stored, facts)
            for child in _visible(folder):
                remove(child)
        elif path.exists():
            _warn(f"'{path}' is damaged: it is made again, and finished parts are kept")
            remove(path)
        elif _visible(folder):
            raise InputError(f"'{folder}' must be a new folder, or that of a run; it holds others")
        write_whole_file(path, sealed(facts))

    def path(self, kind: str, name: str) -> str:
        """A file of the run, in a folder of its kind."""
        folder = self.folder / kind
        if not folder.is_dir():
            remove(folder)  # a damaged run may have a file there
            folder.mkdir(exist_ok=True)
        return str((folder / name).resolve())

    def do(
        self,
        executor: Executor,
        function: Callable[[Task], Counted | None],
        tasks: Sequence[Task],
        progress: Progress = no_progress,
    ) -> list[Part]:
        """Do those tasks whose parts are not there, and return the parts of all tasks."""
        recorded = RecordedTask(function)
        left = [task for task in tasks if recorded.finished(task, verify=True) is None]
        damaged = [task.out for task in left if discard(task.out)]
        if damaged:
            more = f" and {len(damaged) - 1} more are" if len(damaged) > 1 else " is"
            _warn(f"'{damaged[0]}'{more} damaged or of another run, and made again")
        done = len(tasks) - len(left)
        self.counts.found += done
        self.counts.damaged += len(damaged)
        progress(done, len(tasks))
        for _ in executor.run(recorded, left):
            done += 1
            self.counts.done += 1
            progress(done, len(tasks))
        parts = []
        for task in tasks:
            part = recorded.finished(task, verify=False)
            if part is None:
                raise InputError(f"'{task.out}' was changed while it was in use; start again")
            parts.append(part)
        return parts

    def write(self, kind: str, name: str, write: Callable[[Path], None]) -> DigestedFile:
        """Write a file that the driver makes of parts, anew in every run."""
        path = Path(self.path(kind, name))
        if path.is_dir():
            remove(path)
        with replacing(path) as beside:
            write(beside)
        return DigestedFile.of(path)


def locked_run(folder: Path) -> AbstractContextManager[None]:
    """Keep other processes from working in the folder of a run, which is made."""
    if os.path.lexists(folder) and not folder.is_dir():
        raise InputError(f"'{folder}' must be a folder; it is a file")
    folder.mkdir(parents=True, exist_ok=True)
    return lock_file(folder / LOCK, folder)


def stored_facts(folder: Path) -> dict[str, Any] | None:
    """Return what the run in a folder is a run of; None without a run, or if that is damaged."""
    return read_sealed_file(folder / MANIFEST)


def _visible(folder: Path) -> list[Path]:
    """List what is in a folder but hidden files, such as locks and those of a killed process."""
    if not folder.is_dir():
        return []
    return [path for path in folder.iterdir() if not path.name.startswith(".")]


def _another_run(folder: Path, stored: dict[str, Any], facts: dict[str, Any]) -> InputError:
    keys = [key for key in {**stored, **facts} if stored.get(key) != facts.get(key)]
    return InputError(
        f"'{folder}' holds a run that differs in {', '.join(keys)}: remove the folder to start"
        " anew, or name another one"
    )


def _warn(message: str) -> None:
    warnings.warn(message, FuzzbowWarning, stacklevel=4)
