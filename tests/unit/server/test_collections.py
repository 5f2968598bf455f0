"""A server whose index weighs words by its texts: search, scores and explanations agree."""

from __future__ import annotations

import pytest

import fuzzbow
from tests.unit.server.conftest import client_of

TEXTS = ["A puppy running along a street.", "A dog in a car.", "The cat sat on the mat."]


@pytest.mark.parametrize("purpose", ["passages", "records"])
def test_scores_and_explanations_are_those_of_the_index(purpose):
    model = fuzzbow.load(purpose=purpose)
    index = model.index(TEXTS)
    with client_of(model, index) as client:
        found = client.post("/v1/search", json={"query": "puppy", "k": 1}).json()["hits"][0]
        body = {"a": "puppy", "b": found["text"]}
        scored = client.post("/v1/similarity", json=body).json()
        assert scored["similarity"] == pytest.approx(found["score"], abs=1e-6)
        explained = client.post("/v1/explain", json=body).json()
        assert explained == index.fitted_model().explain("puppy", found["text"]).to_dict()
        client.post("/v1/documents", json={"documents": [{"text": "puppy puppy"}]})
        again = client.post("/v1/similarity", json=body).json()["similarity"]
        assert again == index.fitted_model().similarity(**body)
        assert again != scored["similarity"]


def test_without_an_index_words_weigh_what_they_do_by_themselves():
    model = fuzzbow.load(purpose="passages")
    with client_of(model) as client:
        answer = client.post("/v1/similarity", json={"a": "puppy", "b": "dog"})
        assert answer.json()["similarity"] == model.similarity("puppy", "dog")


def test_an_empty_index_can_be_served():
    model = fuzzbow.load(purpose="passages")
    with client_of(model, model.index([])) as client:
        assert client.post("/v1/search", json={"query": "puppy"}).json()["hits"] == []
        assert client.post("/v1/similarity", json={"a": "a", "b": "b"}).status_code == 422
