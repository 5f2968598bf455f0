"""Searches that wait at the same time share a call, and nobody notices."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable

import httpx
import pytest

from fuzzbow.server import Limits, Settings, create_app
from tests.unit.server.conftest import BASE

SECONDS = 60  # no test waits so long unless it fails
TEXTS = ["a cat on the mat", "the dog barked", "stocks fell", "a plane landed", "rain in May"]


@pytest.fixture
def asked(model, monkeypatch):
    """Asks while a first search is held, so that all others share the next call.

    Gives what the questions gave, and how many queries each call had.
    """

    def ask(
        questions: Callable[[httpx.AsyncClient], list[Awaitable[httpx.Response]]], leaving: int = 0
    ) -> tuple[list[httpx.Response], list[int]]:
        index = model.index(TEXTS)
        begun, free, sizes = threading.Event(), threading.Event(), []
        search = index.search

        def slow(queries, *options):
            sizes.append(len(queries))
            begun.set()
            free.wait(SECONDS)
            return search(queries, *options)

        monkeypatch.setattr(index, "search", slow)

        async def run() -> list[httpx.Response]:
            app = create_app(model, index, Settings(access_log=False, limits=Limits(query_words=8)))
            shared = app.state.service.index._searches
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url=BASE) as client:
                first = asyncio.create_task(client.post("/v1/search", json={"query": "first"}))
                await asyncio.to_thread(begun.wait, SECONDS)
                calls = [asyncio.ensure_future(call) for call in questions(client)]
                while len(shared._waiting) < len(calls):
                    await asyncio.sleep(0)
                for call in calls[:leaving]:
                    call.cancel()
                await asyncio.gather(*calls[:leaving], return_exceptions=True)
                free.set()
                answers = await asyncio.gather(*calls[leaving:])
                await first
            app.state.service.workers.close()
            return answers

        return asyncio.run(run()), sizes

    return ask


def searches(*bodies: dict[str, object]):
    return lambda client: [client.post("/v1/search", json=body) for body in bodies]


def found(answer: httpx.Response) -> list[tuple[int, float]]:
    return [(hit["id"], hit["score"]) for hit in answer.json()["hits"]]


def test_each_client_gets_its_own_hits(model, asked):
    queries = [f"{text} {number}" for number, text in enumerate(TEXTS * 4)]
    answers, sizes = asked(searches(*({"query": query, "k": 2} for query in queries)))
    index = model.index(TEXTS)
    alone = [[(hit.id, hit.score) for hit in index.search(query, k=2)] for query in queries]
    assert [found(answer) for answer in answers] == alone
    assert sizes == [1, len(queries)]


def test_options_are_those_of_each_client(asked):
    answers, _ = asked(
        searches(
            {"query": "a cat", "k": 1},
            {"query": "a cat", "k": 3},
            {"query": "a cat", "k": 5, "min_score": 0.999},
            {"query": "a cat", "where": "id = 1"},
        )
    )
    assert [len(found(answer)) for answer in answers] == [1, 3, 0, 1]


def test_a_bad_query_is_the_trouble_of_its_client_only(asked):
    answers, _ = asked(
        searches(
            {"query": "a cat", "k": 1},
            {"query": "word " * 9},
            {"query": "a dog", "k": 1, "where": "no such column"},
            {"query": "a dog", "k": 1},
        )
    )
    assert [answer.status_code for answer in answers] == [200, 422, 422, 200]
    assert [found(answers[place])[0][0] for place in (0, 3)] == [0, 1]


def test_a_client_that_leaves_takes_no_part(asked):
    bodies = [{"query": text, "k": 1} for text in TEXTS]
    answers, sizes = asked(searches(*bodies), leaving=2)
    assert [found(answer)[0][0] for answer in answers] == [2, 3, 4]
    assert sizes == [1, 3]


def test_a_change_between_two_calls_is_seen_by_the_second(model):
    index = model.index(TEXTS)

    async def run() -> list[list[int]]:
        app = create_app(model, index, Settings(access_log=False))
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=BASE) as client:

            async def ask(*queries: str) -> list[int]:
                calls = [
                    client.post("/v1/search", json={"query": query, "k": 1}) for query in queries
                ]
                return [found(answer)[0][0] for answer in await asyncio.gather(*calls)]

            answers = [await ask("snow in June", "a plane")]
            new = {"documents": [{"text": "snow in June"}]}
            assert (await client.post("/v1/documents", json=new)).status_code == 201
            answers.append(await ask("snow in June", "a plane"))
            assert (await client.delete("/v1/documents/3")).status_code == 200
            answers.append(await ask("snow in June", "a plane landed"))
        app.state.service.workers.close()
        return answers

    before, added, deleted = asyncio.run(run())
    assert (before[0] != 5, before[1]) == (True, 3)
    assert added == [5, 3]
    assert (deleted[0], deleted[1] != 3) == (5, True)
