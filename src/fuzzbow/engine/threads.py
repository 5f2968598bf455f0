"""How many threads the work at hand may use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from fuzzbow.errors import InputError

ALL_CORES = 0
_threads: ContextVar[int] = ContextVar("fuzzbow_threads", default=ALL_CORES)


def current_threads() -> int:
    """Threads of the call in progress; 0 for all cores."""
    return _threads.get()


@contextmanager
def limited_threads(threads: int | None) -> Iterator[None]:
    """Use so many threads inside; None leaves it as it is."""
    if threads is None:
        yield
        return
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise InputError(f"threads must be at least 1; got {threads!r}")
    token = _threads.set(threads)
    try:
        yield
    finally:
        _threads.reset(token)
