"""The folder of a run: what it is a run of, and which of its tasks are finished.

A task is finished when its output is there; outputs appear whole or not at all. So a run that
was stopped, by whatever means, goes on where it was when it is started again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from fuzzbow.atomic import replacing
from fuzzbow.cluster.workers import Workers
from fuzzbow.errors import InputError
from fuzzbow.progress import Progress, unheard

MANIFEST = "run.json"
FORMAT = 1  # of the folder; another one is another run


class Job(Protocol):
    """A task that writes one file."""

    @property
    def out(self) -> str:
        """The file."""
        ...


Some = TypeVar("Some", bound=Job)


@dataclass
class Counts:
    """Tasks that were finished before, and those that were done now."""

    found: int = 0
    done: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.found + self.done

    def told(self, things: str, done: str) -> str:
        """Both numbers, of things that were done."""
        return f"{self.total} {things}: {self.found} finished before, {self.done} {done} now"

    def __str__(self) -> str:
        return self.told("tasks", "done")


class Run:
    """A run in its folder, new or to be continued."""

    def __init__(self, folder: Path, facts: dict[str, Any]) -> None:
        """Check that what is in the folder is a run of the same input and options, if anything."""
        self.folder, self.counts = folder, Counts()
        facts = json.loads(json.dumps({"format": FORMAT, **facts}))
        path = folder / MANIFEST
        if path.exists():
            _check_same(folder, json.loads(path.read_text("utf-8")), facts)
            return
        if folder.is_dir() and any(folder.iterdir()):
            raise InputError(f"'{folder}' must be a new folder, or that of a run; it holds others")
        folder.mkdir(parents=True, exist_ok=True)
        with replacing(path) as beside:
            beside.write_text(json.dumps(facts, indent=1), "utf-8")

    def path(self, kind: str, name: str) -> str:
        """A file of the run, in a folder of its kind."""
        (self.folder / kind).mkdir(exist_ok=True)
        return str((self.folder / kind / name).resolve())

    def do(
        self,
        workers: Workers,
        function: Callable[[Some], object],
        tasks: Sequence[Some],
        progress: Progress = unheard,
    ) -> None:
        """Do those tasks whose outputs are not there."""
        left = [task for task in tasks if not Path(task.out).exists()]
        done = len(tasks) - len(left)
        self.counts.found += done
        progress(done, len(tasks))
        for _ in workers.run(function, left):
            done += 1
            self.counts.done += 1
            progress(done, len(tasks))


def file_facts(paths: Sequence[Path]) -> list[list[Any]]:
    """What tells a file from another one, or from what it was: path, size, time of change."""
    found = []
    for path in paths:
        status = path.stat()
        found.append([str(path.resolve()), status.st_size, status.st_mtime_ns])
    return found


def write_note(out: str, facts: dict[str, int]) -> None:
    """Keep what a task counted, before its output says that it is finished."""
    with replacing(_note(out)) as beside:
        beside.write_text(json.dumps(facts), "utf-8")


def noted(tasks: Sequence[Job], name: str) -> int:
    """The sum of what finished tasks counted."""
    return sum(int(json.loads(_note(task.out).read_text("utf-8"))[name]) for task in tasks)


def _note(out: str) -> Path:
    """Hidden, so that a folder of outputs is a data set to any reader of Parquet."""
    return Path(out).with_name(f".{Path(out).stem}.json")


def _check_same(folder: Path, stored: dict[str, Any], facts: dict[str, Any]) -> None:
    keys = [key for key in {**stored, **facts} if stored.get(key) != facts.get(key)]
    if keys:
        raise InputError(
            f"'{folder}' holds a run that differs in {', '.join(keys)}: remove the folder to start"
            " anew, or name another one"
        )
