"""A server in this process, and one in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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
    """A client of a server with these settings."""
    chosen = Settings(**{"access_log": False, **settings})
    with TestClient(create_app(model, index, chosen), base_url=BASE) as client:
        yield client


@pytest.fixture(scope="session")
def client(model) -> Iterator[TestClient]:
    """A server without an index; an exception in it is a 500, as for anyone."""
    app = create_app(model, None, Settings(access_log=False))
    with TestClient(app, base_url=BASE, raise_server_exceptions=False) as client:
        yield client


class Running:
    """A server in a process of its own."""

    def __init__(self, *arguments: object, key: str = "") -> None:
        self.process = start_child(
            [COMMAND, "serve", "--port", "0", *arguments],
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "FUZZBOW_API_KEY": key},
        )
        assert self.process.stderr is not None
        first = self.process.stderr.readline()
        if not first.startswith("{"):
            self.process.kill()
            raise AssertionError(first + self.process.communicate()[1])
        self.url: str = json.loads(first)["url"]
        self.port = int(self.url.rpartition(":")[2])

    def end(self, how: signal.Signals = signal.SIGTERM) -> str:
        """End it, and what it logged after its first line."""
        self.process.send_signal(how)
        return self.process.communicate(timeout=60)[1]

    def kill(self) -> None:
        """End it without warning, if it has not ended."""
        end_child(self.process)


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
            server.kill()


@pytest.fixture
def running() -> Iterator[Callable[..., Running]]:
    """Starts servers for one test."""
    with servers() as start:
        yield start
