"""Number of threads that a call may use."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from functools import lru_cache

from fuzzbow.errors import check_count

ALL_CORES = 0
THREADS_PER_CORE = 4  # more only wait for each other; the kernels have the same limit
_threads: ContextVar[int] = ContextVar("fuzzbow_threads", default=ALL_CORES)


def current_threads() -> int:
    """Return the number of threads of the current call; 0 for all cores."""
    return _threads.get()


@lru_cache(maxsize=1)
def _most_threads() -> int:
    return THREADS_PER_CORE * (os.cpu_count() or 1)  # asks the system, which takes a while


def limited_threads(threads: int | None) -> AbstractContextManager[None]:
    """Set the number of threads in a block, at most four for each core, unless it is None."""
    return _UNLIMITED if threads is None else _Limited(check_count(threads, "threads"))


class _Limited(AbstractContextManager[None]):  # which a single search enters: no generator
    def __init__(self, threads: int) -> None:
        self._count = min(threads, _most_threads())

    def __enter__(self) -> None:
        self._token = _threads.set(self._count)

    def __exit__(self, *failure: object) -> None:
        _threads.reset(self._token)


_UNLIMITED = nullcontext()
