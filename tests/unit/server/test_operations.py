"""Posted requests are answered as FastAPI would answer them, some of them without a wait."""

from __future__ import annotations

import asyncio
import os
import threading

import httpx
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from fuzzbow.server import Limits, Settings, create_app
from fuzzbow.server.operations import operations_of
from fuzzbow.server.routes import AT_ONCE, router
from tests.unit.server.conftest import BASE, client_of
from tests.unit.server.test_bad_input import BODIES

JSON = {"content-type": "application/json"}
SECONDS = 60  # no test waits so long unless it fails
GOOD = [
    ("similarity", {"a": "a cat", "b": "a dog"}),
    ("similarity", {"a": "", "b": "", "measure": "dynamax-jaccard"}),
    ("pairs", {"lefts": ["a cat"], "rights": ["a dog"]}),
    ("explain", {"a": "a cat", "b": "a dog"}),
    ("explain.html", {"a": "a cat", "b": "a dog"}),
    ("search", {"query": "a cat", "k": 1}),
    ("search", {"query": "a cat", "k": 0}),
    ("search", {"query": "a cat", "where": "nothing = 1"}),
    ("search/batch", {"queries": ["a cat", "a dog"]}),
    ("documents", {"documents": [{"id": 0, "text": "known"}]}),
]


@pytest.fixture(scope="module")
def both(model):
    """A client of a server, and one of FastAPI's routes alone."""
    app = create_app(model, model.index(["a cat", "a dog"]), Settings(access_log=False))

    async def routes(scope, receive, send):
        await FastAPI.__call__(app, scope, receive, send)

    with TestClient(app, base_url=BASE) as client:
        yield client, TestClient(routes, base_url=BASE)


def seen(answer: httpx.Response) -> tuple[int, str, bytes]:
    return answer.status_code, answer.headers["content-type"], answer.content


@pytest.mark.parametrize(("path", "body"), GOOD)
def test_an_operation_answers_as_its_route_does(both, path, body):
    first, second = (client.post(f"/v1/{path}", json=body) for client in both)
    assert seen(first) == seen(second)


@pytest.mark.parametrize("path", ["similarity", "search", "documents"])
@pytest.mark.parametrize("body", [case.values[0] for case in BODIES])
def test_a_bad_body_is_refused_as_by_its_route(both, path, body):
    first, second = (client.post(f"/v1/{path}", content=body, headers=JSON) for client in both)
    if body == b"null":  # which older versions of FastAPI call missing
        assert first.json()["error"]["message"] == "body: must be an object; got null"
        assert first.status_code == second.status_code
    else:
        assert seen(first) == seen(second)


def test_every_posted_path_is_an_operation(both):
    paths = both[0].get("/openapi.json").json()["paths"]
    posted = {path for path, methods in paths.items() if "post" in methods}
    assert operations_of(router, both[0].app.state.service, AT_ONCE).keys() == posted


def test_what_nobody_expected_is_a_500_in_json(model, monkeypatch):
    app = create_app(model, None, Settings(access_log=False))

    def fail(request):
        raise RuntimeError("a secret")

    monkeypatch.setattr(app.state.service.comparisons, "similarity_at_once", fail)
    with TestClient(app, base_url=BASE, raise_server_exceptions=False) as client:
        answer = client.post("/v1/similarity", json={"a": "", "b": ""})
        counted = client.get("/metrics").text
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "internal_error")
    assert "secret" not in answer.text
    assert 'route="/v1/similarity",status="500"} 1.0' in counted


def test_short_texts_of_known_words_are_compared_while_all_threads_work(model):
    expected = model.similarity("a cat sat", "the dog ran")  # which makes the words known
    threads = max(2, os.cpu_count() or 1)
    held, free = threading.Barrier(threads + 1), threading.Event()

    def hold(*wanted: object) -> None:
        held.wait(SECONDS)
        free.wait(SECONDS)

    async def ask() -> httpx.Response:
        app = create_app(model, None, Settings(access_log=False))
        workers = app.state.service.workers
        busy = [asyncio.create_task(workers.read(hold)) for _ in range(threads)]
        await asyncio.to_thread(held.wait, SECONDS)
        transport, body = httpx.ASGITransport(app), {"a": "a cat sat", "b": "the dog ran"}
        try:
            async with httpx.AsyncClient(transport=transport, base_url=BASE) as client:
                return await asyncio.wait_for(client.post("/v1/similarity", json=body), SECONDS / 2)
        finally:
            free.set()
            await asyncio.gather(*busy)
            workers.close()

    assert asyncio.run(ask()).json()["similarity"] == expected


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("a cat " * 60, "a dog " * 60),  # too long for the event loop
        ("xqzv wkkrt", "bbnmq a cat"),  # words that nobody has asked about
        ("猫が好き", "die Katze"),
        ("", ""),
    ],
    ids=["long", "new words", "scripts", "empty"],
)
def test_whatever_way_a_pair_takes_it_scores_as_in_the_library(model, a, b):
    with client_of(model) as client:
        answer = client.post("/v1/similarity", json={"a": a, "b": b})
    assert answer.json()["similarity"] == model.pairs([a], [b])[0]


def test_short_texts_are_held_to_the_limit_of_characters(model):
    model.similarity("a cat sat", "a dog")
    with client_of(model, limits=Limits(characters=5)) as client:
        answer = client.post("/v1/similarity", json={"a": "a cat sat", "b": "a dog"})
    assert "at most 5 characters; text 0 has 9" in answer.json()["error"]["message"]
