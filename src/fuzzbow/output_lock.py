"""Locks that keep two processes from writing one output.

The operating system releases such a lock when its process ends, by whatever means, so that what a
killed process leaves never blocks the next one.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from fuzzbow.atomic import final_target, is_special
from fuzzbow.errors import LockedError

HELD = {errno.EACCES, errno.EAGAIN, errno.EDEADLK}  # by another process


@contextmanager
def locked_outputs(paths: Iterable[Path]) -> Iterator[None]:
    """Keep other processes that use this function from writing these files."""
    with ExitStack() as stack:
        for path in sorted({final_target(path) for path in paths if not is_special(path)}):
            stack.enter_context(lock_file(path.with_name(f".{path.name}.lock"), path))
        yield


@contextmanager
def lock_file(lock: Path, subject: Path) -> Iterator[None]:
    """Hold a lock file, which is removed at the end; a LockedError if another process has it."""
    handle = _acquire(lock, subject)
    try:
        yield
    finally:
        if handle is not None:
            with suppress(OSError):  # Windows removes no file that is open
                lock.unlink()
            os.close(handle)


def _acquire(lock: Path, subject: Path) -> int | None:
    """Open and lock the file; None where the folder takes no file, or the system no locks."""
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
