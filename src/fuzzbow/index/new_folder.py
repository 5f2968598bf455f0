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
def new_folder(path: Location) -> Iterator[Location]:
    """Yield a folder to fill, which becomes the index at `path`; after an error it is removed."""
    if isinstance(path, ObjectPath):
        _check_prefix(path, (DATA,))
        if versions_at(path):
            raise InputError(f"'{path}' already exists; an index needs a new name")
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
def continued_folder(
    path: Location, named: Location, parts: Sequence[str] = ()
) -> Iterator[Location]:
    """Yield a folder to fill, which is kept next to `named` if the process is interrupted.

    The next call continues with its contents. `parts` are patterns of the names in it.
    """
    if isinstance(path, ObjectPath):
        _check_prefix(path, parts)
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


def _check_prefix(path: ObjectPath, parts: Sequence[str]) -> None:
    """Raise InputError if an address has anything but `parts` of an unfinished index."""
    for child in path.glob("*"):
        if not any(fnmatchcase(child.name, pattern) for pattern in parts):
            raise InputError(f"'{path}' already exists; an index needs a new name")


def _check_new(path: Path) -> None:
    if os.path.lexists(path) and (not path.is_dir() or any(path.iterdir())):
        raise InputError(f"'{path}' already exists; an index needs a new folder")
    if not path.parent.is_dir():
        raise InputError(f"output must be in an existing folder; there is no '{path.parent}'")


@contextmanager
def replaced_index(path: Location, *, there: bool) -> Iterator[Location]:
    """Yield the path to build an index at; if one is `there`, the new one replaces it at the end.

    The old index is kept until the new one is complete, then removed. For a moment between there is
    no index at `path`.
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


def _begun(path: Path) -> tuple[Path, BaseFileLock]:
    """Create a temporary folder next to `path`; return it and its lock."""
    while True:
        beside = path.with_name(f".{path.name}.{secrets.token_hex(8)}.partial")
        if (lock := _locked(beside)) is not None:
            return beside, lock


def _locked(folder: Path) -> BaseFileLock | None:
    """Create and lock a folder; return None if another process holds the lock."""
    while True:
        folder.mkdir(exist_ok=True)
        with suppress(FileNotFoundError):  # removed or renamed before it was locked
            if (lock := try_lock(folder / LOCK)) is None:
                return None
            if (folder / LOCK).exists():
                return lock
            lock.release()
