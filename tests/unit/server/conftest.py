"""A server in this process, and one in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

import fuzzbow
from fuzzbow.server import Settings, create_app
from tests.command import COMMAND, end_child, start_child

BASE = "http://127.0.0.1"


@pytest.fixture(scope="session")
def model() -> fuzzbow.Model:
    return fuzzbow.load("default")


@contextmanager
def client_of(model, index=None, **settings) -> Iterator[TestClient]:
    """A client of a server with these settings; an exception in it is a 500, as for anyone."""
    app = create_app(model, index, Settings(**{"access_log": False, **settings}))
    with TestClient(app, base_url=BASE, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture(scope="session")
def client(model) -> Iterator[TestClient]:
    """A server without an index."""
    with client_of(model) as client:
        yield client


@asynccontextmanager
async def loop_client(
    model, index=None, **settings
) -> AsyncIterator[tuple[Any, httpx.AsyncClient]]:
    """An application and its client, both in the event loop of the caller."""
    app = create_app(model, index, Settings(access_log=False, **settings))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=BASE) as client:
        yield app, client
    app.service.workers.close()


def error_of(answer: httpx.Response) -> tuple[int, str]:
    """Return the status and the code of an error."""
    return answer.status_code, answer.json()["error"]["code"]


def message_of(answer: httpx.Response, status: int) -> str:
    """Return the message of an error with this status."""
    assert answer.status_code == status
    return answer.json()["error"]["message"]


class Running:
    """A server in a process of its own."""

    def __init__(self, *arguments: object, key: str = "") -> None:
        self.process = start_child(
            [COMMAND, "serve", "--port", "0", *arguments],
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "FUZZBOW_API_KEY": key},
        )
        first = self.process.stderr.readline()
        if not first.startswith("{"):
            self.process.kill()
            raise AssertionError(first + self.process.communicate()[1])
        self.url: str = json.loads(first)["url"]
        self.port = int(self.url.rpartition(":")[2])

    def works_on(self, number: int) -> bool:
        """Return whether it has so many requests in work, besides the one that asks."""
        return f"in_work {number + 1}.0" in httpx.get(self.url + "/metrics").text

    def end(self, how: signal.Signals = signal.SIGTERM) -> str:
        """End it, and what it logged after its first line."""
        self.process.send_signal(how)
        return self.process.communicate(timeout=60)[1]


def wait_until(condition: Callable[[], object]) -> None:
    """Look again and again, for a minute at most."""
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until, "it did not happen within a minute"
        time.sleep(0.02)


@contextmanager
def servers() -> Iterator[Callable[..., Running]]:
    """Starts servers, and ends those that are left behind."""
    started: list[Running] = []

    def start(*arguments: object, key: str = "") -> Running:
        started.append(Running(*arguments, key=key))
        return started[-1]

    try:
        yield start
    finally:
        for server in started:
            end_child(server.process)


@pytest.fixture
def running() -> Iterator[Callable[..., Running]]:
    """Starts servers for one test."""
    with servers() as start:
        yield start


@pytest.fixture(scope="session")
def usual() -> Iterator[Running]:
    """A server without an index, for tests that change nothing and end nothing."""
    with servers() as start:
        yield start("--no-access-log", "--idle-seconds", 1)
