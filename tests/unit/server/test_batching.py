"""Work that nobody waits for is not begun, and left where it has begun."""

from __future__ import annotations

import asyncio
import os
import threading

import pytest

from fuzzbow.server import Settings, comparisons, create_app
from fuzzbow.server.app import unless_gone
from fuzzbow.server.batching import SharedCalls, UnwantedError, Workers
from fuzzbow.server.schemas import PairsRequest

SECONDS = 60  # no test waits so long unless it fails
THREADS = max(2, os.cpu_count() or 1)


@pytest.fixture
def busy():
    """Workers whose reading threads are all held, and what lets them go."""
    workers, held, free = Workers(), threading.Barrier(THREADS + 1), threading.Event()

    def hold(wanted) -> None:
        held.wait(SECONDS)
        free.wait(SECONDS)

    async def fill() -> list[asyncio.Task[None]]:
        tasks = [asyncio.create_task(workers.read(hold)) for _ in range(THREADS)]
        await asyncio.to_thread(held.wait, SECONDS)
        return tasks

    yield workers, fill, free
    free.set()
    workers.close()


def test_queued_work_of_the_departed_is_not_done(busy):
    workers, fill, free = busy
    done = []

    async def depart() -> None:
        holding = await fill()
        task = asyncio.create_task(workers.read(lambda wanted: done.append("departed")))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)  # it is cancelled in the pool too
        free.set()
        await workers.read(lambda wanted: done.append("stayed"))
        await asyncio.gather(*holding)

    asyncio.run(depart())
    assert done == ["stayed"]


class WantedWork:
    """Work that ends when nothing waits for it."""

    def __init__(self) -> None:
        self.begun, self.left = threading.Event(), threading.Event()

    def __call__(self, wanted) -> str:
        self.begun.set()
        while wanted():
            pass
        self.left.set()
        return "left"


def test_work_in_progress_learns_that_nobody_waits():
    workers, work = Workers(), WantedWork()

    async def depart() -> None:
        task = asyncio.create_task(workers.read(work))
        await asyncio.to_thread(work.begun.wait, SECONDS)
        task.cancel()
        await asyncio.to_thread(work.left.wait, SECONDS)

    asyncio.run(depart())
    workers.close()
    assert work.left.is_set()


def test_closing_ends_work_in_progress():
    workers, work = Workers(), WantedWork()

    async def close() -> str:
        task = asyncio.create_task(workers.read(work))
        await asyncio.to_thread(work.begun.wait, SECONDS)
        await asyncio.to_thread(workers.close)
        return await task

    assert asyncio.run(close()) == "left"


def test_who_departs_before_the_shared_call_takes_no_part_in_it():
    workers, free, batches = Workers(), threading.Event(), []

    def call(items, wanted) -> list[str]:
        free.wait(SECONDS)
        batches.append(list(items))
        return list(items)

    async def depart() -> str:
        calls = SharedCalls(workers, call)
        first = asyncio.create_task(calls.result("first"))
        await asyncio.sleep(0)
        gone = asyncio.create_task(calls.result("gone"))
        stays = asyncio.create_task(calls.result("stays"))
        await asyncio.sleep(0)
        gone.cancel()
        free.set()
        await first
        return await stays

    assert asyncio.run(depart()) == "stays"
    workers.close()
    assert batches == [["first"], ["stays"]]


def test_a_shared_call_goes_on_while_one_still_waits():
    workers, begun, cancelled, seen = Workers(), threading.Event(), threading.Event(), []

    def call(items, wanted) -> list[str]:
        begun.set()
        cancelled.wait(SECONDS)
        seen.append(wanted())
        return list(items)

    async def depart() -> str:
        calls = SharedCalls(workers, call)
        gone = asyncio.create_task(calls.result("gone"))
        stays = asyncio.create_task(calls.result("stays"))
        await asyncio.to_thread(begun.wait, SECONDS)
        gone.cancel()
        await asyncio.sleep(0)
        cancelled.set()
        return await stays

    assert asyncio.run(depart()) == "stays"
    workers.close()
    assert seen == [True]


def test_pairs_end_at_the_next_part_when_no_request_waits(model, monkeypatch):
    monkeypatch.setattr(comparisons, "CHUNK", 1)
    service = create_app(model, None, Settings()).service
    calls, pairs = [], type(model).pairs

    async def read(call):
        return call(lambda: len(calls) < 2)

    monkeypatch.setattr(service.workers, "read", read)
    monkeypatch.setattr(
        type(model), "pairs", lambda self, *sides: calls.append(1) or pairs(self, *sides)
    )
    request = PairsRequest(["a", "b", "c", "d"], ["e", "f", "g", "h"])
    with pytest.raises(UnwantedError):
        asyncio.run(comparisons.pairs(service, request))
    service.workers.close()
    assert len(calls) == 2


def test_work_ends_when_its_client_leaves():
    workers, work = Workers(), WantedWork()

    async def receive():
        await asyncio.to_thread(work.begun.wait, SECONDS)
        return {"type": "http.disconnect"}

    async def ask() -> None:
        assert await unless_gone(receive, workers.read(work)) is None
        await asyncio.to_thread(work.left.wait, SECONDS)

    asyncio.run(ask())
    workers.close()
    assert work.left.is_set()
