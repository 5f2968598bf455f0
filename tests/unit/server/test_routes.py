"""A new route needs one function: the middleware, the errors and the document come with it."""

from __future__ import annotations

import pytest
from fastapi import APIRouter
from pydantic import BaseModel
from starlette.testclient import TestClient

from fuzzbow.server import Settings, create_app
from fuzzbow.server.errors import SafeJson, documented
from fuzzbow.server.routes import AppService
from fuzzbow.server.schemas import Body, Text
from tests.unit.server.conftest import BASE

KEY = {"x-api-key": "toy"}


class CountRequest(Body):
    """A text whose words are counted."""

    text: Text


class CountAnswer(BaseModel):
    """A number of words."""

    words: int


toys = APIRouter(prefix="/v1")


@toys.post("/count", response_model=CountAnswer, responses=documented(), tags=["compare"])
async def count(body: CountRequest, service: AppService) -> SafeJson:
    """The number of words of a text."""
    tokenizer = service.models.default.tokenizer
    return SafeJson(
        {"words": await service.workers.read(lambda _: len(tokenizer.words(body.text)))}
    )


@pytest.fixture(scope="module")
def toy_client(model):
    app = create_app(model, None, Settings(access_log=False, key="toy"))
    app.include_router(toys)
    with TestClient(app, base_url=BASE) as client:
        yield client


def test_a_new_route_answers_through_the_middleware(toy_client):
    answer = toy_client.post("/v1/count", json={"text": "He has a cat"}, headers=KEY)
    assert (answer.status_code, answer.json()) == (200, {"words": 4})
    assert answer.headers["x-content-type-options"] == "nosniff"
    counted = 'fuzzbow_requests_total{method="POST",route="/v1/count",status="200"}'
    assert counted in toy_client.get("/metrics", headers=KEY).text


@pytest.mark.parametrize(
    ("request_parts", "status", "code"),
    [
        ({"json": {"text": "a"}}, 401, "wrong_key"),
        ({"content": b"text", "headers": KEY}, 415, "not_json"),
        ({"json": {"txt": "a"}, "headers": KEY}, 422, "invalid_input"),
    ],
)
def test_a_new_route_refuses_as_the_others_do(toy_client, request_parts, status, code):
    answer = toy_client.post("/v1/count", **request_parts)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


def test_a_new_route_is_in_the_document(toy_client):
    described = toy_client.get("/openapi.json", headers=KEY).json()
    assert "/v1/count" in described["paths"]
    assert "CountAnswer" in described["components"]["schemas"]
