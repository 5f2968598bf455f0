"""Many readers or one writer: among threads, and among processes by a lock at a place."""

from __future__ import annotations

import errno
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from fuzzbow.errors import LockedError, MissingExtraError
from fuzzbow.plurals import counted
from fuzzbow.tasks.index.object_lock import ObjectLockAttempts
from fuzzbow.tasks.index.place import Place

if TYPE_CHECKING:
    from filelock import BaseFileLock

LOCK = "lock"  # name of the lock file in the folder of an index
LOCK_SECONDS = 60.0  # how long a writer waits for another one, unless it says itself
_PATIENCE: ContextVar[Callable[[], bool] | None] = ContextVar("patience", default=None)


class Guard:
    """Threads of one process: searches run together, a change runs alone and goes first.

    A thread must not enter it twice, except that a change may read.
    """

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._free = threading.Condition()
        self._readers = self._waiting = 0
        self._changing = False

    def renew(self) -> bool:
        """Admit everyone in a forked process; True if the parent was reading or changing."""
        busy = self._changing or self._readers > 0 or not self._free.acquire(blocking=False)
        self._begin()
        return busy

    def reading(self) -> Guard:
        """Read inside; changes wait until this ends."""
        return self

    def __enter__(self) -> None:
        with self._free:
            while self._waiting:
                self._free.wait()
            self._readers += 1

    def __exit__(self, *failure: object) -> None:
        with self._free:
            self._readers -= 1
            if self._waiting:
                self._free.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Change: wait for running searches; new ones and other changes wait until this ends."""
        with self._free:
            self._waiting += 1
            try:
                self._free.wait_for(lambda: not self._readers)
            finally:
                self._waiting -= 1
                self._free.notify_all()
            self._changing = True
            try:
                yield
            finally:
                self._changing = False


@contextmanager
def writer_patience(lasts: Callable[[], bool]) -> Iterator[None]:
    """Inside, a writer waits for a writer in another process as long as `lasts()` is true."""
    token = _PATIENCE.set(lasts)
    try:
        yield
    finally:
        _PATIENCE.reset(token)


class HeldLock(Protocol):
    """A lock that was taken."""

    @property
    def lost(self) -> bool:
        """Whether somebody else has it now."""
        ...

    def release(self) -> None:
        """Let others have it."""
        ...


class HeldFile:
    """A lock file, which is held until it is released."""

    lost = False

    def __init__(self, lock: BaseFileLock) -> None:
        self.release = lock.release


class LockAttempts(Protocol):
    """Attempts to take a lock, with a pause between them."""

    pause: float

    def __call__(self) -> HeldLock | None:
        """The lock, if nobody has it; whoever gets it must release it."""
        ...


class FileLockAttempts:
    """Attempts at a lock file, which the system drops when its process ends, however it ends."""

    pause = 0.02  # seconds between two

    def __init__(self, path: Path) -> None:
        if not path.parent.is_dir():  # which the lock would make
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path.parent))
        self._path = path

    def __call__(self) -> HeldLock | None:
        """The lock, if nobody has it."""
        lock = try_lock(self._path)
        return None if lock is None else HeldFile(lock)


@contextmanager
def writer_lock(path: Place) -> Iterator[HeldLock]:
    """One writer at a time; `path` is that of the lock, in what is written."""
    begun = time.monotonic()
    attempts: LockAttempts = (
        FileLockAttempts(path) if isinstance(path, Path) else ObjectLockAttempts(path)
    )
    lasts = _PATIENCE.get() or (lambda: time.monotonic() < begun + LOCK_SECONDS)
    while (lock := attempts()) is None:
        if not lasts():
            raise LockedError(
                f"'{path.parent}' is being written by another process, and still was after"
                f" {counted(round(time.monotonic() - begun), 'second')};"
                " try again when that has ended"
            )
        time.sleep(attempts.pause)
    try:
        yield lock
    finally:
        lock.release()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait for the end of a commit, so that it is known whether it happened.

    Lance would otherwise be left in the midst of it, and go on in the background.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield  # it comes to another thread, or to nobody
        return
    came: list[tuple[Any, ...]] = []
    signal.signal(signal.SIGINT, lambda *arguments: came.append(arguments))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if came:
            handler(*came[0])


def try_lock(path: Path) -> BaseFileLock | None:
    """Take the lock of a file if nobody has it; whoever gets it must release it."""
    try:
        from filelock import FileLock, Timeout
    except ImportError as error:
        raise MissingExtraError("filelock", "index") from error

    # a soft lock would outlive a process that is killed, and any thread may release ours
    lock = FileLock(path, thread_local=False, fallback_to_soft=False)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        return None
    return lock
