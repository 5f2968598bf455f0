"""Work off the event loop: a bounded pool, one writer, and calls that share one call."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Generic, TypeVar

from fuzzbow.errors import LockedError
from fuzzbow.server.errors import ApiError
from fuzzbow.tasks.index import writer_patience

Item = TypeVar("Item")
Result = TypeVar("Result")
MOST_TOGETHER = 64

# says whether anybody still waits for a result; long work asks now and then
Wanted = Callable[[], bool]


class UnwantedError(Exception):
    """Work was left because nobody waits for it."""


def go_on(wanted: Wanted) -> None:
    """Leave the work here if nobody waits for it."""
    if not wanted():
        raise UnwantedError


class Workers:
    """Threads for what reads, and one thread for what writes.

    Who waits for a result and is cancelled takes the work away: what has not begun never
    begins, and what has begun is told by its `wanted`.
    """

    def __init__(self) -> None:
        self._readers = ThreadPoolExecutor(max(2, os.cpu_count() or 1), "fuzzbow-work")
        self._writer = ThreadPoolExecutor(1, "fuzzbow-write")
        self._closed = False

    async def read(self, call: Callable[[Wanted], Result]) -> Result:
        """The result of a call that changes nothing."""
        return await self._run(self._readers, call)

    async def write(self, call: Callable[[], Result], seconds: float) -> Result:
        """The result of a call that changes the index; they happen one after the other.

        It may wait so long for its turn, and for a writer of another process. What has begun
        to write happens to its end, whether or not the one who asked still listens.
        """
        until = time.monotonic() + seconds

        def begin(wanted: Wanted) -> Result:
            go_on(wanted)
            with writer_patience(lambda: wanted() and time.monotonic() < until):
                try:
                    if time.monotonic() < until:
                        return call()
                except LockedError:
                    pass
            raise ApiError(
                503,
                f"the index was being written for {seconds:.0f} seconds; try again in a moment",
                code="index_busy",
                headers={"Retry-After": "1"},
            )

        return await self._run(self._writer, begin)

    async def _run(self, pool: ThreadPoolExecutor, call: Callable[[Wanted], Result]) -> Result:
        left = False

        def wanted() -> bool:
            return not (left or self._closed)

        try:
            return await asyncio.get_running_loop().run_in_executor(pool, call, wanted)
        except asyncio.CancelledError:
            left = True
            raise

    def close(self) -> None:
        """Finish what cannot be left, and begin nothing more."""
        self._closed = True
        self._readers.shutdown(wait=True, cancel_futures=True)
        self._writer.shutdown(wait=True, cancel_futures=True)


class Together(Generic[Item, Result]):
    """Lets requests that wait at the same time share one call.

    While one call runs, what arrives waits and goes together into the next, unless those who
    asked have left by then. `call` gives for each item its result or the exception that it met.
    """

    def __init__(
        self,
        workers: Workers,
        call: Callable[[Sequence[Item], Wanted], Sequence[Result | Exception]],
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
            except Exception as error:  # it concerns every one who waits
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
        """Those who wait still, as many as go together."""
        waiting = [pair for pair in self._waiting if not pair[1].cancelled()]
        self._waiting = waiting[MOST_TOGETHER:]
        return waiting[:MOST_TOGETHER]

    def _call_for(
        self, items: Sequence[Item], futures: Sequence[asyncio.Future[Result]], wanted: Wanted
    ) -> Sequence[Result | Exception]:
        def any_wanted() -> bool:
            return wanted() and not all(future.cancelled() for future in futures)

        return self._call(items, any_wanted)
