"""A server in a process of its own: its log, its end, its counters."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading

import httpx
import numpy as np
import pytest

import fuzzbow
from tests.unit.server.conftest import COMMAND


@pytest.fixture(scope="module")
def slow(model) -> dict[str, list[str]]:
    """A request that takes a while: long texts in which no word comes twice."""
    random, words = np.random.default_rng(0), np.array(list(model.vectors.words[:20_000]))

    def some_texts() -> list[str]:
        return [" ".join(random.choice(words, 1_500, replace=False)) for _ in range(40)]

    return {"lefts": some_texts(), "rights": some_texts()}


def lines(log: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.splitlines()]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends processes without a word")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_requests_in_flight_finish_at_the_end(running, slow, how):
    server = running()
    answers: list[httpx.Response] = []

    def ask() -> None:
        answers.append(httpx.post(server.url + "/v1/pairs", json=slow, timeout=60))

    thread = threading.Thread(target=ask)
    thread.start()
    while "in_work 1.0" not in httpx.get(server.url + "/metrics").text:
        assert thread.is_alive()  # else the request was over before it was seen
    log = server.end(how)
    thread.join()
    assert answers[0].status_code == 200
    assert len(answers[0].json()["scores"]) == 40
    assert lines(log)[-1]["path"] == "/v1/pairs"
    assert server.process.returncode == 0


def test_the_pulse_is_felt_under_load(running, slow):
    server = running()
    done: list[int] = []

    def ask() -> None:
        done.append(httpx.post(server.url + "/v1/pairs", json=slow, timeout=60).status_code)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    while "in_work 4.0" not in httpx.get(server.url + "/metrics").text:
        assert not done
    assert httpx.get(server.url + "/healthz").json() == {"status": "ok"}
    assert len(done) < 4  # the pulse came before the work was over
    for thread in threads:
        thread.join()
    assert done == [200] * 4


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
    assert done.returncode == 1
    assert "a folder with report.html" in done.stderr


def test_an_index_is_served_with_its_own_measure(running, tmp_path):
    made = fuzzbow.load("default", measure="dynamax-dice").index(["a cat"], path=tmp_path / "index")
    server = running("--index", tmp_path / "index")
    assert httpx.get(server.url + "/v1/info").json()["measure"] == "dynamax-dice"
    hits = httpx.post(server.url + "/v1/search", json={"query": "a dog"}).json()["hits"]
    assert hits == made.search("a dog").to_dicts()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--index", "nowhere"], "must be the folder of an index"),
        (["--index", "INDEX", "--measure", "dynamax-dice"], "measure"),
        (["--measure", "dynmax-dice"], "did you mean 'dynamax-dice'"),
    ],
)
def test_what_cannot_be_served_is_said_in_one_line(model, tmp_path, arguments, message):
    model.index(["a cat"], path=tmp_path / "index")
    given = [str(tmp_path / "index") if item == "INDEX" else item for item in arguments]
    done = subprocess.run(
        [COMMAND, "serve", "--port", "0", *given], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
