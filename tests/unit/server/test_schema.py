"""Requests made up from the OpenAPI document: no 5xx, and every answer as described, in full."""

from __future__ import annotations

import os
from typing import Any

import hypothesis
import pytest

from tests.unit.server.conftest import client_of, servers

schemathesis = pytest.importorskip("schemathesis", reason="needs Python 3.11")

TOO_LARGE = 413
EXAMPLES = int(os.environ.get("FUZZBOW_EXAMPLES", "25"))
WITH_BODY = [
    ("/v1/similarity", "POST"),
    ("/v1/pairs", "POST"),
    ("/v1/explain", "POST"),
    ("/v1/explain.html", "POST"),
    ("/v1/search", "POST"),
    ("/v1/search/batch", "POST"),
    ("/v1/documents", "POST"),
]
OTHERS = [
    ("/v1/explain.html", "GET"),
    ("/v1/documents/{id}", "DELETE"),
    ("/v1/info", "GET"),
    ("/healthz", "GET"),
    ("/metrics", "GET"),
]
CASES = [(*operation, "POSITIVE") for operation in WITH_BODY + OTHERS]
CASES += [(*operation, "NEGATIVE") for operation in WITH_BODY]


@pytest.fixture(scope="module")
def described(model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("index") / "made-up"
    model.index(["a cat", "a dog"], ids=["a", "b"], path=folder)
    with servers() as start:
        url = start("--no-access-log", "--index", folder).url
        yield schemathesis.openapi.from_url(url + "/openapi.json")


def test_every_operation_is_tried(described):
    paths = described.raw_schema["paths"].items()
    found = [(path, method.upper()) for path, methods in paths for method in methods]
    assert sorted(found) == sorted(WITH_BODY + OTHERS)


@pytest.mark.parametrize(("path", "method", "kind"), CASES)
def test_made_up_requests_are_answered_as_described(described, path, method, kind):
    mode = schemathesis.GenerationMode[kind]
    operation = described[path][method]
    statuses = []

    @hypothesis.settings(max_examples=EXAMPLES)
    @hypothesis.given(case=operation.as_strategy(generation_mode=mode))
    def ask(case):
        response = case.call()
        # a schema cannot say which measures there are, or that sides are equally long
        excluded = [schemathesis.checks.positive_data_acceptance]
        if response.status_code == TOO_LARGE:  # a rejection that schemathesis does not expect
            excluded.append(schemathesis.checks.negative_data_rejection)
        case.validate_response(response, excluded_checks=excluded)
        statuses.append(response.status_code)

    ask()
    assert max(statuses) < 500


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
