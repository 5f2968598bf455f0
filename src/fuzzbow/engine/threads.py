"""How many threads the work at hand may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from fuzzbow.errors import check_count

ALL_CORES = 0
THREADS_PER_CORE = 4  # more only wait for each other; the kernels have the same limit
_threads: ContextVar[int] = ContextVar("fuzzbow_threads", default=ALL_CORES)


def current_threads() -> int:
    """Threads of the call in progress; 0 for all cores."""
    return _threads.get()


@contextmanager
def limited_threads(threads: int | None) -> Iterator[None]:
    """Use so many threads inside, at most four for each core; None leaves it as it is."""
    if threads is None:
        yield
        return
    most = THREADS_PER_CORE * (os.cpu_count() or 1)
    token = _threads.set(min(check_count(threads, "threads"), most))
    try:
        yield
    finally:
        _threads.reset(token)
