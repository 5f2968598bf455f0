"""What the server says is what the library says."""

from __future__ import annotations

import asyncio

import httpx
import pytest

import fuzzbow
from fuzzbow.server import Settings, create_app
from fuzzbow.server.offered import MEANINGS
from tests.unit.server.conftest import BASE

CAT, DOG = "He has a cat", "She had one dog"


def test_similarity_is_that_of_the_library(client):
    answer = client.post("/v1/similarity", json={"a": CAT, "b": DOG})
    assert answer.status_code == 200
    assert answer.json() == {
        "similarity": fuzzbow.similarity(CAT, DOG), "measure": "weighted-jaccard",
    }  # fmt: skip


@pytest.mark.parametrize("measure", MEANINGS)
def test_every_offered_measure_scores_as_in_the_library(client, measure):
    answer = client.post("/v1/similarity", json={"a": CAT, "b": DOG, "measure": measure})
    expected = fuzzbow.load("default", measure=measure).similarity(CAT, DOG)
    assert answer.json() == {"similarity": expected, "measure": measure}


def test_pairs_are_those_of_the_library(client, model):
    lefts, rights = ["a cat", "a plane", ""], ["a dog", "a dog", "x"]
    answer = client.post("/v1/pairs", json={"lefts": lefts, "rights": rights})
    assert answer.json()["scores"] == model.pairs(lefts, rights).tolist()


def test_no_pairs_have_no_scores(client):
    assert client.post("/v1/pairs", json={"lefts": [], "rights": []}).json()["scores"] == []


def test_explanation_is_that_of_the_library(client, model):
    answer = client.post("/v1/explain", json={"a": CAT, "b": DOG})
    assert answer.json() == model.explain(CAT, DOG).to_dict()


def test_a_measure_without_an_exact_decomposition_says_so(client):
    answer = client.post("/v1/explain", json={"a": CAT, "b": DOG, "measure": "avg-cosine"})
    assert answer.status_code == 422
    assert "no exact decomposition" in answer.json()["error"]["message"]


def test_requests_at_the_same_time_get_each_its_own_answer(model):
    texts = [f"a cat and {number} dogs" for number in range(200)]
    measures = ["weighted-jaccard", "dynamax-jaccard", "set-jaccard"]

    async def ask_all() -> list[float]:
        app = create_app(model, None, Settings(access_log=False))
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=BASE) as client:
            questions = [
                {"a": CAT, "b": text, "measure": measures[place % 3]}
                for place, text in enumerate(texts)
            ]
            calls = [client.post("/v1/similarity", json=question) for question in questions]
            answers = await asyncio.gather(*calls)
        app.state.service.workers.close()
        return [answer.json()["similarity"] for answer in answers]

    models = [fuzzbow.load("default", measure=name) for name in measures]
    expected = [models[place % 3].similarity(CAT, text) for place, text in enumerate(texts)]
    assert asyncio.run(ask_all()) == expected


def test_a_long_text_is_compared_like_a_short_one(client, model):
    long = "the cat sat on the mat . " * 200
    answer = client.post("/v1/similarity", json={"a": long, "b": DOG})
    assert answer.json()["similarity"] == model.similarity(long, DOG)


def test_markup_in_texts_comes_back_as_it_was(client):
    text = "<script>alert('x')</script> \u0000 \u202e \x7f"
    answer = client.post("/v1/explain", json={"a": text, "b": text})
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["left"]["text"] == text


def test_info_names_measures_and_what_they_mean(client):
    info = client.get("/v1/info").json()
    assert info["measure"] == "weighted-jaccard"
    assert {item["name"] for item in info["measures"]} == set(MEANINGS)
    assert all(item["meaning"].endswith(".") for item in info["measures"])
    explained = {item["name"] for item in info["measures"] if item["explains"]}
    assert "dynamax-dice" in explained
    assert "avg-cosine" not in explained


def test_weights_leave_out_measures_that_weigh_by_themselves():
    weighted = fuzzbow.load("default", measure="dynamax-jaccard", weights="sif")
    app = create_app(weighted, None, Settings(access_log=False))
    names = list(app.state.service.models.meanings)
    assert names[0] == "dynamax-jaccard"
    assert "weighted-jaccard" not in names
