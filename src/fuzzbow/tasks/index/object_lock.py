"""The lock of a writer in an object store: an object that its holder writes again and again.

Whoever sees it unchanged for long enough takes the holder for dead, and the lock over. Clocks of
different machines are not compared, but for locks that were left long ago. A holder that only was
slow may then still write: what it commits is refused, since commits have conditions of their own.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from contextlib import suppress

from fuzzbow.errors import InputError
from fuzzbow.tasks.index.object_path import Mark, ObjectPath

RENEWED_SECONDS = 5.0  # so often its holder writes it
DEAD_SECONDS = 20.0  # unchanged for so long, it has no holder any more
LONG_SECONDS = 600.0  # old enough to be replaced without waiting
FREE = b'{"owner": null}\n'


class ObjectLock:
    """A lock that is held, and written again until it is released or was lost."""

    def __init__(self, path: ObjectPath, owner: str, mark: Mark) -> None:
        self._path, self._owner, self._mark = path, owner, mark
        self.lost = False  # somebody else has it now
        self._renewals, self._released = 0, threading.Event()
        self._thread = threading.Thread(target=self._renew, name="fuzzbow-lock", daemon=True)
        self._thread.start()

    def _renew(self) -> None:
        while not self.lost and not self._released.wait(RENEWED_SECONDS):
            self._renewals += 1
            with suppress(InputError, OSError):  # the store is away; the next time it may not be
                self._write(held_by(self._owner, self._renewals))

    def _write(self, content: bytes) -> None:
        try:
            self._mark = self._path.replace(content, self._mark)
        except (FileExistsError, FileNotFoundError):
            self.lost = True

    def release(self) -> None:
        """Let others have it."""
        self._released.set()
        self._thread.join()
        if not self.lost:
            with suppress(InputError, OSError):  # then it is taken for dead after a while
                self._write(FREE)


class ObjectLockAttempts:
    """Attempts to get the lock at a path, which remember what they saw."""

    pause = 0.25  # seconds between two

    def __init__(self, path: ObjectPath) -> None:
        self._path = path
        self._owner = secrets.token_hex(8)
        self._seen: tuple[bytes, float] = (b"", 0.0)  # content, and since when it is that

    def __call__(self) -> ObjectLock | None:
        """The lock, if nobody has it; whoever gets it must release it."""
        try:
            mark = self._taken(held_by(self._owner, 0))
        except (FileExistsError, FileNotFoundError):  # somebody was faster
            return None
        return None if mark is None else ObjectLock(self._path, self._owner, mark)

    def _taken(self, content: bytes) -> Mark | None:
        if not self._path.exists():
            return self._path.create(content)
        there, mark = self._path.read()
        if there != FREE and not self._is_dead(there):
            return None
        return self._path.replace(content, mark)

    def _is_dead(self, there: bytes) -> bool:
        now = time.monotonic()
        if there != self._seen[0]:
            self._seen = there, now
            return time.time() - self._path.stats().written > LONG_SECONDS
        return now - self._seen[1] > DEAD_SECONDS


def held_by(owner: str, renewals: int) -> bytes:
    """What the lock of an owner holds, different each time."""
    return json.dumps({"owner": owner, "renewals": renewals}).encode() + b"\n"
