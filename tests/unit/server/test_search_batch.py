"""Many queries in one request, and hits with their explanations, are those of the library."""

from __future__ import annotations

import httpx
import pytest

import fuzzbow
from fuzzbow.server import Limits
from fuzzbow.server.batching import UnwantedError
from fuzzbow.server.hit_answers import HitAnswers
from tests.unit.server.conftest import client_of

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
    "options", [{}, {"k": 1}, {"min_score": 0.5}, {"where": "year > 2020", "k": 2}]
)
@pytest.mark.parametrize(
    "queries", [["a cat", "a plane", "", "a cat", "qqqzzz"], ["a cat"], [], ["cat " * 450] * 2]
)
def test_each_query_of_a_batch_gets_the_hits_of_the_library(client, index, queries, options):
    answer = client.post("/v1/search/batch", json={"queries": queries, **options})
    assert answer.status_code == 200
    found = [{"hits": index.search(query, **options).to_dicts()} for query in queries]
    assert answer.json() == {"results": found}


def test_a_batch_of_more_hits_than_are_held_at_once_is_answered_whole(model, index):
    with client_of(model, index, limits=Limits(hits=4)) as client:
        body = {"queries": TEXTS * 3, "k": 3}  # one query at a time
        found = client.post("/v1/search/batch", json=body).json()["results"]
    assert [result["hits"][0]["text"] for result in found] == TEXTS * 3


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"queries": ["a"] * 4}, "at most 3 queries; got 4"),
        ({"queries": ["a"], "k": 11}, "k must be at most 10; got 11"),
        ({"queries": ["a", "b " * 501]}, "a query may have at most 500 words; got 501"),
        ({"queries": ["a", "b"], "where": "colour = 1"}, "colour"),
        ({"queries": "a cat"}, "queries: must be a list"),
        ({"queries": ["a", 1]}, "queries.1: must be a string"),
        ({"query": "a cat"}, "must hold"),
        ({}, "queries: is needed and is missing"),
    ],
)
def test_a_batch_that_cannot_be_searched_is_refused(model, index, body, message):
    with client_of(model, index, limits=Limits(queries=3, hits=10)) as client:
        answer = client.post("/v1/search/batch", json=body)
    assert (answer.status_code, message in answer.json()["error"]["message"]) == (422, True)


def test_a_batch_counts_the_bytes_of_all_its_hits(model):
    index = model.index(["cat " * 100])
    with client_of(model, index, limits=Limits(answer_bytes=1_000)) as client:
        for queries, status in [(["cat"], 200), (["cat"] * 3, 422)]:
            answer = client.post("/v1/search/batch", json={"queries": queries})
            assert answer.status_code == status
    assert answer.json()["error"]["code"] == "answer_too_large"


def test_without_an_index_a_batch_says_how_to_have_one(model):
    with client_of(model) as client:
        answer = client.post("/v1/search/batch", json={"queries": ["a"]})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "no_index")


def test_a_running_server_answers_a_batch(running, model, tmp_path):
    model.index(TEXTS, path=tmp_path / "index")
    url = running("--index", tmp_path / "index", "--max-queries", 2).url + "/v1/search/batch"
    found = httpx.post(url, json={"queries": TEXTS[:2], "k": 1}).json()["results"]
    assert [result["hits"][0]["text"] for result in found] == TEXTS[:2]
    assert httpx.post(url, json={"queries": TEXTS}).status_code == 422


def test_explained_hits_hold_the_explanation_of_the_library(client, index, model):
    answer = client.post("/v1/search", json={"query": "a cat", "k": 2, "explain": True})
    hits = answer.json()["hits"]
    assert len(hits) == 2
    for hit in hits:
        assert hit.pop("explanation") == model.explain("a cat", hit["text"]).to_dict()
    assert hits == index.search("a cat", k=2).to_dicts()


def test_hits_of_a_batch_are_explained_by_what_the_index_knows_of_words():
    model = fuzzbow.load(purpose="passages")
    index = model.index(TEXTS)
    with client_of(model, index) as client:
        body = {"queries": ["a cat", "dog"], "k": 1, "explain": True}
        for result in client.post("/v1/search/batch", json=body).json()["results"]:
            (hit,) = result["hits"]
            assert hit["explanation"]["score"] == pytest.approx(hit["score"], abs=1e-6)
            assert hit["explanation"]["right"]["text"] == hit["text"]


def test_an_empty_index_has_nothing_to_explain():
    model = fuzzbow.load(purpose="passages")
    with client_of(model, model.index([])) as client:
        answer = client.post("/v1/search", json={"query": "a cat", "explain": True})
    assert answer.json() == {"hits": []}


def test_a_measure_that_cannot_explain_says_so():
    model = fuzzbow.load(measure="avg-cosine")
    with client_of(model, model.index(TEXTS)) as client:
        answer = client.post("/v1/search", json={"query": "a cat", "explain": True})
    assert answer.status_code == 422
    assert "avg-cosine" in answer.json()["error"]["message"]


def test_explanations_of_long_texts_count_as_comparisons_of_the_whole_request(model):
    index = model.index(["cat " * 50])
    with client_of(model, index, limits=Limits(comparisons=120)) as client:
        body = {"queries": ["a b"], "explain": True}
        assert client.post("/v1/search/batch", json=body).status_code == 200
        answer = client.post("/v1/search/batch", json={**body, "queries": ["a b", "b a"]})
    assert answer.status_code == 422
    assert "at most 120 words with words" in answer.json()["error"]["message"]


def test_explaining_stops_when_nobody_waits(index):
    class Work:
        def check_answer(self, size: int, fewer: str) -> None:
            """Everything is small enough."""

    class Checks:
        def check_comparisons(self, *sides: object, before: int) -> list[int]:
            return []

    answers = HitAnswers(Work(), Checks(), index.fitted_model)
    with pytest.raises(UnwantedError):
        answers.written(index.search("a cat"), lambda: False)
