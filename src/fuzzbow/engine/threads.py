"""How many threads the work at hand may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import lru_cache

from fuzzbow.errors import check_count

ALL_CORES = 0
THREADS_PER_CORE = 4  # more only wait for each other; the kernels have the same limit
_threads: ContextVar[int] = ContextVar("fuzzbow_threads", default=ALL_CORES)


def current_threads() -> int:
    """Threads of the call in progress; 0 for all cores."""
    return _threads.get()


@lru_cache(maxsize=1)
def _most_threads() -> int:
    return THREADS_PER_CORE * (os.cpu_count() or 1)  # asks the system, which takes a while


def limited_threads(threads: int | None) -> AbstractContextManager[None]:
    """Use so many threads inside, at most four for each core; None leaves it as it is."""
    return _UNLIMITED if threads is None else _limited(threads)


@contextmanager
def _limited(threads: int) -> Iterator[None]:
    token = _threads.set(min(check_count(threads, "threads"), _most_threads()))
    try:
        yield
    finally:
        _threads.reset(token)


_UNLIMITED = nullcontext()
