"""Folders in which indexes are built, so that an incomplete index is never opened.

On a disk an index is built in a temporary folder, which is renamed at the end. An object store has
no renames: the index is built at its address, and its manifest is written last.
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

from fuzzbow.errors import InputError
from fuzzbow.index.location import Location
from fuzzbow.index.lock import LOCK, try_lock
from fuzzbow.index.object_path import ObjectPath
from fuzzbow.index.versions import DATA, versions_at
from fuzzbow.io.atomic import naming_full_disk

if TYPE_CHECKING:
    from filelock import BaseFileLock


@contextmanager
def new_folder(
    path: Location, begun_for: Location | None = None, parts: Sequence[str] = (DATA,)
) -> Iterator[Location]:
    """Yield a folder to fill, which becomes the index at `path`; after an error it is removed.

    With `begun_for`, the folder is next to that one, and is kept if the process is interrupted; the
    next call continues with its contents. An address may have `parts`, patterns of names, of an
    unfinished index.
    """
    if isinstance(path, ObjectPath):
        others = [x for x in path.glob("*") if not any(fnmatchcase(x.name, part) for part in parts)]
        if others or versions_at(path):
            raise InputError(f"'{path}' already exists; an index needs a new name")
        yield path
        return
    if isinstance(begun_for, ObjectPath):
        raise InputError(f"'{path}' and '{begun_for}' must be locations of one kind")
    if os.path.lexists(path) and (not path.is_dir() or any(path.iterdir())):
        raise InputError(f"'{path}' already exists; an index needs a new folder")
    if not path.parent.is_dir():
        raise InputError(f"output must be in an existing folder; there is no '{path.parent}'")
    if begun_for is not None:
        lock = _create_locked(beside := begun_for.with_name(f".{begun_for.name}.begun"))
        if lock is None:
            raise InputError(f"'{begun_for}' is being built by another process")
    else:
        remove_abandoned(path)
        while (lock := _create_locked(beside := _hidden_name(path, "partial"))) is None:
            pass  # another process took it for an abandoned one
    try:
        with naming_full_disk(begun_for or path):
            yield beside
        beside.replace(path)
    except BaseException as error:
        if begun_for is None or isinstance(error, Exception):
            shutil.rmtree(beside, ignore_errors=True)
        raise
    finally:
        lock.release()


def _hidden_name(path: Path, kind: str) -> Path:
    """Return a new hidden name next to a path."""
    return path.with_name(f".{path.name}.{secrets.token_hex(8)}.{kind}")


@contextmanager
def replaced_index(path: Location, *, there: bool) -> Iterator[Location]:
    """Yield the path to build an index at; if one is `there`, the new one replaces it at the end.

    The old index is kept until the new one is complete, then removed. In between, there is
    briefly no index at `path`.
    """
    if not there:
        yield path
        return
    if isinstance(path, ObjectPath):
        raise InputError(f"'{path}' cannot be replaced: remove it, or give the index a new name")
    fresh = _hidden_name(path, "new")
    try:
        yield fresh
        old = _hidden_name(path, "old")
        path.replace(old)
        try:
            fresh.replace(path)
        except OSError:
            old.replace(path)
            raise
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def remove_abandoned(path: Location) -> None:
    """Remove temporary folders next to `path` whose locks are free because their writers died."""
    if isinstance(path, ObjectPath):  # no temporary folders
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


def _create_locked(folder: Path) -> BaseFileLock | None:
    """Create and lock a folder; return None if another process holds the lock."""
    while True:
        folder.mkdir(exist_ok=True)
        with suppress(FileNotFoundError):  # removed or renamed before it was locked
            if (lock := try_lock(folder / LOCK)) is None:
                return None
            if (folder / LOCK).exists():
                return lock
            lock.release()
