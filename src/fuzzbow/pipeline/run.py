"""Runs in a folder: parts that tasks write, each with a record of its origin and its content.

The record is a hidden file next to the part. It is written last and holds digests of what the part
was made from (the task, its options and the content of its inputs) and of the part's bytes, after a
digest of the record itself. A part is accepted only if all three agree. Therefore an interrupted
run resumes, and a part that is damaged or of another run is computed again.
"""

from __future__ import annotations

import json
import os
import shutil
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from os import PathLike
from pathlib import Path
from typing import Any

import fuzzbow
from fuzzbow.errors import FuzzbowWarning, InputError, LanguageWarning
from fuzzbow.io.atomic import full_disk, replacing
from fuzzbow.io.checked_json import checked_bytes, parse_checked
from fuzzbow.io.file_digest import DigestedFile, content_digest, file_state, identity_of
from fuzzbow.io.outputs import lock_file
from fuzzbow.pipeline.executor import Executor
from fuzzbow.plurals import counted
from fuzzbow.progress import Progress, no_progress

MANIFEST = "run.json"
LOCK = ".lock"
FORMAT = 5  # of the folder; another one is another run

Counted = dict[str, Any]  # facts that a task reports, by name
Task = tuple[Any, ...]  # arguments of a function, of which the first is the path of its file
PartWriter = Callable[..., Counted | None]  # the function: writes that file
Part = tuple[DigestedFile, Counted]  # file of a finished task, and the facts that it reported


def write_part(function: PartWriter, task: Task) -> None:
    """Write a part and then its record; the driver warns of the language once for all tasks."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LanguageWarning)
        counted = function(*task) or {}
    digest = content_digest(task[0])
    record = {"made_of": _origin(function, task), "digest": digest, "counted": counted}
    write_record(record_path(task[0]), record)


def _origin(function: PartWriter, task: Task) -> str:
    """Return the digest of everything that decides the content of a task's part."""
    name = f"{function.__module__}.{function.__qualname__}"
    facts = [fuzzbow.__version__, name, identity_of(task[1:])]
    return blake2b(json.dumps(facts).encode(), digest_size=20).hexdigest()


def _finished_part(function: PartWriter, task: Task, *, verify: bool) -> Part | None:
    """Return the part of a task if it is whole; with `verify`, read and check its content."""
    with suppress(OSError, InputError, KeyError):
        out, path = task[0], record_path(task[0])
        record = parse_checked(path, path.read_bytes())
        state = file_state(out)
        if record["made_of"] == _origin(function, task) and (
            not verify or content_digest(out) == record["digest"]
        ):
            return DigestedFile(out, record["digest"], state), record["counted"]
    return None


def record_path(out: str) -> Path:
    """Return the path of a part's record, hidden so that a folder of parts is a data set."""
    return Path(out).with_name(f".{Path(out).stem}.json")


def remove(path: Path) -> None:
    """Remove a file or a folder, if there is one."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def write_record(path: Path, content: dict[str, Any]) -> None:
    """Write a small file that begins with its digest, atomically."""
    with replacing(path) as partial_file:
        partial_file.write_bytes(checked_bytes(content))


def stored_facts(folder: Path) -> dict[str, Any] | None:
    """Return the description of the run in a folder; None without a run, or if it is damaged."""
    path = folder / MANIFEST
    with suppress(OSError, InputError):
        return parse_checked(path, path.read_bytes())
    return None


@dataclass
class Counts:
    """Numbers of tasks that were finished before, and that were done now."""

    found: int = 0
    done: int = 0
    damaged: int = 0  # of those done now: parts that were there, but could not be used

    @property
    def total(self) -> int:
        """Number of all tasks."""
        return self.found + self.done

    def describe(self, thing: str, done: str) -> str:
        """Write both numbers with a noun and a verb."""
        again = f", {self.damaged} of them since damaged" if self.damaged else ""
        total = counted(self.total, thing)
        return f"{total}: {self.found} finished before, {self.done} {done} now{again}"

    def __str__(self) -> str:
        return self.describe("task", "done")


class Run:
    """Run in its folder, new or resumed."""

    def __init__(self, folder: Path, facts: dict[str, Any], *, overwrite: bool = False) -> None:
        """Check that the folder is empty or holds a run of equal input and options.

        With `overwrite`, another run in the folder is removed.
        """
        self.folder, self.counts = folder, Counts()
        facts = json.loads(json.dumps({"format": FORMAT, **facts}))
        path = folder / MANIFEST
        stored = stored_facts(folder)
        if stored == facts:
            return
        # hidden files are locks and those of a killed process
        visible = [child for child in folder.glob("*") if not child.name.startswith(".")]
        if stored is not None:
            if not overwrite:
                keys = [key for key in {**stored, **facts} if stored.get(key) != facts.get(key)]
                raise InputError(
                    f"'{folder}' holds a run that differs in {', '.join(keys)}: remove the folder"
                    " to start again, or name another one"
                )
            for child in visible:
                remove(child)
        elif path.exists():
            _warn(f"'{path}' is damaged: it is made again, and finished parts are kept")
            remove(path)
        elif visible:
            raise InputError(
                f"'{folder}' must be a new folder, or that of a run; it holds other files"
            )
        write_record(path, facts)

    def path(self, kind: str, name: str) -> str:
        """Return the path of a file of the run, in the folder of its kind."""
        folder = self.folder / kind
        if not folder.is_dir():
            remove(folder)  # a damaged run may have a file there
            folder.mkdir(exist_ok=True)
        return str((folder / name).resolve())

    def do(
        self,
        executor: Executor,
        function: PartWriter,
        tasks: Sequence[Task],
        progress: Progress = no_progress,
    ) -> list[Part]:
        """Run the tasks whose parts are missing or damaged, and return the parts of all tasks."""
        left = [task for task in tasks if _finished_part(function, task, verify=True) is None]
        damaged = []
        for task in left:
            paths = (record_path(task[0]), Path(task[0]))
            if paths[0].exists() and os.path.lexists(paths[1]):
                damaged.append(task[0])
            for path in paths:  # the record first, without which no part is accepted
                remove(path)
        if damaged:
            more = f" and {len(damaged) - 1} more are" if len(damaged) > 1 else " is"
            _warn(f"'{damaged[0]}'{more} damaged or of another run, and made again")
        done = len(tasks) - len(left)
        self.counts.found += done
        self.counts.damaged += len(damaged)
        progress(done, len(tasks))
        for _ in executor.run(partial(write_part, function), left):
            done += 1
            self.counts.done += 1
            progress(done, len(tasks))
        parts = []
        for task in tasks:
            part = _finished_part(function, task, verify=False)
            if part is None:
                raise InputError(f"'{task[0]}' was changed while it was in use; start again")
            parts.append(part)
        return parts

    def write(self, kind: str, name: str, write: Callable[[Path], None]) -> DigestedFile:
        """Write a file that is derived from parts, again in every run."""
        path = Path(self.path(kind, name))
        if path.is_dir():
            remove(path)
        with replacing(path) as partial_file:
            write(partial_file)
        return DigestedFile.of(path)


@contextmanager
def run_folder(
    out: str | PathLike[str] | None, given: str | PathLike[str] | None = None
) -> Iterator[Path]:
    """Yield the locked folder of finished parts: `given`, or OUT.parts, removed after success.

    An interruption or a full disk is reported with OUT.parts, from which the run resumes.
    """
    if out is None and given is None:
        raise InputError("a run in shards must have an output file or a folder for finished parts")
    folder = Path(f"{out}.parts" if given is None else given)
    if os.path.lexists(folder) and not folder.is_dir():
        raise InputError(f"'{folder}' must be a folder; it is a file")
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with lock_file(folder / LOCK, folder):
            yield folder
    except KeyboardInterrupt as stop:
        if given is None:
            stop.args = (f"finished parts are in '{folder}': the same command resumes from there",)
        raise
    except OSError as error:
        reason = full_disk(error)
        if given is not None or reason is None:
            raise
        reason = f"{error.strerror or reason} (the same command resumes from '{folder}')"
        raise OSError(error.errno, reason, error.filename) from error
    if given is None:
        shutil.rmtree(folder, ignore_errors=True)


def _warn(message: str) -> None:
    warnings.warn(message, FuzzbowWarning, stacklevel=4)
