"""Work that no request waits for is not begun, and stopped where it has begun."""

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
def workers():
    workers = Workers()
    yield workers
    workers.close()


def test_queued_work_of_the_departed_is_not_done(workers):
    held, free, done = threading.Barrier(THREADS + 1), threading.Event(), []

    def hold(wanted) -> None:
        held.wait(SECONDS)
        free.wait(SECONDS)

    async def depart() -> None:
        holding = [asyncio.create_task(workers.read(hold)) for _ in range(THREADS)]
        await asyncio.to_thread(held.wait, SECONDS)
        task = asyncio.create_task(workers.read(lambda wanted: done.append("departed")))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)  # it is cancelled in the pool too
        free.set()
        await workers.read(lambda wanted: done.append("stayed"))
        await asyncio.gather(*holding)

    asyncio.run(depart())
    assert done == ["stayed"]


@pytest.mark.parametrize("how", ["cancelled", "closed", "client left"])
def test_work_in_progress_is_stopped(workers, how):
    begun, left = threading.Event(), threading.Event()

    def work(wanted) -> str:
        begun.set()
        while wanted():
            pass
        left.set()
        return "left"

    async def receive():
        await asyncio.to_thread(begun.wait, SECONDS)
        return {"type": "http.disconnect"}

    async def stop() -> None:
        if how == "client left":
            assert await unless_gone(receive, workers.read(work)) is None
        else:
            task = asyncio.create_task(workers.read(work))
            await asyncio.to_thread(begun.wait, SECONDS)
            if how == "cancelled":
                task.cancel()
            else:
                await asyncio.to_thread(workers.close)
                assert await task == "left"
        await asyncio.to_thread(left.wait, SECONDS)

    asyncio.run(stop())
    assert left.is_set()


def test_a_request_cancelled_before_the_shared_call_takes_no_part_in_it(workers):
    free, batches = threading.Event(), []

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
    assert batches == [["first"], ["stays"]]


def test_a_shared_call_goes_on_while_one_still_waits(workers):
    begun, cancelled, seen = threading.Event(), threading.Event(), []

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
