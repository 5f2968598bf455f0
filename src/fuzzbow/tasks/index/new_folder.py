"""Where a new index is built: nobody takes it for an index before it is whole.

In a folder that is beside, which takes its place by a rename. In an object store, which knows no
renames, at its place: there it is an index once it has its card, which is written last.
"""

from __future__ import annotations

import glob
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from fuzzbow.atomic import naming_full_disk
from fuzzbow.errors import InputError, LockedError
from fuzzbow.tasks.index.integrity import CHECKS, DATA
from fuzzbow.tasks.index.lock import LOCK, try_lock, writer_lock
from fuzzbow.tasks.index.object_path import ObjectPath
from fuzzbow.tasks.index.place import Place, remove_tree

if TYPE_CHECKING:
    from filelock import BaseFileLock


@contextmanager
def new_folder(path: Place) -> Iterator[Place]:
    """A folder to fill for an index at `path`; at any other end than a good one it disappears."""
    if isinstance(path, ObjectPath):
        with _new_prefix(path, (DATA, CHECKS)) as left:
            for child in left:
                remove_tree(child)
            yield path
        return
    _check_new(path)
    remove_abandoned(path)
    beside, lock = _begun(path)
    try:
        with naming_full_disk(path):
            yield beside
        beside.replace(path)
    finally:
        lock.release()
        shutil.rmtree(beside, ignore_errors=True)


@contextmanager
def continued_folder(path: Place, named: Place, parts: Sequence[str] = ()) -> Iterator[Place]:
    """The same, which stays beside `named` when the process is killed or interrupted.

    The next one then has it with all that is in it. `parts` are patterns of what it may hold.
    """
    if isinstance(path, ObjectPath):
        with _new_prefix(path, parts, kept=KeyboardInterrupt):
            yield path
        return
    if isinstance(named, ObjectPath):
        raise InputError(f"'{path}' and '{named}' must be places of one kind")
    _check_new(path)
    beside = named.with_name(f".{named.name}.begun")
    lock = _locked(beside)
    if lock is None:
        raise InputError(f"'{named}' is being built by another process")
    try:
        with naming_full_disk(named):
            yield beside
        beside.replace(path)
    except Exception:
        shutil.rmtree(beside, ignore_errors=True)
        raise
    finally:
        lock.release()


@contextmanager
def _new_prefix(
    path: ObjectPath, parts: Sequence[str], kept: type[BaseException] = LockedError
) -> Iterator[list[ObjectPath]]:
    """Alone among builders at `path`, where nothing may be but `parts`; those that were left."""
    _parts_at(path, parts)
    with writer_lock(path / LOCK) as lock:
        left = _parts_at(path, parts)  # again: whoever had the lock may have made an index
        try:
            yield left
        except (LockedError, kept):  # there is another builder, or there will be one
            raise
        except BaseException:
            if not lock.lost:
                for child in (*_parts_at(path, parts), path / LOCK):
                    remove_tree(child)
            raise


def _parts_at(path: ObjectPath, parts: Sequence[str]) -> list[ObjectPath]:
    """What builders left at `path`; anything else there is an error."""
    found = [child for child in path.glob("*") if child.name != LOCK]
    for child in found:
        if not any(fnmatchcase(child.name, pattern) for pattern in parts):
            raise InputError(f"'{path}' is there already; an index needs a new name")
    return found


def _check_new(path: Path) -> None:
    if os.path.lexists(path) and (not path.is_dir() or any(path.iterdir())):
        raise InputError(f"'{path}' is there already; an index needs a new folder")
    if not path.parent.is_dir():
        raise InputError(f"output must be in an existing folder; there is no '{path.parent}'")


@contextmanager
def replaced_index(path: Place, *, there: bool) -> Iterator[Place]:
    """Where to build an index: at `path`, or beside one that is `there`, whose place it takes.

    Until the new index is whole the old one stays; then there is a moment with neither at
    `path`, after which nothing is left of the old one.
    """
    if not there:
        yield path
        return
    if isinstance(path, ObjectPath):
        raise InputError(f"'{path}' cannot be replaced: remove it, or give the index a new name")
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(8)}.new")
    try:
        yield fresh
        old = path.with_name(f".{path.name}.{secrets.token_hex(8)}.old")
        path.replace(old)
        try:
            fresh.replace(path)
        except OSError:
            old.replace(path)
            raise
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def remove_abandoned(path: Place) -> None:
    """Remove folders beside `path` whose writers died: nobody holds their locks any more."""
    if isinstance(path, ObjectPath):  # beside which nothing is written
        return
    for beside in path.parent.glob(f".{glob.escape(path.name)}.*.partial"):
        if not beside.is_dir() or beside.is_symlink():
            continue
        with suppress(OSError):
            if (lock := try_lock(beside / LOCK)) is not None:
                try:
                    shutil.rmtree(beside, ignore_errors=True)
                finally:
                    lock.release()


def _begun(path: Path) -> tuple[Path, BaseFileLock]:
    """A new folder beside `path`, and its lock, which is held."""
    while True:
        beside = path.with_name(f".{path.name}.{secrets.token_hex(8)}.partial")
        if (lock := _locked(beside)) is not None:
            return beside, lock


def _locked(folder: Path) -> BaseFileLock | None:
    """The lock of a folder, which is made; None where somebody else holds it."""
    while True:
        folder.mkdir(exist_ok=True)
        with suppress(FileNotFoundError):  # removed or renamed before it was locked
            if (lock := try_lock(folder / LOCK)) is None:
                return None
            if (folder / LOCK).exists():
                return lock
            lock.release()
