"""Bodies, waiting and work are bounded, and a request above a bound gets a clear error."""

from __future__ import annotations

import asyncio
import socket
import threading
from dataclasses import asdict, fields
from pathlib import Path

import httpx
import pytest

from fuzzbow import InputError
from fuzzbow.server import Limits, Settings, app, comparisons, create_app
from fuzzbow.server.comparisons import score_together
from tests.command import invoked
from tests.unit.server.conftest import client_of, error_of, loop_client, message_of

JSON = {"content-type": "application/json"}
QUESTION = b'{"a": "a cat", "b": "a dog"}'


@pytest.mark.parametrize("declared", [True, False], ids=["with a length", "in chunks"])
def test_only_a_body_over_the_limit_is_refused(model, declared):
    body = b'{"a": "' + b"x" * 2_000 + b'", "b": ""}'
    with client_of(model, limits=Limits(body_bytes=1_000)) as client:
        content = body if declared else iter([body[:600], body[600:1_200], body[1_200:]])
        answer = client.post("/v1/similarity", content=content, headers=JSON)
    assert error_of(answer) == (413, "body_too_large")
    assert "at most 1000 bytes" in answer.json()["error"]["message"]
    with client_of(model, limits=Limits(body_bytes=len(body))) as client:
        assert client.post("/v1/similarity", content=body, headers=JSON).status_code == 200


def test_the_description_states_the_limits(model):
    limits = Limits(characters=11, texts=12, hits=13, queries=14)
    described = create_app(model, None, Settings(limits=limits)).openapi
    parts = described["components"]["schemas"].items()
    schemas = {name: item.get("properties") for name, item in parts}
    assert schemas["SimilarityRequest"]["a"]["maxLength"] == 11
    assert schemas["PairsRequest"]["lefts"]["maxItems"] == 12
    assert schemas["PairsRequest"]["rights"]["items"]["maxLength"] == 11
    assert schemas["DocumentsRequest"]["documents"]["maxItems"] == 12
    assert schemas["NewDocument"]["text"]["maxLength"] == 11
    assert schemas["SearchRequest"]["k"]["maximum"] == 13
    assert schemas["BatchSearchRequest"]["queries"]["maxItems"] == 14
    assert schemas["BatchSearchRequest"]["queries"]["items"]["maxLength"] == 11
    framed = described["paths"]["/v1/explain.html"]["get"]["parameters"]
    assert [item["schema"].get("maxLength") for item in framed] == [11, 11, None]
    assert "x-fuzzbow" not in str(described)


@pytest.mark.parametrize("declared", [True, False], ids=["with a length", "in chunks"])
def test_a_hundred_megabytes_are_refused_by_a_real_server(usual, declared):
    size = 100 * 1024 * 1024
    framing = f"Content-Length: {size}" if declared else "Transfer-Encoding: chunked"
    head = f"POST /v1/pairs HTTP/1.1\r\nHost: localhost\r\n{framing}\r\n"
    chunk = b"x" * 65_536
    block = chunk if declared else b"10000\r\n" + chunk + b"\r\n"
    with socket.create_connection(("127.0.0.1", usual.port), timeout=30) as connection:
        connection.sendall(head.encode() + b"Content-Type: application/json\r\n\r\n")
        try:
            for _ in range(size // len(chunk)):
                connection.sendall(block)
        except ConnectionError:
            pass  # it need not listen to all of it
        answer = connection.recv(65_536)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b'"code":"body_too_large"' in answer
    assert httpx.get(usual.url + "/healthz").json() == {"status": "ok"}


@pytest.mark.parametrize(("body_bytes", "status"), [(1_000, 200), (30, 429)])
def test_bodies_that_arrive_have_bounded_time_and_memory_but_take_no_room(
    model, body_bytes, status
):
    async def body():
        yield QUESTION[:9]
        await asyncio.Event().wait()

    async def ask() -> tuple[httpx.Response, httpx.Response]:
        limits = Limits(body_seconds=1, concurrent=1, body_bytes=body_bytes)
        async with loop_client(model, limits=limits) as (app, client):
            slow = asyncio.create_task(client.post("/v1/similarity", content=body(), headers=JSON))
            while not app.service.arriving:
                await asyncio.sleep(0.01)
            other = await client.post("/v1/similarity", content=QUESTION, headers=JSON)
            return await slow, other

    slow, other = asyncio.run(ask())
    assert error_of(slow) == (408, "body_too_slow")
    assert other.status_code == status
    assert status == 200 or error_of(other) == (429, "too_busy")


def test_more_requests_than_allowed_are_refused_for_a_moment(model):
    free = threading.Event()

    async def ask() -> list[httpx.Response]:
        async with loop_client(model, limits=Limits(concurrent=1)) as (app, client):
            app.service.shared(score_together)._call = lambda *given: free.wait(60) and [0.5]
            new = {"a": "qwrtz zxcvb", "b": "words that wait for a thread"}
            first = asyncio.create_task(client.post("/v1/similarity", json=new))
            while not app.service.working:
                await asyncio.sleep(0.01)
            answers = [await client.post("/v1/similarity", content=QUESTION, headers=JSON)]
            answers.append(await client.get("/healthz"))
            free.set()
            answers.append(await first)
            answers.append(await client.post("/v1/similarity", content=QUESTION, headers=JSON))
        return answers

    refused, *others = asyncio.run(ask())
    assert error_of(refused) == (429, "too_busy")
    assert refused.headers["retry-after"] == "1"
    assert [answer.status_code for answer in others] == [200, 200, 200]


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"words": 3}, "at most 3 words; text 0 has 4"),
        ({"characters": 5}, "at most 5 characters; text 0 has 18"),
    ],
)
def test_short_texts_of_known_words_are_held_to_low_limits_too(model, limits, message):
    model.similarity("one two three four", "a")
    with client_of(model, limits=Limits(**limits)) as client:
        answer = client.post("/v1/similarity", json={"a": "one two three four", "b": "a"})
    assert message in message_of(answer, 422)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("similarity", {"a": "one two three", "b": "four five six seven"}),
        ("similarity", {"a": "one two three" + " " * 5_000, "b": "four five six seven"}),
        ("explain", {"a": "one two three", "b": "four five six seven"}),
        ("pairs", {"lefts": ["one two", "one two"], "rights": ["one two three"] * 2}),
    ],
    ids=["short", "long", "explain", "rows"],
)
def test_words_times_words_are_bounded(model, path, body):
    with client_of(model, limits=Limits(comparisons=11)) as client:
        message = message_of(client.post(f"/v1/{path}", json=body), 422)
    assert "at most 11 words with words" in message
    assert "got 12" in message
    with client_of(model, limits=Limits(comparisons=12)) as client:
        assert client.post(f"/v1/{path}", json=body).status_code == 200


def test_rows_in_several_parts_score_as_in_one(model, monkeypatch):
    monkeypatch.setattr(comparisons, "CHUNK", 1)
    lefts, rights = ["a cat", "", "a plane", "42 cats"], ["a dog", "a dog", "", "42 dogs"]
    with client_of(model) as client:
        answer = client.post("/v1/pairs", json={"lefts": lefts, "rights": rights})
    assert answer.json()["scores"] == model.pairs(lefts, rights).tolist()


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        ("search", {"query": "a long text"}, "ask for fewer hits"),
        ("search", {"query": "a long text" + " " * 5_000}, "ask for fewer hits"),
        ("explain", {"a": "a cat " * 30, "b": "a dog"}, "ask for shorter texts"),
    ],
    ids=["short", "long", "explain"],
)
def test_an_answer_over_the_limit_says_to_ask_for_less(model, path, body, message):
    index = model.index(["a long text " * 20] * 9)
    with client_of(model, index, limits=Limits(answer_bytes=2_000)) as client:
        answer = client.post(f"/v1/{path}", json=body)
        few = client.post("/v1/search", json={"query": "a long text", "k": 2})
    assert error_of(answer) == (422, "answer_too_large")
    assert "at most 2000 bytes" in answer.json()["error"]["message"]
    assert answer.json()["error"]["message"].endswith(message)
    assert len(few.json()["hits"]) == 2


def test_one_answer_over_the_limit_does_not_concern_those_that_share_its_call(model):
    index = model.index(["short", "a long text " * 400])

    async def ask() -> list[httpx.Response]:
        async with loop_client(model, index, limits=Limits(answer_bytes=2_000)) as (_, client):
            questions = [{"query": query, "k": 1} for query in ("a short", "short", "a long text")]
            calls = [client.post("/v1/search", json=question) for question in questions]
            return await asyncio.gather(*calls)

    assert [answer.status_code for answer in asyncio.run(ask())] == [200, 200, 422]


@pytest.mark.parametrize("value", [0, -1, True, 2.5])
def test_a_limit_is_a_whole_number(value):
    with pytest.raises(InputError, match="texts must be a whole number of at least 1"):
        Limits(texts=value)


@pytest.fixture
def served(monkeypatch) -> list[Settings]:
    """Settings of each server that `fuzzbow serve` would start."""
    found = []
    monkeypatch.setattr(app, "serve", lambda model, index, settings: found.append(settings))
    return found


def test_every_limit_is_an_option_and_an_environment_variable(served, monkeypatch):
    values = {item.name: number for number, item in enumerate(fields(Limits), start=5)}
    options = [(item.metadata["option"], values[item.name]) for item in fields(Limits)]
    invoked("serve", *(part for pair in options for part in pair))
    for item in fields(Limits):
        monkeypatch.setenv(item.metadata["variable"], str(values[item.name]))
    invoked("serve")
    assert [asdict(settings.limits) for settings in served] == [values, values]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--host", "0.0.0.0"), "set FUZZBOW_API_KEY"),
        (("--report", "docs"), "a folder with report.html"),
        (("--allow-origin", "*"), "an origin must be"),
        (("--max-texts", 0), "Invalid value"),
        (("--index", "nowhere"), "must be the folder of an index"),
        (("--measure", "dynmax-dice"), "did you mean 'dynamax-dice'"),
    ],
)
def test_wrong_options_start_no_server(served, options, message):
    assert message in invoked("serve", *options, check=2).stderr
    assert served == []


def test_options_of_sites_and_keys_reach_the_server(served, monkeypatch):
    monkeypatch.setenv("FUZZBOW_API_KEY", " key ")
    sites = ("https://app.example", "http://localhost:3000")
    invoked("serve", "--host", "::", *(part for site in sites for part in ("--allow-origin", site)))
    assert (served[0].origins, served[0].key, served[0].host) == (sites, "key", "::")


def test_the_page_of_documentation_lists_the_limits():
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "server.md").read_text("utf-8")
    rows = [
        f"| `{item.metadata['option']}` | {item.metadata['meaning']} | {item.default:,} |"
        f" {item.metadata['answer']} |"
        for item in fields(Limits)
    ]
    assert "\n    ".join(rows) in page
