"""Work off the event loop: reader threads, one writer thread, and calls that requests share."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Generic, TypeVar

from fuzzbow.errors import LockedError
from fuzzbow.index import writer_patience
from fuzzbow.plurals import counted
from fuzzbow.server.errors import ApiError

Item = TypeVar("Item")
Result = TypeVar("Result")
LARGEST_BATCH = 64  # requests that share a call

# reports whether a request still waits for a result; long work calls it now and then
IsWanted = Callable[[], bool]


class UnwantedError(Exception):
    """Work was stopped because no request waits for its result."""


def stop_if_unwanted(is_wanted: IsWanted) -> None:
    """Raise UnwantedError if no request waits for the result."""
    if not is_wanted():
        raise UnwantedError


class Workers:
    """Reader threads, and one writer thread.

    Cancelling the request cancels its call: one that has not begun is dropped, and one that has
    begun sees it by `is_wanted`.
    """

    def __init__(self) -> None:
        self.readers = ThreadPoolExecutor(max(2, os.cpu_count() or 1), "fuzzbow-work")
        self._writer = ThreadPoolExecutor(1, "fuzzbow-write")
        self.closed = False

    async def write(self, call: Callable[[], Result], seconds: float) -> Result:
        """Return the result of a call that changes the index; such calls run in turn.

        Wait at most `seconds` for the turn, and for a writer of another process. A call that
        has begun to write is finished, even if the client has left.
        """
        until = time.monotonic() + seconds

        def begin(is_wanted: IsWanted) -> Result:
            stop_if_unwanted(is_wanted)
            with writer_patience(lambda: is_wanted() and time.monotonic() < until):
                try:
                    if time.monotonic() < until:
                        return call()
                except LockedError:
                    pass
            raise ApiError(
                503,
                f"the index was being written for {counted(round(seconds), 'second')};"
                " try again in a moment",
                code="index_busy",
                Retry_After="1",
            )

        return await self.read(begin, self._writer)

    async def read(
        self,
        call: Callable[[IsWanted], Result],
        pool: ThreadPoolExecutor | None = None,
        *,
        waits: IsWanted = lambda: True,
    ) -> Result:
        """Return the result of a read-only call, which is told by `is_wanted` to stop."""
        cancelled = False

        def is_wanted() -> bool:
            return not (cancelled or self.closed) and waits()

        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(pool or self.readers, call, is_wanted)
        except asyncio.CancelledError:
            cancelled = True
            raise

    def close(self) -> None:
        """Wait for calls that have begun, and drop the others."""
        self.closed = True
        for pool in (self.readers, self._writer):
            pool.shutdown(wait=True, cancel_futures=True)


class SharedCalls(Generic[Item, Result]):
    """Queue that answers waiting requests together, by one call.

    While a call runs, the requests that arrive wait, and share the next call, except those
    cancelled by then. `call` returns the result or the exception of each item.
    """

    def __init__(
        self,
        workers: Workers,
        call: Callable[[Sequence[Item], IsWanted], Sequence[Result | Exception]],
    ) -> None:
        self._workers, self._call = workers, call
        self.waiting: list[tuple[Item, asyncio.Future[Result]]] = []
        self._task: asyncio.Task[None] | None = None

    async def result(self, item: Item) -> Result:
        """Return the result of one item."""
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self.waiting.append((item, future))
        if self._task is None:
            self._task = asyncio.create_task(self._work())
        return await future

    async def _work(self) -> None:
        while batch := [pair for pair in self.waiting if not pair[1].cancelled()]:
            batch, self.waiting = batch[:LARGEST_BATCH], batch[LARGEST_BATCH:]
            items, futures = zip(*batch, strict=True)
            call = partial(self._call, items)
            results: Sequence[Result | Exception]
            try:
                results = await self._workers.read(call, waits=partial(_any_waits, futures))
            except Exception as error:  # it concerns every request of the batch
                results = [error] * len(batch)
            for future, result in zip(futures, results, strict=True):
                if future.cancelled():
                    continue
                if isinstance(result, Exception):
                    future.set_exception(result)
                else:
                    future.set_result(result)
        self._task = None


def _any_waits(futures: Sequence[asyncio.Future[Any]]) -> bool:
    return not all(future.cancelled() for future in futures)
