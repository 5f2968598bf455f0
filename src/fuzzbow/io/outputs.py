"""Output files of a command: checks against its other files, and locks."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from itertools import combinations
from pathlib import Path

from fuzzbow.errors import InputError, LockedError
from fuzzbow.io.atomic import check_output, final_target, is_special

Paths = Mapping[str, Path | str | None]  # what the user calls it -> where it is, if given
HELD = {errno.EACCES, errno.EAGAIN, errno.EDEADLK}  # by another process


def check_paths(
    *, inputs: Paths, outputs: Paths, folders: Paths | None = None, overwrite: bool = True
) -> None:
    """Check that every output can be written, and is not another file of the command.

    Two names of one file, by links of either kind, are the same file. Nothing may be written
    into one of the `folders`, nor over a file of a folder among the inputs. A device or a pipe
    may be named more than once. Without `overwrite` an existing file is an error.
    """
    read, closed, written = (
        {name: Path(path) for name, path in paths.items() if path is not None}
        for paths in (inputs, folders or {}, outputs)
    )
    for path in written.values():
        check_output(path)
    files = {name: path for name, path in written.items() if not is_special(path)}
    for name, path in files.items():
        for other, source in read.items():
            inside = path.exists() and source.is_dir() and _is_inside(path, source)
            if inside or _is_same(path, source):
                raise _clash(name, other, path)
        for other, folder in closed.items():
            if _is_inside(path, folder):
                raise InputError(f"{name} must not be inside {other}; got '{path}'")
    for (name, path), (other, second) in combinations(files.items(), 2):
        if _is_same(path, second):
            raise _clash(name, other, path)
    for name, path in files.items():
        if not overwrite and path.exists():
            raise is_there(name, path)


def is_there(name: str, path: object) -> InputError:
    """Return the error for an output that would replace a file."""
    return InputError(f"{name}: '{path}' already exists; --overwrite replaces it")


def _clash(name: str, other: str, path: Path) -> InputError:
    return InputError(f"{name} and {other} must be different files; both are '{path}'")


def _is_same(path: Path, other: Path) -> bool:
    if path.exists() and other.exists():
        return path.samefile(other)
    return _real(path) == _real(other)


def _is_inside(path: Path, folder: Path) -> bool:
    return Path(os.path.realpath(folder)) in Path(_real(path)).parents


def _real(path: Path) -> str:
    """Return the canonical path of a file, which need not exist."""
    return os.path.normcase(os.path.realpath(path))


@contextmanager
def locked_outputs(paths: Iterable[Path]) -> Iterator[None]:
    """Lock output files against other processes that use this function."""
    with ExitStack() as stack:
        for path in sorted({final_target(path) for path in paths if not is_special(path)}):
            stack.enter_context(lock_file(path.with_name(f".{path.name}.lock"), path))
        yield


@contextmanager
def lock_file(lock: Path, subject: Path) -> Iterator[None]:
    """Hold a lock file, which is removed at the end; a LockedError if another process has it.

    The operating system releases the lock when the process ends, so that the file of a killed
    process never blocks the next one.
    """
    handle = _acquire(lock, subject)
    try:
        yield
    finally:
        if handle is not None:
            with suppress(OSError):  # Windows removes no file that is open
                lock.unlink()
            os.close(handle)


def _acquire(lock: Path, subject: Path) -> int | None:
    """Open and lock the file; return None if the folder or the system does not support it."""
    while True:
        try:
            handle = os.open(lock, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        except OSError:
            return None
        try:
            _lock(handle)
            if os.path.samestat(os.fstat(handle), os.stat(lock)):
                return handle
        except FileNotFoundError:  # its owner has removed it since it was opened
            pass
        except OSError as error:
            os.close(handle)
            if error.errno not in HELD:
                return None
            raise LockedError(
                f"'{subject}' is being written by another process; try again when that has ended,"
                " or choose another output"
            ) from error
        os.close(handle)


def _lock(handle: int) -> None:
    if os.name == "nt":
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        return
    import fcntl

    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
