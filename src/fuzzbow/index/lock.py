"""Many readers or one writer: between threads, and between processes by a lock file."""

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
from typing import TYPE_CHECKING, Any

from fuzzbow.errors import LockedError, MissingExtraError
from fuzzbow.index.location import Location
from fuzzbow.plurals import counted

if TYPE_CHECKING:
    from filelock import BaseFileLock

LOCK = "lock"  # name of the lock file in the folder of an index
LOCK_SECONDS = 60.0  # for which a writer waits for another one by default
PAUSE = 0.02  # seconds between two attempts
_PATIENCE: ContextVar[Callable[[], bool] | None] = ContextVar("patience", default=None)


class Guard:
    """Read-write lock of the threads of one process, which prefers waiting writers.

    Readers enter the guard itself. A thread must not enter twice, except that a change may read.
    """

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._free = threading.Condition()
        self._readers = self._waiting = 0
        self._changing = False

    def renew(self) -> bool:
        """Unlock in a forked process; return whether the parent was reading or changing."""
        busy = self._changing or self._readers > 0 or not self._free.acquire(blocking=False)
        self._begin()
        return busy

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
        """Enter as the only writer: wait for readers; new ones wait until the block ends."""
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
    """Let writers in the block wait for other processes while `lasts()` is true."""
    token = _PATIENCE.set(lasts)
    try:
        yield
    finally:
        _PATIENCE.reset(token)


@contextmanager
def writer_lock(path: Location) -> Iterator[None]:
    """Exclude other writers on this machine by the lock file `path`.

    The operating system releases the lock when its process ends. In an object store there is no
    lock: the commit of the slower writer fails.
    """
    if not isinstance(path, Path):
        yield
        return
    if not path.parent.is_dir():  # which the lock would make
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path.parent))
    begun = time.monotonic()
    lasts = _PATIENCE.get() or (lambda: time.monotonic() < begun + LOCK_SECONDS)
    while (lock := try_lock(path)) is None:
        if not lasts():
            raise LockedError(
                f"'{path.parent}' is being written by another process, and still was after"
                f" {counted(round(time.monotonic() - begun), 'second')};"
                " try again when that has ended"
            )
        time.sleep(PAUSE)
    try:
        yield
    finally:
        lock.release()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait for the end of a commit, so that it is known whether it happened.

    Otherwise Lance would continue the commit in the background.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield  # no signal comes to this thread
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
    """Take the lock of a file if it is free; the caller must release it."""
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
