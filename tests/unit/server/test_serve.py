"""A server in a process of its own: its log, its end, its counters."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from math import cos, sin

import httpx
import pytest

import fuzzbow
from tests.unit.server.conftest import COMMAND, wait_until


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


def test_the_log_is_json_without_texts(running):
    server = running()
    secret = "correct horse battery staple"
    httpx.post(server.url + "/v1/similarity", json={"a": secret, "b": "x"})
    httpx.get(server.url + "/nothing%0A%22?query=" + secret.replace(" ", "+"))
    log = server.end()
    first, second = lines(log)
    assert {**first, "time": "", "ms": 0} == {
        "time": "", "event": "request", "method": "POST", "path": "/v1/similarity",
        "status": 200, "ms": 0, "bytes": first["bytes"],
    }  # fmt: skip
    assert (second["status"], second["path"]) == (404, '/nothing\n"')
    assert "staple" not in log


def test_counters_name_routes_and_nothing_that_was_sent(running):
    server = running("--no-access-log")
    httpx.post(server.url + "/v1/similarity", json={"a": "x", "b": "x"})
    httpx.delete(server.url + "/v1/documents/my-id")
    httpx.get(server.url + "/my-path")
    answer = httpx.get(server.url + "/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    counted = 'fuzzbow_requests_total{method="POST",route="/v1/similarity",status="200"} 1.0'
    assert counted in answer.text
    assert 'route="other",status="404"' in answer.text
    assert "my-" not in answer.text
    assert server.end() == ""


def test_a_port_in_use_is_said_in_one_line(running):
    server = running()
    done = subprocess.run(
        [COMMAND, "serve", "--port", str(server.port)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: Address already in use")
    assert len(done.stderr.splitlines()) == 1


def test_a_folder_without_a_report_is_said_in_one_line(tmp_path):
    done = subprocess.run(
        [COMMAND, "serve", "--report", str(tmp_path)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert "a folder with report.html" in done.stderr


def test_an_index_is_served_with_its_own_measure(running, tmp_path):
    made = fuzzbow.load("default", measure="dynamax-dice").index(["a cat"], path=tmp_path / "index")
    server = running("--index", tmp_path / "index")
    info = httpx.get(server.url + "/v1/info").json()
    assert (info["measure"], info["index_measure"]) == ("weighted-jaccard", "dynamax-dice")
    hits = httpx.post(server.url + "/v1/search", json={"query": "a dog"}).json()["hits"]
    assert hits == made.search("a dog").to_dicts()


@pytest.mark.parametrize(
    ("arguments", "choices"),
    [([], {}), (["--measure", "dynamax-dice"], {"measure": "dynamax-dice"})],
)
def test_an_index_changes_no_comparison(running, tmp_path, arguments, choices):
    searching = fuzzbow.load(purpose="passages")
    index = searching.index(["a cat", "a plane"], path=tmp_path / "index")
    server = running("--index", tmp_path / "index", *arguments)
    ask = lambda path, body: httpx.post(server.url + path, json=body).json()  # noqa: E731
    pair, model = {"a": "a cat", "b": "a dog"}, fuzzbow.load(**choices)
    assert ask("/v1/similarity", pair)["similarity"] == model.similarity(**pair) > 0.2
    assert ask("/v1/pairs", {"lefts": ["a cat"], "rights": ["a dog"]})["scores"] == [
        model.similarity(**pair)
    ]
    assert ask("/v1/explain", pair) == model.explain(**pair).to_dict()
    hits = ask("/v1/search", {"query": "a cat", "explain": True})["hits"]
    assert [hit["score"] for hit in hits] == [hit.score for hit in index.search("a cat")]
    as_index = ask("/v1/explain", {"a": "a cat", "b": hits[0]["text"], "measure": "index"})
    assert as_index == hits[0]["explanation"]
    assert as_index["measure"] == "fuzzy-bm25"


def test_an_index_is_served_with_vectors_of_its_own(running, tmp_path):
    names = ("pets", "planes")
    files = [tmp_path / f"{name}.txt" for name in names]
    for turn, file in enumerate(files):
        angles = [turn, *(0.1 * number for number in range(100))]
        words = ["dog", "cat", *(f"word{number}" for number in range(1, 100))]
        lines = (f"{word} {cos(a)} {sin(a)}" for word, a in zip(words, angles, strict=True))
        file.write_text("\n".join(lines))
    stored = [fuzzbow.load(file, measure="dynamax-jaccard").index(["dog"], path=tmp_path / name)
              for file, name in zip(files, names, strict=True)]  # fmt: skip
    moved = tmp_path / "moved.txt"
    files[0].rename(moved)
    for index, name in zip(stored, names, strict=True):
        server = running("--index", tmp_path / name, "--vectors", moved, "-m", "dynamax-jaccard")
        pair = {"a": "cat", "b": "dog"}
        score = httpx.post(server.url + "/v1/similarity", json=pair).json()["similarity"]
        assert score == stored[0].model.similarity(**pair)
        hits = httpx.post(server.url + "/v1/search", json={"query": "cat"}).json()["hits"]
        assert hits == index.search("cat").to_dicts()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--index", "nowhere"], "must be the folder of an index"),
        (["--measure", "dynmax-dice"], "did you mean 'dynamax-dice'"),
    ],
)
def test_what_cannot_be_served_is_said_in_one_line(model, tmp_path, arguments, message):
    model.index(["a cat"], path=tmp_path / "index")
    given = [str(tmp_path / "index") if item == "INDEX" else item for item in arguments]
    done = subprocess.run(
        [COMMAND, "serve", "--port", "0", *given], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_request_in_another_language_is_nothing_for_the_log(running):
    server = running("--no-access-log")
    body = {"lefts": ["Собака спит в саду"], "rights": ["Кошка сидит на диване"]}
    assert httpx.post(server.url + "/v1/pairs", json=body).status_code == 200
    assert "of the words" not in server.end()
