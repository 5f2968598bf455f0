"""Nothing that a client sees waits for a lock, a disk or the log that need not."""

from __future__ import annotations

import asyncio
import os
import threading

import httpx
import pytest

import fuzzbow
from fuzzbow.server import Settings, create_app
from fuzzbow.tasks.index import lock
from tests.unit.server.conftest import BASE, wait_until

NEW = {"documents": [{"id": "new", "text": "a dog"}]}
SECONDS = 60  # no test waits so long unless it fails


@pytest.fixture
def folder(model, tmp_path):
    model.index(["a cat"], ids=["a"], path=tmp_path / "index")
    return tmp_path / "index"


def test_reading_goes_on_while_another_process_keeps_a_write_waiting(running, folder):
    server = running("--no-access-log", "--index", folder, "--lock-seconds", 3600)
    added = []

    def add() -> None:
        added.append(httpx.post(server.url + "/v1/documents", json=NEW, timeout=SECONDS))

    writer = threading.Thread(target=add)
    with lock.writer_lock(folder / "lock"):
        writer.start()
        wait_until(lambda: server.works_on(1))
        assert httpx.get(server.url + "/healthz").json() == {"status": "ok"}
        assert httpx.get(server.url + "/v1/info").json()["documents"] == 1
        found = httpx.post(server.url + "/v1/search", json={"query": "a cat"})
        assert [hit["id"] for hit in found.json()["hits"]] == ["a"]
        assert not added
    writer.join()
    assert added[0].status_code == 201
    assert httpx.get(server.url + "/v1/info").json()["documents"] == 2


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/v1/documents"), ("DELETE", "/v1/documents/a")]
)
def test_a_write_that_waits_too_long_is_told_to_try_again(running, folder, method, path):
    server = running("--no-access-log", "--index", folder, "--lock-seconds", 1)
    body = NEW if method == "POST" else None
    with lock.writer_lock(folder / "lock"):
        refused = httpx.request(method, server.url + path, json=body, timeout=SECONDS)
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "index_busy")
    assert refused.headers["retry-after"] == "1"
    assert str(folder) not in refused.text
    assert httpx.request(method, server.url + path, json=body).status_code in (200, 201)


def test_a_server_ends_although_a_write_waits(running, folder):
    options = ("--lock-seconds", 3600, "--shutdown-seconds", 1)
    server = running("--no-access-log", "--index", folder, *options)
    answers = []

    def add() -> None:
        answers.append(httpx.post(server.url + "/v1/documents", json=NEW, timeout=SECONDS))

    writer = threading.Thread(target=add)
    with lock.writer_lock(folder / "lock"):
        writer.start()
        wait_until(lambda: server.works_on(1))
        server.end()
    writer.join()
    assert server.process.returncode == 0
    assert answers[0].status_code == 503
    assert fuzzbow.open_index(folder).ids == ["a"]


@pytest.mark.parametrize(
    "path", ["/healthz", "/metrics", "/v1/info", "/", "/docs", "/report", "/openapi.json"]
)
def test_what_needs_no_work_is_answered_while_all_threads_work(model, folder, tmp_path, path):
    (tmp_path / "report.html").write_text("<h1>Claims</h1>")
    index = fuzzbow.open_index(folder)
    threads = max(2, os.cpu_count() or 1)
    held, free = threading.Barrier(threads + 2), threading.Event()

    def hold(*wanted: object) -> None:
        held.wait(SECONDS)
        free.wait(SECONDS)

    def write() -> None:
        with index._guard.alone():
            hold()

    async def ask() -> httpx.Response:
        app = create_app(model, index, Settings(access_log=False, report=tmp_path))
        workers = app.state.service.workers
        busy = [asyncio.create_task(workers.read(hold)) for _ in range(threads)]
        busy.append(asyncio.create_task(workers.write(write, SECONDS)))
        await asyncio.to_thread(held.wait, SECONDS)
        try:
            async with httpx.AsyncClient(
                transport=httpx.ASGITransport(app), base_url=BASE
            ) as client:
                # else it would wait for what is let go only afterwards
                return await asyncio.wait_for(client.get(path), SECONDS / 2)
        finally:
            free.set()
            await asyncio.gather(*busy)
            workers.close()

    assert asyncio.run(ask()).status_code == 200


def test_a_log_that_nobody_reads_stops_nothing(running):
    server = running()
    with httpx.Client() as client:
        for number in range(600):  # some 300 bytes each, where a pipe holds 65536
            client.get(f"{server.url}/{number}-{'x' * 200}")
        assert client.get(server.url + "/healthz").json() == {"status": "ok"}
