"""Clients that send nothing, read nothing or come in crowds keep nobody else out."""

from __future__ import annotations

import contextlib
import json
import re
import socket

import httpx
import pytest

from tests.unit.server.conftest import servers, wait_until

HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
FOREVER = 3600  # seconds; what is tested must happen for another reason


def connect(server, **options) -> socket.socket:
    connection = socket.socket()
    connection.settimeout(60)
    if "buffer" in options:  # before it connects, so that the other side learns of it
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, options["buffer"])
    connection.connect(("127.0.0.1", server.port))
    return connection


@pytest.fixture(scope="module")
def impatient():
    """A server that waits a second for its clients."""
    with servers() as start:
        yield start("--no-access-log", "--head-seconds", 1, "--idle-seconds", 1)


@pytest.fixture(scope="module")
def usual():
    """A server as it is."""
    with servers() as start:
        yield start("--no-access-log")


def open_files(server) -> int:
    found = re.search(r"^process_open_fds (\S+)", httpx.get(server.url + "/metrics").text, re.M)
    assert found is not None
    return int(float(found[1]))


@pytest.mark.parametrize(
    "beginning",
    [b"", b"GET /hea", b"\r\n", HEALTH + b"GET /"],
    ids=["nothing", "half", "line", "second"],
)
def test_a_head_that_does_not_arrive_is_given_up(impatient, beginning):
    with connect(impatient) as connection:
        connection.sendall(beginning)
        assert connection.makefile("rb").read().count(b"HTTP/1.1") <= 2


def test_a_slow_head_is_answered_by_408(running):
    server = running("--no-access-log", "--head-seconds", 1, "--idle-seconds", FOREVER)
    with connect(server) as connection:
        connection.sendall(b"GET /hea")
        answer = connection.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["code"] == "head_too_slow"


def test_a_head_in_small_pieces_is_given_up_too(impatient):
    """Each piece shows that the client lives, and must not give it more time."""
    with connect(impatient) as connection, contextlib.suppress(ConnectionError):
        connection.settimeout(0.05)
        connection.sendall(HEALTH[:-2])

        def refused() -> bool:
            connection.sendall(b"X-Piece: x\r\n")
            with contextlib.suppress(TimeoutError):
                return connection.recv(1000).startswith(b"HTTP/1.1 408 ")
            return False

        wait_until(refused)


def test_an_idle_connection_is_closed(running):
    server = running("--no-access-log", "--head-seconds", FOREVER, "--idle-seconds", 1)
    with connect(server) as connection:
        connection.sendall(HEALTH)
        assert connection.makefile("rb").read().startswith(b"HTTP/1.1 200 ")


def test_the_rest_of_a_refused_body_is_not_awaited_for_ever(impatient):
    with connect(impatient) as connection, contextlib.suppress(ConnectionError):
        connection.settimeout(0.05)
        connection.sendall(HEALTH[:-2] + b"Content-Length: 1000000000\r\n\r\n")

        def closed() -> bool:
            connection.sendall(b"x")
            with contextlib.suppress(TimeoutError):
                return connection.recv(1000) == b""
            return False

        wait_until(closed)


@pytest.fixture
def deaf(running, model, tmp_path):
    """A server with large texts, and clients that ask for them and read nothing."""
    # 8 MB, of which the system keeps the first few itself
    model.index(["text " * 200_000] * 8, path=tmp_path / "index")
    with contextlib.ExitStack() as stack:

        def start(*options):
            server = running("--no-access-log", "--index", tmp_path / "index", *options)
            body = b'{"query": "text"}'

            def ask() -> socket.socket:
                connection = stack.enter_context(connect(server, buffer=4096))
                connection.sendall(
                    b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n"
                    b"Content-Type: application/json\r\n\r\n" % len(body) + body
                )
                assert connection.recv(20).startswith(b"HTTP/1.1 200")
                return connection

            return server, ask

        yield start


def received(connection: socket.socket) -> int:
    """Bytes until the end."""
    with contextlib.suppress(ConnectionError):
        return len(connection.makefile("rb").read())
    return 0


def test_a_client_that_does_not_read_is_given_up(deaf):
    server, ask = deaf("--write-seconds", 1)
    before = open_files(server)
    connection = ask()
    assert open_files(server) > before
    wait_until(lambda: open_files(server) <= before)
    assert received(connection) < 8_000_000


def test_of_many_that_do_not_read_the_first_is_given_up(deaf):
    server, ask = deaf("--write-seconds", FOREVER, "--max-unsent", 1)
    before = open_files(server)
    first, second = ask(), ask()
    wait_until(lambda: open_files(server) <= before + 1)
    assert received(first) < 8_000_000
    second.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    assert received(second) > 8_000_000


def test_half_requests_beyond_the_limit_of_files_lock_nobody_out(running):
    waits = ("--head-seconds", FOREVER, "--body-seconds", FOREVER, "--idle-seconds", FOREVER)
    server = running("--no-access-log", *waits, files=256)
    with contextlib.ExitStack() as stack:
        for number in range(300):
            connection = stack.enter_context(connect(server))
            connection.sendall(HEALTH[:-2] if number % 2 else POST)
        for _ in range(3):
            assert httpx.get(server.url + "/healthz").json() == {"status": "ok"}
        answer = httpx.post(server.url + "/v1/similarity", json={"a": "a cat", "b": "a cat"})
        assert answer.json()["similarity"] == 1.0


POST = (
    b"POST /v1/similarity HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b'Content-Length: 100\r\n\r\n{"a": "'
)


def test_more_connections_than_allowed_replace_the_one_that_waits_longest(running):
    server = running("--no-access-log", "--max-connections", 2, "--idle-seconds", FOREVER)
    with connect(server) as first, connect(server) as second, connect(server) as third:
        for connection in (second, third):
            connection.sendall(HEALTH)
            assert connection.recv(1000).startswith(b"HTTP/1.1 200")
        assert received(first) == 0


def test_too_many_pipelined_requests_are_refused(usual):
    with connect(usual) as connection, contextlib.suppress(ConnectionError):
        connection.sendall(HEALTH * 3_000)
        answers = connection.makefile("rb").read()
        assert answers.count(b'"status":"ok"') < 100
    assert httpx.get(usual.url + "/healthz").json() == {"status": "ok"}


def test_pipelined_requests_are_answered_in_order(usual):
    with connect(usual) as connection:
        last = b"GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        connection.sendall(HEALTH * 20 + last)
        answers = connection.makefile("rb").read()
    assert re.findall(rb"HTTP/1.1 (\d+)", answers) == [b"200"] * 20 + [b"404"]


def test_what_is_not_http_is_refused_in_json(usual):
    with connect(usual) as connection:
        connection.sendall(b"\x16\x03\x01\x02\x00 hello\r\n\r\n")
        head, _, body = connection.makefile("rb").read().partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 Bad Request")
    assert json.loads(body)["error"]["code"] == "bad_request"
