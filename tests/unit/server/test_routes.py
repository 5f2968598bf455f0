"""A new operation needs one function: access, limits, errors and the document come with it."""

from __future__ import annotations

import pytest
from starlette.responses import Response
from starlette.testclient import TestClient

from fuzzbow.server import Settings, comparisons, create_app
from fuzzbow.server.errors import json_response
from fuzzbow.server.operations import OPERATIONS, Operation
from fuzzbow.server.schemas import Request, Text
from fuzzbow.server.service import Service
from tests.unit.server.conftest import BASE, client_of, error_of

KEY = {"x-api-key": "toy"}


class CountRequest(Request, frozen=True):
    """A text whose words are counted."""

    text: Text


async def count(service: Service, request: CountRequest) -> Response:
    """The number of words of a text."""
    words = service.model.tokenizer.words
    number = await service.workers.read(lambda _: len(words(request.text)))
    return json_response({"words": number})


@pytest.fixture(scope="module")
def toy_client(model):
    operations = [*OPERATIONS, Operation("POST", "/v1/count", count, {"words": int})]
    app = create_app(model, None, Settings(access_log=False, key="toy"), operations)
    with TestClient(app, base_url=BASE) as client:
        yield client


def test_a_new_operation_is_answered_counted_and_described(toy_client):
    answer = toy_client.post("/v1/count", json={"text": "He has a cat"}, headers=KEY)
    assert (answer.status_code, answer.json()) == (200, {"words": 4})
    assert answer.headers["x-content-type-options"] == "nosniff"
    counted = 'fuzzbow_requests_total{method="POST",route="/v1/count",status="200"}'
    assert counted in toy_client.get("/metrics", headers=KEY).text
    described = toy_client.get("/openapi.json", headers=KEY).json()
    success = described["paths"]["/v1/count"]["post"]["responses"]["200"]["content"]
    assert success["application/json"]["schema"]["properties"] == {"words": {"type": "integer"}}
    assert "CountRequest" in described["components"]["schemas"]


@pytest.mark.parametrize(
    ("request_parts", "status", "code"),
    [
        ({"json": {"text": "a"}}, 401, "wrong_key"),
        ({"content": b"text", "headers": KEY}, 415, "not_json"),
        ({"json": {"txt": "a"}, "headers": KEY}, 422, "invalid_input"),
    ],
)
def test_a_new_operation_refuses_as_the_others_do(toy_client, request_parts, status, code):
    answer = toy_client.post("/v1/count", **request_parts)
    assert error_of(answer) == (status, code)


def test_an_unexpected_exception_is_a_500_in_json(model, monkeypatch):
    def fail(*given: object) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr(comparisons, "_check_pair", fail)
    with client_of(model) as client:
        answer = client.post("/v1/similarity", json={"a": "", "b": ""})
        counted = client.get("/metrics").text
    assert error_of(answer) == (500, "internal_error")
    assert "secret" not in answer.text
    assert 'route="/v1/similarity",status="500"} 1.0' in counted


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("a cat " * 60, "a dog " * 60),  # too long for the event loop
        ("xqzv wkkrt", "bbnmq a cat"),  # new words
        ("猫が好き", "die Katze"),
        ("", ""),
    ],
    ids=["long", "new words", "scripts", "empty"],
)
def test_a_pair_scores_as_in_the_library_inline_or_not(model, client, a, b):
    for _ in range(2):
        answer = client.post("/v1/similarity", json={"a": a, "b": b})
        assert answer.json()["similarity"] == model.pairs([a], [b])[0]


def test_short_texts_of_known_words_need_no_thread(model):
    score = model.similarity("a cat sat", "the dog ran")  # which makes the words known
    with client_of(model) as client:
        client.app.service.workers.close()
        answer = client.post("/v1/similarity", json={"a": "a cat sat", "b": "the dog ran"})
    assert answer.json()["similarity"] == score
