"""Many readers or one writer: among threads, and among processes by a lock file."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from fuzzbow.errors import LockedError

LOCK_SECONDS = 60.0  # how long a writer waits for another one, unless it says itself
_PATIENCE: ContextVar[Callable[[], bool] | None] = ContextVar("patience", default=None)


class Guard:
    """Threads of one process: searches run together, a change runs alone and is not kept waiting.

    What is held must not be asked for again by the same thread, but for a change that reads.
    """

    def __init__(self) -> None:
        self._free = threading.Condition()
        self._readers = self._waiting = 0

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold changes back."""
        with self._free:
            self._free.wait_for(lambda: not self._waiting)
            self._readers += 1
        try:
            yield
        finally:
            with self._free:
                self._readers -= 1
                self._free.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Wait for searches to end, and hold new ones and other changes back."""
        with self._free:
            self._waiting += 1
            try:
                self._free.wait_for(lambda: not self._readers)
            finally:
                self._waiting -= 1
                self._free.notify_all()
            yield


@contextmanager
def writer_patience(lasts: Callable[[], bool]) -> Iterator[None]:
    """Inside, a writer waits for one of another process while `lasts` is true."""
    token = _PATIENCE.set(lasts)
    try:
        yield
    finally:
        _PATIENCE.reset(token)


@contextmanager
def writer_lock(path: Path) -> Iterator[None]:
    """One writer at a time; the system drops the lock when its process ends, however it ends."""
    begun = time.monotonic()
    lasts = _PATIENCE.get() or (lambda: time.monotonic() < begun + LOCK_SECONDS)
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        while not try_lock(handle):
            if not lasts():
                raise LockedError(
                    f"'{path.parent}' is being written by another process, and still was after"
                    f" {time.monotonic() - begun:.0f} seconds; try again when that has ended"
                )
            time.sleep(0.02)
        yield
    finally:
        os.close(handle)


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


def try_lock(handle: int) -> bool:
    """Take the lock if nobody has it."""
    try:
        import fcntl
    except ImportError:
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
