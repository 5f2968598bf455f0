"""Nothing that a client sees waits for a lock, a disk or the log that need not."""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import pytest

import fuzzbow
from fuzzbow.index import lock
from fuzzbow.server import Limits
from tests.unit.server.conftest import client_of, error_of, loop_client, wait_until

NEW = {"documents": [{"id": "new", "text": "a dog"}]}
SECONDS = 60  # no test waits so long unless it fails


@pytest.fixture
def folder(model, tmp_path):
    model.index(["a cat"], ids=["a"], path=tmp_path / "index")
    return tmp_path / "index"


@contextmanager
def waiting_write(server, folder):
    """Keep a request to add a text waiting for the lock, and give the list of its answer."""
    answers = []

    def add() -> None:
        answers.append(httpx.post(server.url + "/v1/documents", json=NEW, timeout=SECONDS))

    writer = threading.Thread(target=add)
    with lock.writer_lock(folder / "lock"):
        writer.start()
        wait_until(lambda: server.works_on(1))
        yield answers
    writer.join()


def test_a_write_that_waits_for_another_process_delays_neither_reading_nor_the_end(running, folder):
    options = ("--lock-seconds", 3600, "--shutdown-seconds", 1)
    server = running("--no-access-log", "--index", folder, *options)
    with waiting_write(server, folder) as added:
        assert httpx.get(server.url + "/healthz").json() == {"status": "ok"}
        assert httpx.get(server.url + "/v1/info").json()["documents"] == 1
        found = httpx.post(server.url + "/v1/search", json={"query": "a cat"})
        assert [hit["id"] for hit in found.json()["hits"]] == ["a"]
        assert not added
    assert added[0].status_code == 201
    assert httpx.get(server.url + "/v1/info").json()["documents"] == 2
    with waiting_write(server, folder) as refused:
        server.end()
    assert server.process.returncode == 0
    assert refused[0].status_code == 503
    assert fuzzbow.open_index(folder).ids == ["a", "new"]


def test_a_write_that_waits_too_long_is_refused_for_a_moment(model, folder):
    changes = [("POST", "/v1/documents", NEW), ("DELETE", "/v1/documents/a", None)]
    limits = Limits(lock_seconds=1)
    with client_of(model, fuzzbow.open_index(folder), limits=limits) as client:

        def ask(change) -> httpx.Response:
            method, path, body = change
            return client.request(method, path, json=body)

        with lock.writer_lock(folder / "lock"), ThreadPoolExecutor() as pool:
            answers = list(pool.map(ask, changes))
        for answer in answers:
            assert error_of(answer) == (503, "index_busy")
            assert answer.headers["retry-after"] == "1"
            assert str(folder) not in answer.text
        assert [ask(change).status_code for change in changes] == [201, 200]


def test_what_needs_no_work_is_answered_while_all_threads_work(model, folder, tmp_path):
    (tmp_path / "report.html").write_text("<h1>Claims</h1>")
    paths = ["/healthz", "/metrics", "/v1/info", "/", "/docs", "/report", "/openapi.json"]
    index = fuzzbow.open_index(folder)
    threads = max(2, os.cpu_count() or 1)
    held, free = threading.Barrier(threads + 2), threading.Event()

    def hold(*wanted: object) -> None:
        held.wait(SECONDS)
        free.wait(SECONDS)

    def write() -> None:
        with index._guard.alone():
            hold()

    async def ask() -> list[int]:
        async with loop_client(model, index, report=tmp_path) as (app, client):
            workers = app.service.workers
            busy = [asyncio.create_task(workers.read(hold)) for _ in range(threads)]
            busy.append(asyncio.create_task(workers.write(write, SECONDS)))
            await asyncio.to_thread(held.wait, SECONDS)
            try:
                # else it would wait for what is let go only afterwards
                calls = [asyncio.wait_for(client.get(path), SECONDS / 2) for path in paths]
                return [(await call).status_code for call in calls]
            finally:
                free.set()
                await asyncio.gather(*busy)

    assert asyncio.run(ask()) == [200] * len(paths)


def test_a_log_that_nobody_reads_stops_nothing(running):
    server = running()
    with httpx.Client() as client:
        for number in range(600):  # some 300 bytes each, where a pipe holds 65536
            client.get(f"{server.url}/{number}-{'x' * 200}")
        assert client.get(server.url + "/healthz").json() == {"status": "ok"}
