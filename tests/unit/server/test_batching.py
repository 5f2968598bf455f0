"""Work that nobody waits for is not begun, and left where it has begun."""

from __future__ import annotations

import asyncio
import os
import threading

import pytest

from fuzzbow.server import Settings, create_app, service
from fuzzbow.server.batching import SharedCalls, UnwantedError, Workers

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


def test_work_in_progress_learns_that_nobody_waits():
    workers, begun, left = Workers(), threading.Event(), threading.Event()

    def work(wanted) -> None:
        begun.set()
        while wanted():
            pass
        left.set()

    async def depart() -> None:
        task = asyncio.create_task(workers.read(work))
        await asyncio.to_thread(begun.wait, SECONDS)
        task.cancel()
        await asyncio.to_thread(left.wait, SECONDS)

    asyncio.run(depart())
    workers.close()
    assert left.is_set()


def test_closing_ends_work_in_progress():
    workers, begun = Workers(), threading.Event()

    def work(wanted) -> str:
        begun.set()
        while wanted():
            pass
        return "left"

    async def close() -> str:
        task = asyncio.create_task(workers.read(work))
        await asyncio.to_thread(begun.wait, SECONDS)
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


def test_pairs_end_at_the_next_part_when_nobody_waits(model, monkeypatch):
    monkeypatch.setattr(service, "CHUNK", 1)
    asked = create_app(model, None, Settings()).state.service
    calls, caught = [], []

    async def read(texts, call, checks):
        try:
            call(lambda: len(calls) < 2)
        except UnwantedError:
            caught.append("left")
        return []

    monkeypatch.setattr(type(asked.comparisons._work), "read", lambda self, *given: read(*given))
    pairs = type(model).pairs
    monkeypatch.setattr(
        type(model), "pairs", lambda self, *sides: calls.append(1) or pairs(self, *sides)
    )
    asyncio.run(asked.comparisons.pairs(["a", "b", "c", "d"], ["e", "f", "g", "h"], None))
    asked.workers.close()
    assert (len(calls), caught) == (2, ["left"])


def test_a_client_that_leaves_takes_its_request_along(model):
    app = create_app(model, None, Settings(access_log=False))
    free, begun, unwanted = threading.Event(), threading.Event(), threading.Event()

    def work(wanted) -> None:
        begun.set()
        while wanted() and not free.is_set():
            pass
        if not wanted():
            unwanted.set()

    async def pairs(*given):
        await app.state.service.workers.read(work)

    app.state.service.comparisons.pairs = pairs
    body = {"type": "http.request", "body": b'{"lefts": [], "rights": []}', "more_body": False}
    messages, sent = [body], []

    async def receive():
        if messages:
            return messages.pop()
        await asyncio.to_thread(begun.wait, SECONDS)
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    scope = {
        "type": "http", "method": "POST", "path": "/v1/pairs", "raw_path": b"/v1/pairs",
        "query_string": b"", "headers": headers, "http_version": "1.1", "scheme": "http",
        "server": ("localhost", 80), "client": ("localhost", 1), "root_path": "",
    }  # fmt: skip

    async def ask() -> None:
        await app(scope, receive, send)
        await asyncio.to_thread(unwanted.wait, SECONDS)

    try:
        asyncio.run(ask())
    finally:
        free.set()
        app.state.service.workers.close()
    assert unwanted.is_set()
    assert sent == []
