"""Search over HTTP gives the hits of the library: one query, many, shared calls, explanations."""

from __future__ import annotations

import asyncio
import datetime
import threading

import httpx
import pytest

import fuzzbow
from fuzzbow.server import Limits, Settings, create_app
from fuzzbow.server.batching import UnwantedError
from fuzzbow.server.searches import search_together, write_hits
from tests.unit.server.conftest import client_of, error_of, loop_client, message_of, servers

SECONDS = 60  # no test waits so long unless it fails
TEXTS = ["a cat on the mat", "the dog barked", "stocks fell 3 %", "a plane landed"]
YEARS = {"year": [2019, 2020, 2021, 2022]}


@pytest.fixture(scope="module")
def index(model):
    return model.index(TEXTS, ids=list("abcd"), metadata=YEARS)


@pytest.fixture(scope="module")
def client(model, index):
    with client_of(model, index) as client:
        yield client


@pytest.mark.parametrize(
    "options", [{}, {"min_score": 0.5}, {"where": "year > 2020", "k": 2}, {"k": 1, "where": None}]
)
@pytest.mark.parametrize(
    "queries",
    [["a cat", "a plane", "", "a cat", "qqqzzz"], [], ["cat " * 450] * 2],
    ids=["some", "none", "long"],
)
def test_each_query_gets_the_hits_of_the_library(client, index, queries, options):
    found = [{"hits": index.search(query, **options).to_dicts()} for query in queries]
    answer = client.post("/v1/search/batch", json={"queries": queries, **options})
    assert answer.json() == {"results": found}
    for query, hits in zip(queries, found, strict=True):
        assert client.post("/v1/search", json={"query": query, **options}).json() == hits


def test_a_batch_of_more_hits_than_are_held_at_once_is_answered_whole(model, index):
    with client_of(model, index, limits=Limits(hits=4)) as client:
        body = {"queries": TEXTS * 3, "k": 3}  # one query at a time
        found = client.post("/v1/search/batch", json=body).json()["results"]
    assert [result["hits"][0]["text"] for result in found] == TEXTS * 3


BAD_SEARCHES = [
    ({"query": 1}, "query: must be a string"),
    ({"query": "x", "k": 0}, "k: must be a whole number >= 1"),
    ({"query": "x", "k": 11}, "k must be at most 10; got 11"),
    ({"query": "x", "k": "3"}, "k: must be a whole number; got a string"),
    ({"query": "x", "min_score": 2}, "min_score: must be a number <= 1"),
    ({"query": "x", "where": "colour = 1"}, "colour"),
    ({"query": "x", "where": "DROP TABLE t"}, "where"),
    ({"query": "x", "where": ""}, "where"),
    ({"query": "x", "where": "x" * 2_001}, "where: "),
    ({"query": "word " * 2_001}, "at most 2000 words"),
    ({"query": "word " * 501}, "a query may have at most 500 words; got 501"),
    ({"query": "a " * 501}, "a query may have at most 500 words; got 501"),
    ({"queries": ["a"] * 4}, "at most 3 queries; got 4"),
    ({"queries": ["a"], "k": 11}, "k must be at most 10; got 11"),
    ({"queries": ["a", "b " * 501]}, "a query may have at most 500 words; got 501"),
    ({"queries": ["a", "b"], "where": "colour = 1"}, "colour"),
    ({"queries": "a cat"}, "queries: must be a list"),
    ({"queries": ["a", 1]}, "queries.1: must be a string"),
    ({"queries": ["a"], "query": "a cat"}, "must hold"),
]


@pytest.mark.parametrize(("body", "message"), BAD_SEARCHES)
def test_a_bad_search_is_a_clear_error(model, index, body, message):
    path = "/v1/search/batch" if "queries" in body else "/v1/search"
    with client_of(model, index, limits=Limits(queries=3, hits=10)) as client:
        assert message in message_of(client.post(path, json=body), 422)


def test_a_batch_counts_the_bytes_of_all_its_hits(model):
    with client_of(model, model.index(["cat " * 100]), limits=Limits(answer_bytes=1_000)) as client:
        for queries, status in [(["cat"], 200), (["cat"] * 3, 422)]:
            answer = client.post("/v1/search/batch", json={"queries": queries})
            assert answer.status_code == status
    assert answer.json()["error"]["code"] == "answer_too_large"


def test_metadata_of_any_kind_becomes_json(model):
    day = datetime.date(2024, 2, 29)
    index = model.index(["x"], metadata={"day": [day], "size": [float("nan")], "ok": [True]})
    with client_of(model, index) as client:
        hits = client.post("/v1/search", json={"query": "x"}).json()["hits"]
    assert hits[0]["metadata"] == {"day": "2024-02-29", "size": None, "ok": True}


def test_a_search_is_answered_after_another_writer_compacts(model, tmp_path):
    folder = tmp_path / "index"
    model.index(TEXTS, ids=list("abcd"), metadata=YEARS, path=folder)
    with client_of(model, fuzzbow.open_index(folder)) as client:
        other = fuzzbow.open_index(folder)
        other.add(["a kitten"], ids=["e"])
        other.delete(["a"])
        other.compact(keep_versions=1)
        for more in ({}, {"where": "year > 2019 OR year IS NULL"}):
            answer = client.post("/v1/search", json={"query": "a cat", "k": 3, **more})
            assert answer.json() == {"hits": other.search("a cat", k=3).to_dicts()}


def test_explained_hits_hold_the_explanation_of_the_library(client, index, model):
    body = {"query": "a cat", "k": 2, "explain": True}
    hits = client.post("/v1/search", json=body).json()["hits"]
    for hit in hits:
        assert hit.pop("explanation") == model.explain("a cat", hit["text"]).to_dict()
    assert hits == index.search("a cat", k=2).to_dicts()


@pytest.mark.parametrize("purpose", ["passages", "records"])
def test_scores_and_explanations_are_those_of_the_index(purpose):
    model = fuzzbow.load(purpose=purpose)
    index = model.index(["A puppy running along a street.", "A dog in a car.", *TEXTS])
    with client_of(model, index) as client:
        body = {"queries": ["puppy", "dog"], "k": 1, "explain": True}
        results = client.post("/v1/search/batch", json=body).json()["results"]
        for result, query in zip(results, body["queries"], strict=True):
            (hit,) = result["hits"]
            pair = {"a": query, "b": hit["text"]}
            scored = client.post("/v1/similarity", json=pair).json()["similarity"]
            assert scored == pytest.approx(hit["score"], abs=1e-6)
            explained = index.fitted_model().explain(**pair).to_dict()
            assert client.post("/v1/explain", json=pair).json() == explained == hit["explanation"]
        client.post("/v1/documents", json={"documents": [{"text": "dog dog"}]})
        again = client.post("/v1/similarity", json=pair).json()["similarity"]
        assert again == index.fitted_model().similarity(**pair) != scored


def test_without_texts_words_weigh_alone_and_an_index_finds_nothing():
    model = fuzzbow.load(purpose="passages")
    pair = {"a": "puppy", "b": "dog"}
    with client_of(model) as client:
        found = client.post("/v1/similarity", json=pair).json()["similarity"]
        assert found == model.similarity(**pair)
    with client_of(model, model.index([])) as client:
        for explained in (False, True):
            body = {"query": "puppy", "explain": explained}
            assert client.post("/v1/search", json=body).json() == {"hits": []}
        assert client.post("/v1/similarity", json=pair).status_code == 422


def test_a_measure_that_cannot_explain_says_so():
    model = fuzzbow.load(measure="avg-cosine")
    with client_of(model, model.index(TEXTS)) as client:
        answer = client.post("/v1/search", json={"query": "a cat", "explain": True})
    assert "avg-cosine" in message_of(answer, 422)


def test_explanations_of_long_texts_count_as_comparisons_of_the_whole_request(model):
    with client_of(model, model.index(["cat " * 50]), limits=Limits(comparisons=120)) as client:
        body = {"queries": ["a b"], "explain": True}
        assert client.post("/v1/search/batch", json=body).status_code == 200
        answer = client.post("/v1/search/batch", json={**body, "queries": ["a b", "b a"]})
    assert "at most 120 words with words" in message_of(answer, 422)


def test_explaining_stops_when_no_request_waits(model, index):
    service = create_app(model, index, Settings(access_log=False)).service
    with pytest.raises(UnwantedError):
        list(write_hits(service, [index.search("a cat")], lambda: False, explained=True))


@pytest.fixture
def ask(model, monkeypatch):
    """Ask while a first search is held, so that all others share the next call.

    Gives the answers to the questions, and the number of queries of each call.
    """
    index = model.index(TEXTS)
    begun, free, sizes, search = threading.Event(), threading.Event(), [], index.search

    def slow(queries, *options):
        sizes.append(len(queries))
        begun.set()
        free.wait(SECONDS)
        return search(queries, *options)

    monkeypatch.setattr(index, "search", slow)

    async def run(bodies, leaving: int) -> list[httpx.Response]:
        async with loop_client(model, index, limits=Limits(query_words=8)) as (app, client):
            shared = app.service.shared(search_together)
            first = asyncio.create_task(client.post("/v1/search", json={"query": "first"}))
            await asyncio.to_thread(begun.wait, SECONDS)
            calls = [asyncio.create_task(client.post("/v1/search", json=body)) for body in bodies]
            while len(shared.waiting) < len(calls):
                await asyncio.sleep(0)
            for call in calls[:leaving]:
                call.cancel()
            await asyncio.gather(*calls[:leaving], return_exceptions=True)
            free.set()
            await first
            return await asyncio.gather(*calls[leaving:])

    return lambda *bodies, leaving=0: (asyncio.run(run(bodies, leaving)), sizes)


def found(answer: httpx.Response) -> list[tuple[int, float]]:
    return [(hit["id"], hit["score"]) for hit in answer.json()["hits"]]


def test_each_client_gets_its_own_hits(model, ask):
    queries = [f"{text} {number}" for number, text in enumerate(TEXTS * 4)]
    answers, sizes = ask(*({"query": query, "k": 2} for query in queries))
    index = model.index(TEXTS)
    alone = [[(hit.id, hit.score) for hit in index.search(query, k=2)] for query in queries]
    assert [found(answer) for answer in answers] == alone
    assert sizes == [1, len(queries)]


def test_options_and_errors_are_those_of_each_client(ask):
    answers, _ = ask(
        {"query": "a cat", "k": 1},
        {"query": "a cat", "k": 3},
        {"query": "word " * 9},
        {"query": "a cat", "k": 4, "min_score": 0.999},
        {"query": "a dog", "k": 1, "where": "no such column"},
        {"query": "a cat", "where": "id = 1"},
    )
    assert [answer.status_code for answer in answers] == [200, 200, 422, 200, 422, 200]
    assert [len(found(answers[position])) for position in (0, 1, 3, 5)] == [1, 3, 0, 1]


def test_a_change_between_two_calls_is_seen_by_the_second(model):
    queries = ["snow in June", "a plane landed"]
    new = {"documents": [{"text": queries[0]}]}

    async def run() -> list[list[int]]:
        best = []
        async with loop_client(model, model.index(TEXTS)) as (_, client):
            for method, path, body in (
                ("GET", "/healthz", None),
                ("POST", "/v1/documents", new),
                ("DELETE", "/v1/documents/3", None),
            ):
                assert (await client.request(method, path, json=body)).is_success
                calls = [client.post("/v1/search", json={"query": text}) for text in queries]
                best.append([found(answer)[0][0] for answer in await asyncio.gather(*calls)])
        return best

    before, added, deleted = asyncio.run(run())
    assert (before[0] != 4, before[1]) == (True, 3)
    assert added == [4, 3]
    assert (deleted[0], deleted[1] != 3) == (4, True)


def test_a_client_that_leaves_takes_no_part(ask):
    answers, sizes = ask(*({"query": text, "k": 1} for text in TEXTS), leaving=2)
    assert [found(answer)[0][0] for answer in answers] == [2, 3]
    assert sizes == [1, 2]


HOSTILE = [
    "length(repeat('a', 2000000000)) > 0",
    "array_length(generate_series(1, 2000000000)) > 0",
    "regexp_like(text, '(a+)+$')",
    "text ~ '(a+)+$'",
    "year > (SELECT max(year) FROM t)",
    "random() > 0.5",
    "true; DROP TABLE t",
    "year > 2020) OR (true",
    "year > 2020 -- and nothing else\n OR",
    "(" * 1_000,
    "NOT " * 600 + "true",
    "year = 99999999999999999999999999999999999999",
    "text > 3",
    "yaer > 1",
]


@pytest.fixture(scope="module")
def server(model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("index") / "index"
    model.index(["a cat", "a dog"], metadata={"year": [2020, 2021]}, path=folder)
    with servers() as start:  # in a process of its own, which such a condition could end
        yield start("--no-access-log", "--index", folder)


@pytest.mark.parametrize("where", HOSTILE)
def test_a_hostile_condition_is_refused_and_names_no_engine(server, where):
    body = {"query": "a cat", "where": where}
    answer = httpx.post(server.url + "/v1/search", json=body, timeout=60)
    assert error_of(answer) == (422, "invalid_input")
    assert not any(word in answer.text for word in ("SELECT (", "Lance", "/rust/", "LargeUtf8"))
    assert httpx.get(server.url + "/healthz").json() == {"status": "ok"}


@pytest.mark.parametrize(
    ("where", "ids"),
    [
        ("year > 2020", [1]),
        ("year IN (2020, 2021) AND NOT text LIKE '%dog'", [0]),
        ("year BETWEEN 2021 AND 2022 OR year IS NULL", [1]),
        ("starts_with(lower(text), 'a c') AND length(text) = 5", [0]),
        ("year + 1 = 2021", [0]),
    ],
)
def test_an_honest_condition_is_served(server, where, ids):
    answer = httpx.post(server.url + "/v1/search", json={"query": "a cat", "where": where})
    assert [hit["id"] for hit in answer.json()["hits"]] == ids
