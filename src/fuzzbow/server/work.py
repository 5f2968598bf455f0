"""Work off the event loop: a bounded pool, one writer, and calls that share one call."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
MOST_TOGETHER = 64


class Workers:
    """Threads for what reads, and one thread for what writes."""

    def __init__(self) -> None:
        self._readers = ThreadPoolExecutor(max(2, os.cpu_count() or 1), "fuzzbow-work")
        self._writer = ThreadPoolExecutor(1, "fuzzbow-write")

    async def read(self, call: Callable[[], Result]) -> Result:
        """The result of a call that changes nothing."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, call)

    async def write(self, call: Callable[[], Result]) -> Result:
        """The result of a call that changes the index; they happen one after the other.

        It happens to its end, whether or not the one who asked still listens.
        """
        return await asyncio.get_running_loop().run_in_executor(self._writer, call)

    def close(self) -> None:
        """Finish what was begun."""
        self._readers.shutdown(wait=True)
        self._writer.shutdown(wait=True)


class Together(Generic[Item, Result]):
    """Lets requests that wait at the same time share one call.

    While one call runs, what arrives waits and goes together into the next. `call` gives for
    each item its result or the exception that it met.
    """

    def __init__(
        self, workers: Workers, call: Callable[[Sequence[Item]], Sequence[Result | Exception]]
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
        while self._waiting:
            batch, self._waiting = self._waiting[:MOST_TOGETHER], self._waiting[MOST_TOGETHER:]
            items = [item for item, _ in batch]
            try:
                results = await self._workers.read(partial(self._call, items))
            except Exception as error:  # it concerns every one who waits
                results = [error] * len(batch)
            for (_, future), result in zip(batch, results, strict=True):
                if future.cancelled():
                    continue
                if isinstance(result, Exception):
                    future.set_exception(result)
                else:
                    future.set_result(result)
        self._task = None
