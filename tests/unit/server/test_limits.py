"""Bodies, waiting and work are bounded, and who exceeds a bound is told."""

from __future__ import annotations

import asyncio
import socket

import httpx
import pytest

from fuzzbow import InputError
from fuzzbow.server import Limits, Settings, create_app, middleware, service
from tests.unit.server.conftest import BASE, client_of

JSON = {"content-type": "application/json"}
QUESTION = b'{"a": "a cat", "b": "a dog"}'


@pytest.mark.parametrize("declared", [True, False], ids=["with a length", "in chunks"])
def test_a_body_over_the_limit_is_refused(model, declared):
    body = b'{"a": "' + b"x" * 2_000 + b'", "b": ""}'
    with client_of(model, limits=Limits(body_bytes=1_000)) as client:
        content = body if declared else iter([body[:600], body[600:1_200], body[1_200:]])
        answer = client.post("/v1/similarity", content=content, headers=JSON)
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "body_too_large")
    assert "at most 1000 bytes" in answer.json()["error"]["message"]


def test_the_description_states_the_limits(model):
    limits = Limits(characters=11, texts=12, hits=13, queries=14)
    described = create_app(model, None, Settings(limits=limits)).openapi()
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


def test_a_body_at_the_limit_is_served(model):
    with client_of(model, limits=Limits(body_bytes=len(QUESTION))) as client:
        assert client.post("/v1/similarity", content=QUESTION, headers=JSON).status_code == 200


@pytest.mark.parametrize("declared", [True, False], ids=["with a length", "in chunks"])
def test_a_hundred_megabytes_are_refused_by_a_real_server(running, declared):
    server, size = running("--no-access-log"), 100 * 1024 * 1024
    framing = f"Content-Length: {size}" if declared else "Transfer-Encoding: chunked"
    head = f"POST /v1/pairs HTTP/1.1\r\nHost: localhost\r\n{framing}\r\n"
    chunk = b"x" * 65_536
    block = chunk if declared else b"10000\r\n" + chunk + b"\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(head.encode() + b"Content-Type: application/json\r\n\r\n")
        try:
            for _ in range(size // len(chunk)):
                connection.sendall(block)
        except ConnectionError:
            pass  # it need not listen to all of it
        answer = connection.recv(65_536)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b'"code":"body_too_large"' in answer
    assert httpx.get(server.url + "/healthz").json() == {"status": "ok"}


CHUNKED = b"Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n"


@pytest.mark.parametrize(
    "beginning",
    [
        b"GET /",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Long: ",
        b"POST /v1/pairs HTTP/1.1\r\nHost: localhost\r\n" + CHUNKED + b"2\r\n{}\r\n0\r\nX-Long: ",
    ],
    ids=["path", "header", "trailer"],
)
def test_a_head_without_an_end_is_given_up(running, beginning):
    server = running("--no-access-log")
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(beginning)
        sent = 0
        try:
            while sent < 20_000_000:
                sent += connection.send(b"x" * 65_536)
        except ConnectionError:
            pass
    assert sent < 20_000_000
    assert httpx.get(server.url + "/healthz").json() == {"status": "ok"}


async def slowly(parts, gate):
    yield parts[0]
    await gate.wait()
    yield parts[1]


def test_more_requests_than_allowed_are_told_to_wait(model):
    async def ask() -> tuple[httpx.Response, httpx.Response, httpx.Response]:
        app = create_app(model, None, Settings(access_log=False, limits=Limits(concurrent=1)))
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=BASE) as client:
            gate = asyncio.Event()
            body = slowly([QUESTION[:9], QUESTION[9:]], gate)
            first = asyncio.create_task(client.post("/v1/similarity", content=body, headers=JSON))
            await asyncio.sleep(0.05)
            second = await client.post("/v1/similarity", content=QUESTION, headers=JSON)
            health = await client.get("/healthz")
            gate.set()
            answers = await first, second, health
            third = await client.post("/v1/similarity", content=QUESTION, headers=JSON)
            assert third.status_code == 200  # there is room again
        app.state.service.workers.close()
        return answers

    first, second, health = asyncio.run(ask())
    assert (first.status_code, second.status_code, health.status_code) == (200, 429, 200)
    assert second.json()["error"]["code"] == "too_busy"
    assert second.headers["retry-after"] == "1"


def test_a_body_that_arrives_slowly_makes_room_for_others(model, monkeypatch):
    monkeypatch.setattr(middleware, "SLOW_SECONDS", 0.0)

    async def ask() -> tuple[httpx.Response, httpx.Response]:
        app = create_app(model, None, Settings(access_log=False, limits=Limits(concurrent=1)))
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=BASE) as client:
            body = slowly([QUESTION[:9], QUESTION[9:]], asyncio.Event())
            first = asyncio.create_task(client.post("/v1/similarity", content=body, headers=JSON))
            await asyncio.sleep(0.05)
            second = await client.post("/v1/similarity", content=QUESTION, headers=JSON)
            answers = await first, second
        app.state.service.workers.close()
        return answers

    first, second = asyncio.run(ask())
    assert (first.status_code, second.status_code) == (408, 200)


def test_a_body_that_does_not_arrive_is_given_up(model):
    async def ask() -> httpx.Response:
        app = create_app(model, None, Settings(access_log=False, limits=Limits(body_seconds=1)))
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=BASE) as client:
            body = slowly([QUESTION[:9], QUESTION[9:]], asyncio.Event())
            return await client.post("/v1/similarity", content=body, headers=JSON)

    answer = asyncio.run(ask())
    assert (answer.status_code, answer.json()["error"]["code"]) == (408, "body_too_slow")


def test_short_texts_are_held_to_a_low_limit_of_words_too(model):
    with client_of(model, limits=Limits(words=3)) as client:
        answer = client.post("/v1/similarity", json={"a": "one two three four", "b": ""})
    assert "at most 3 words; text 0 has 4" in answer.json()["error"]["message"]


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
        answer = client.post(f"/v1/{path}", json=body)
    assert answer.status_code == 422
    message = answer.json()["error"]["message"]
    assert "at most 11 words with words" in message
    assert "got 12" in message


def test_words_times_words_at_the_limit_are_served(model):
    question = {"a": "one two three", "b": "four five six seven"}
    with client_of(model, limits=Limits(comparisons=12)) as client:
        assert client.post("/v1/similarity", json=question).status_code == 200


def test_rows_in_several_parts_score_as_in_one(model, monkeypatch):
    monkeypatch.setattr(service, "CHUNK", 1)
    lefts, rights = ["a cat", "", "a plane", "42 cats"], ["a dog", "a dog", "", "42 dogs"]
    with client_of(model) as client:
        answer = client.post("/v1/pairs", json={"lefts": lefts, "rights": rights})
    assert answer.json()["scores"] == model.pairs(lefts, rights).tolist()


@pytest.mark.parametrize("query", ["a long text", "a long text" + " " * 5_000])
def test_an_answer_over_the_limit_says_to_ask_for_fewer_hits(model, query):
    index = model.index(["a long text " * 20] * 9)
    with client_of(model, index, limits=Limits(answer_bytes=2_000)) as client:
        many = client.post("/v1/search", json={"query": query})
        few = client.post("/v1/search", json={"query": query, "k": 2})
    assert (many.status_code, many.json()["error"]["code"]) == (422, "answer_too_large")
    assert "at most 2000 bytes" in many.json()["error"]["message"]
    assert many.json()["error"]["message"].endswith("ask for fewer hits")
    assert len(few.json()["hits"]) == 2


def test_an_explanation_over_the_limit_says_to_ask_for_shorter_texts(model):
    with client_of(model, limits=Limits(answer_bytes=2_000)) as client:
        answer = client.post("/v1/explain", json={"a": "a cat " * 30, "b": "a dog"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "answer_too_large")
    assert answer.json()["error"]["message"].endswith("ask for shorter texts")


def test_one_answer_over_the_limit_does_not_concern_those_that_share_its_call(model):
    index = model.index(["short", "a long text " * 400])

    async def ask() -> list[httpx.Response]:
        app = create_app(
            model, index, Settings(access_log=False, limits=Limits(answer_bytes=2_000))
        )
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=BASE) as client:
            questions = [{"query": query, "k": 1} for query in ("a short", "short", "a long text")]
            calls = [client.post("/v1/search", json=question) for question in questions]
            answers = await asyncio.gather(*calls)
        app.state.service.workers.close()
        return answers

    assert [answer.status_code for answer in asyncio.run(ask())] == [200, 200, 422]


@pytest.mark.parametrize("value", [0, -1, True, 2.5])
def test_a_limit_is_a_whole_number(value):
    with pytest.raises(InputError, match="texts must be a whole number from 1 on"):
        Limits(texts=value)
