"""The OpenAPI document describes every field that an answer has, and no other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from fuzzbow.server.schemas import answer_model
from tests.unit.server.conftest import client_of

QUESTION = {"a": "He has a cat", "b": "She had one dog"}


@pytest.fixture(scope="module")
def indexed(model):
    index = model.index(["a cat", "a dog"], metadata={"year": [2020, 2021]})
    with client_of(model, index) as client:
        yield client


def described_and_sent(schemas: dict[str, Any], schema: dict[str, Any], value: Any) -> Any:
    """Names of fields at every depth, as described and as sent."""
    schema = schema.get("anyOf", [schema])[0]  # of a field that may be left out
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rpartition("/")[2]]
    if isinstance(value, list) and value:
        return described_and_sent(schemas, schema["items"], value[0])
    if not isinstance(value, dict) or "properties" not in schema:
        return [], []
    described, sent = [sorted(schema["properties"])], [sorted(value)]
    for name in value.keys() & schema["properties"].keys():
        below = described_and_sent(schemas, schema["properties"][name], value[name])
        described, sent = described + below[0], sent + below[1]
    return described, sent


@pytest.mark.parametrize(
    ("method", "path", "body", "depth"),
    [
        ("POST", "/v1/similarity", QUESTION, 1),
        ("POST", "/v1/explain", QUESTION, 5),  # it, two sides, and words in each
        ("POST", "/v1/explain", {**QUESTION, "measure": "max-jaccard"}, 6),  # and dimensions
        ("POST", "/v1/search", {"query": "a cat", "explain": True}, 7),  # hits, and the same
        ("POST", "/v1/search/batch", {"queries": ["a cat"], "explain": True}, 8),
        ("GET", "/v1/info", None, 3),  # it, measures and limits
    ],
)
def test_fields_are_described_as_they_are_sent(indexed, method, path, body, depth):
    answer = indexed.request(method, path, json=body)
    document = indexed.get("/openapi.json").json()
    success = document["paths"][path][method.lower()]["responses"]["200"]
    schema = success["content"]["application/json"]["schema"]
    described, sent = described_and_sent(document["components"]["schemas"], schema, answer.json())
    assert described == sent
    assert len(sent) == depth


@dataclass(frozen=True)
class Wheel:
    """A part of a toy."""

    size: int | None = None


@dataclass(frozen=True)
class Toy:
    """A toy."""

    name: str
    wheels: tuple[Wheel, ...] = ()


def test_a_new_field_of_a_dataclass_is_described():
    described = answer_model(Toy).model_json_schema()
    assert (described["title"], described["description"]) == ("ToyAnswer", "A toy.")
    assert described["required"] == ["name", "wheels"]
    assert described["properties"]["wheels"]["items"] == {"$ref": "#/$defs/WheelAnswer"}
    assert described["$defs"]["WheelAnswer"]["required"] == ["size"]
