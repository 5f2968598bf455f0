"""Whatever is sent, the answer is a clear 4xx in JSON."""

from __future__ import annotations

import json

import pytest

from tests.unit.server.conftest import error_of, message_of

SIMILARITY = "/v1/similarity"
JSON = {"content-type": "application/json"}

BODIES = [
    pytest.param(b'{"a": "x", "b"', 400, "invalid_json", "must be JSON", id="half an object"),
    pytest.param(b"", 400, "invalid_json", "must be JSON", id="nothing"),
    pytest.param(b'{"a": "\xff\xfe", "b": ""}', 400, "invalid_json", "UTF-8", id="not UTF-8"),
    pytest.param(b'{"a": "\x01", "b": ""}', 400, "invalid_json", "JSON", id="raw control"),
    pytest.param(b'{"a": "\\ud800", "b": ""}', 400, "invalid_json", "JSON", id="lone surrogate"),
    pytest.param(b'{"a": NaN, "b": ""}', 400, "invalid_json", "JSON", id="NaN"),
    pytest.param(b"[" * 100_000, 422, "invalid_input", "got a list", id="deep nesting"),
    pytest.param(b'{"a":' * 100_000, 422, "invalid_input", "got an object", id="deep objects"),
    pytest.param(b"9" * 100_000, 422, "invalid_input", "body", id="an endless number"),
    pytest.param(b"[]", 422, "invalid_input", "object; got a list", id="a list"),
    pytest.param(b"null", 422, "invalid_input", "object; got null", id="null"),
    pytest.param(b'{"a": 1, "b": ""}', 422, "invalid_input", "a string; got a number", id="number"),
    pytest.param(b'{"a": ["x"], "b": ""}', 422, "invalid_input", "got a list", id="list for text"),
    pytest.param(b'{"a": "x"}', 422, "invalid_input", "b: is needed", id="half missing"),
    pytest.param(
        b'{"a": "x", "b": "", "mesure": "wmd"}',
        422, "invalid_input", "only; got 'mesure' (did you mean 'measure'?)", id="misspelt name",
    ),
    pytest.param(
        b'{"a": "x", "b": "", "measure": "dynmax-jaccard"}',
        422, "invalid_input", "did you mean 'dynamax-jaccard'", id="misspelt measure",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("body", "status", "code", "message"), BODIES)
def test_a_bad_body_is_a_clear_error(client, body, status, code, message):
    answer = client.post(SIMILARITY, content=body, headers=JSON)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (status, code)
    assert message in error["message"]


def test_the_input_is_not_repeated_in_an_error(client):
    secret = "correct horse battery staple"
    body = json.dumps({"lefts": [[secret]], "rights": []})
    answer = client.post("/v1/pairs", content=body, headers=JSON)
    assert answer.status_code == 422
    assert secret not in answer.text


@pytest.mark.parametrize(
    ("lefts", "rights", "error", "message"),
    [
        (["a"] * 10**6, ["b"] * 10**6, (413, "body_too_large"), "at most"),
        (["a"] * 5_001, ["a"] * 5_001, (422, "invalid_input"), "at most 10000 texts; got 10002"),
        ([1] * 300_000, [], (422, "invalid_input"), "lefts.0: must be"),
        (["a"], [], (422, "invalid_input"), "equal length; got 1 and 0"),
    ],
    ids=["million", "many", "wrong items", "unequal"],
)
def test_pairs_that_cannot_be_compared_are_one_error(client, lefts, rights, error, message):
    answer = client.post("/v1/pairs", json={"lefts": lefts, "rights": rights})
    assert error_of(answer) == error
    assert message in answer.json()["error"]["message"]


@pytest.mark.parametrize("path", [SIMILARITY, "/v1/explain"])
@pytest.mark.parametrize(
    ("text", "message"),
    [("a " * 2_001, "2000 words; text 1 has 2001"), ("a" * 50_001, "50000 characters; text 1")],
)
def test_a_text_that_is_too_long_is_refused(client, path, text, message):
    answer = client.post(path, json={"a": "x", "b": text})
    assert message in message_of(answer, 422)


def test_a_body_that_is_not_json_by_its_own_word_is_refused(client):
    answer = client.post(
        SIMILARITY, content=b'{"a": "", "b": ""}', headers={"content-type": "text/plain"}
    )
    assert error_of(answer) == (415, "not_json")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/similarity", 405),
        ("PUT", "/v1/similarity", 405),
        ("GET", "/v1/nothing", 404),
        ("GET", "/nothing", 404),
        ("POST", "/", 405),
        ("BREW", "/v1/similarity", 405),
    ],
)
def test_a_wrong_path_or_method_is_json_too(client, method, path, status):
    answer = client.request(method, path, headers=JSON)
    assert answer.status_code == status
    assert "/docs" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/search", {"query": "a cat"}),
        ("POST", "/v1/search/batch", {"queries": ["a cat"]}),
        ("POST", "/v1/documents", {"documents": [{"text": "a cat"}]}),
        ("DELETE", "/v1/documents/7", None),
    ],
)
def test_without_an_index_the_answer_names_the_option(client, method, path, body):
    answer = client.request(method, path, json=body)
    assert error_of(answer) == (404, "no_index")
    assert "--index" in answer.json()["error"]["message"]
