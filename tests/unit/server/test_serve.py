"""A server in a process of its own: its log, its end, its counters, its connections."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import threading
from math import cos, sin

import httpx
import pytest

import fuzzbow
from fuzzbow.server import app, monitoring
from fuzzbow.server.monitoring import LogThread
from tests.command import invoked
from tests.unit.server.conftest import COMMAND, client_of, wait_until


def lines(log: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.splitlines()]


QUESTION = b'{"a": "a cat", "b": "a dog"}'


def begin_question(server) -> socket.socket:
    """A connection with half a question that the server has begun to work on."""
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    connection.sendall(
        b"POST /v1/similarity HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + b"Content-Length: %d\r\n\r\n" % len(QUESTION)
        + QUESTION[:9]
    )
    wait_until(lambda: server.works_on(1))
    return connection


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends processes without a word")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_requests_in_flight_finish_at_the_end(running, how):
    server = running()
    with begin_question(server) as connection:
        server.process.send_signal(how)
        wait_until(lambda: refuses(server.port))
        connection.sendall(QUESTION[9:])
        answer = connection.makefile("rb").read()
    log = server.process.communicate(timeout=60)[1]
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b'"similarity":' in answer
    assert lines(log)[-1]["path"] == "/v1/similarity"
    assert server.process.returncode == 0


def refuses(port: int) -> bool:
    """Whether a server no longer takes connections."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=60).close()
    except ConnectionError:  # refused, or in the queue when it was given up
        return True
    return False


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends processes without a word")
def test_clients_that_do_nothing_do_not_keep_a_server_from_ending(running):
    server = running("--no-access-log", "--shutdown-seconds", 1)
    address = ("127.0.0.1", server.port)
    with (
        socket.create_connection(address),
        socket.create_connection(address) as half,
        socket.create_connection(address) as deaf,
        begin_question(server) as unfinished,
    ):
        half.sendall(b"GET /healthz HTTP/1.1\r\nHost:")
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.sendall(b"GET /static/app.js HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50)
        log = server.end()
        assert unfinished.recv(1000).startswith(b"HTTP/1.1 503 ")
    assert server.process.returncode == 0
    assert "trace" not in log


def test_log_and_counters_name_routes_and_no_text(running):
    server, secret = running(), "correct horse battery staple"
    body = {"lefts": ["Собака спит в саду"], "rights": ["Кошка сидит на диване"]}
    httpx.post(server.url + "/v1/similarity", json={"a": secret, "b": "x"})
    httpx.get(server.url + "/my-path%0A%22?query=" + secret.replace(" ", "+"))
    httpx.delete(server.url + "/v1/documents/my-id")
    assert httpx.post(server.url + "/v1/pairs", json=body).status_code == 200
    answer = httpx.get(server.url + "/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    counted = 'fuzzbow_requests_total{method="POST",route="/v1/similarity",status="200"} 1.0'
    assert counted in answer.text
    assert 'route="other",status="404"' in answer.text
    assert "my-" not in answer.text
    log = server.end()
    first, second, *others = lines(log)
    assert {**first, "time": "", "ms": 0} == {
        "time": "", "event": "request", "method": "POST", "path": "/v1/similarity",
        "status": 200, "ms": 0, "bytes": first["bytes"],
    }  # fmt: skip
    assert (second["status"], second["path"]) == (404, '/my-path\n"')
    assert [line["event"] for line in others] == ["request"] * 3  # no warning of a language
    assert "staple" not in log


def test_a_port_in_use_is_said_in_one_line(usual):
    done = subprocess.run(
        [COMMAND, "serve", "--port", str(usual.port)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: Address already in use")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("measure", ["weighted-jaccard", "dynamax-dice"])
def test_an_index_changes_no_comparison(measure):
    model, pair = fuzzbow.load(measure=measure), {"a": "a cat", "b": "a dog"}
    index = fuzzbow.load(purpose="passages").index(["a cat", "a plane"])
    with client_of(model, index) as client:
        ask = lambda path, body: client.post(path, json=body).json()  # noqa: E731
        scores = ask("/v1/pairs", {"lefts": ["a cat"], "rights": ["a dog"]})["scores"]
        assert [ask("/v1/similarity", pair)["similarity"]] == scores == [model.similarity(**pair)]
        assert ask("/v1/explain", pair) == model.explain(**pair).to_dict()
        hits = ask("/v1/search", {"query": "a cat", "explain": True})["hits"]
        assert [hit["score"] for hit in hits] == [hit.score for hit in index.search("a cat")]
        as_index = ask("/v1/explain", {"a": "a cat", "b": hits[0]["text"], "measure": "index"})
    assert as_index == hits[0]["explanation"]
    assert as_index["measure"] == "fuzzy-bm25"


def test_an_index_is_served_with_vectors_of_its_own(monkeypatch, tmp_path):
    names, found = ("pets", "planes"), []
    files = [tmp_path / f"{name}.txt" for name in names]
    for turn, file in enumerate(files):
        angles = [turn, *(0.1 * number for number in range(100))]
        words = ["dog", "cat", *(f"word{number}" for number in range(1, 100))]
        lines = (f"{word} {cos(a)} {sin(a)}" for word, a in zip(words, angles, strict=True))
        file.write_text("\n".join(lines))
    stored = [fuzzbow.load(file, measure="dynamax-jaccard").index(["dog"], path=tmp_path / name)
              for file, name in zip(files, names, strict=True)]  # fmt: skip
    moved = files[0].rename(tmp_path / "moved.txt")
    wanted = [
        (stored[0].model.similarity("cat", "dog"), index.search("cat").to_dicts())
        for index in stored
    ]

    def serve(model, index, settings) -> None:
        found.append((model.similarity("cat", "dog"), index.search("cat").to_dicts()))

    monkeypatch.setattr(app, "serve", serve)
    for name in names:
        options = ["--vectors", moved, "-m", "dynamax-jaccard"]
        invoked("serve", "--index", tmp_path / name, *options)
    assert found == wanted


HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
LAST = b"GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def answered(usual, sent: bytes) -> bytes:
    """All answers until the server ends the connection."""
    with socket.create_connection(("127.0.0.1", usual.port), timeout=60) as connection:
        connection.sendall(sent)
        return connection.makefile("rb").read()


def test_pipelined_requests_are_answered_in_order(usual):
    statuses = re.findall(rb"HTTP/1.1 (\d+)", answered(usual, HEALTH * 3_000 + LAST))
    assert statuses == [b"200"] * 3_000 + [b"404"]


def test_an_idle_connection_is_closed(usual):
    assert answered(usual, HEALTH).startswith(b"HTTP/1.1 200 ")


def test_bytes_that_are_not_http_are_refused(usual):
    answer = answered(usual, b"\x16\x03\x01\x02\x00 hello\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 400 Bad Request")
    assert httpx.get(usual.url + "/healthz").json() == {"status": "ok"}


def test_more_connections_than_allowed_are_refused(running):
    server = running("--no-access-log", "--max-connections", 1)
    with httpx.Client() as first, httpx.Client() as second:
        statuses = [client.get(server.url + "/healthz").status_code for client in (first, second)]
    assert statuses == [200, 503]
    assert httpx.get(server.url + "/healthz").status_code == 200


SECONDS = 60  # no test waits so long unless it fails


class Slow:
    """A stream whose first write waits."""

    def __init__(self) -> None:
        self.begun, self.free, self.written = threading.Event(), threading.Event(), []

    def write(self, text: str) -> None:
        self.begun.set()
        self.free.wait(SECONDS)
        self.written.append(text)

    def flush(self) -> None:
        """As a stream has it."""


def test_lines_are_written_in_order_and_those_above_the_limit_are_counted(monkeypatch):
    stream, log = Slow(), LogThread()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(monitoring, "MOST_LINES", 50)
    log.write("0\n")
    stream.begun.wait(SECONDS)
    for number in range(1, 60):
        log.write(f"{number}\n")
    stream.free.set()
    log.flush()
    written = "".join(stream.written).splitlines()
    assert [line for line in written if line.isdigit()] == [str(number) for number in range(51)]
    dropped = [json.loads(line) for line in written if not line.isdigit()]
    assert [(line["event"], line["number"]) for line in dropped] == [("lines dropped", 9)]
