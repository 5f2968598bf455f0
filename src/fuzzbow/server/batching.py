"""Work off the event loop: reader threads, one writer thread, and calls that requests share."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Generic, TypeVar

from fuzzbow.errors import LockedError
from fuzzbow.plurals import counted
from fuzzbow.server.errors import ApiError
from fuzzbow.tasks.index import writer_patience

Item = TypeVar("Item")
Result = TypeVar("Result")
LARGEST_BATCH = 64  # requests that share a call

# says whether anybody still waits for a result; long work asks now and then
IsWanted = Callable[[], bool]


class UnwantedError(Exception):
    """Work was stopped because nobody waits for its result."""


def stop_if_unwanted(is_wanted: IsWanted) -> None:
    """Stop the work here if nobody waits for its result."""
    if not is_wanted():
        raise UnwantedError


class Workers:
    """Threads for calls that read, and one thread for calls that write.

    When the request that waits for a result is cancelled, its call is too: one that has not
    begun never begins, and one that has begun learns it from its `is_wanted`.
    """

    def __init__(self) -> None:
        self._readers = ThreadPoolExecutor(max(2, os.cpu_count() or 1), "fuzzbow-work")
        self._writer = ThreadPoolExecutor(1, "fuzzbow-write")
        self._closed = False

    async def read(self, call: Callable[[IsWanted], Result]) -> Result:
        """The result of a call that changes nothing."""
        return await self._run(self._readers, call)

    async def write(self, call: Callable[[], Result], seconds: float) -> Result:
        """The result of a call that changes the index; such calls happen one after the other.

        It waits at most so many seconds for its turn, and for a writer of another process.
        Once it has begun to write it is finished, even if the client has left.
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
                headers={"Retry-After": "1"},
            )

        return await self._run(self._writer, begin)

    async def _run(self, pool: ThreadPoolExecutor, call: Callable[[IsWanted], Result]) -> Result:
        cancelled = False

        def is_wanted() -> bool:
            return not (cancelled or self._closed)

        try:
            return await asyncio.get_running_loop().run_in_executor(pool, call, is_wanted)
        except asyncio.CancelledError:
            cancelled = True
            raise

    def close(self) -> None:
        """Wait for calls that have begun, and begin no others."""
        self._closed = True
        self._readers.shutdown(wait=True, cancel_futures=True)
        self._writer.shutdown(wait=True, cancel_futures=True)


class SharedCalls(Generic[Item, Result]):
    """Answers requests that wait at the same time by one call.

    While a call runs, the requests that arrive wait, and share the next call, except those
    cancelled by then. `call` gives for each item its result or the exception that it met.
    """

    def __init__(
        self,
        workers: Workers,
        call: Callable[[Sequence[Item], IsWanted], Sequence[Result | Exception]],
    ) -> None:
        self._workers, self._call = workers, call
        self._waiting: list[tuple[Item, asyncio.Future[Result]]] = []
        self._task: asyncio.Task[None] | None = None

    async def result(self, item: Item) -> Result:
        """The result for one item."""
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        if self._task is None:
            self._task = asyncio.create_task(self._work())
        return await future

    async def _work(self) -> None:
        while batch := self._next_batch():
            items = [item for item, _ in batch]
            futures = [future for _, future in batch]
            try:
                results = await self._workers.read(partial(self._call_for, items, futures))
            except Exception as error:  # it concerns everyone who waits
                results = [error] * len(batch)
            for future, result in zip(futures, results, strict=True):
                if future.cancelled():
                    continue
                if isinstance(result, Exception):
                    future.set_exception(result)
                else:
                    future.set_result(result)
        self._task = None

    def _next_batch(self) -> list[tuple[Item, asyncio.Future[Result]]]:
        """Requests that are not cancelled, as many as may share a call."""
        waiting = [pair for pair in self._waiting if not pair[1].cancelled()]
        self._waiting = waiting[LARGEST_BATCH:]
        return waiting[:LARGEST_BATCH]

    def _call_for(
        self, items: Sequence[Item], futures: Sequence[asyncio.Future[Result]], is_wanted: IsWanted
    ) -> Sequence[Result | Exception]:
        def any_wanted() -> bool:
            return is_wanted() and not all(future.cancelled() for future in futures)

        return self._call(items, any_wanted)
