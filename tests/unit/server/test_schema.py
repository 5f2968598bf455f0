"""Requests made up from the OpenAPI document: no 5xx, and every answer as described."""

from __future__ import annotations

import os

import hypothesis
import pytest

from tests.unit.server.conftest import servers

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
