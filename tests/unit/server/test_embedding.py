"""Explanations as HTML for other pages, and which pages may have them."""

from __future__ import annotations

import pytest

from fuzzbow import InputError
from fuzzbow.explain import html_page
from fuzzbow.server import Limits, Settings
from tests.unit.server.conftest import client_of, message_of

QUESTION = {"a": "He has a <cat>", "b": "She had one dog"}
SITE = "https://app.example"
OTHER = "https://other.example"


@pytest.fixture(scope="module")
def embedding(model):
    with client_of(model, origins=(SITE, "http://localhost:3000"), key="secret") as client:
        yield client


def test_the_fragment_is_that_of_the_library(client, model):
    answer = client.post("/v1/explain.html", json=QUESTION)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.text == model.explain(**QUESTION).to_html()


def test_the_fragment_is_of_the_measure_that_is_asked_for(client, model):
    body = {**QUESTION, "measure": "dynamax-jaccard"}
    expected = model.with_measure("dynamax-jaccard").explain(**QUESTION)
    assert client.post("/v1/explain.html", json=body).text == expected.to_html()
    assert client.get("/v1/explain.html", params=body).text == html_page([expected])


def test_the_page_for_a_frame_is_that_of_the_library(client, model):
    answer = client.get("/v1/explain.html", params=QUESTION)
    assert answer.text.startswith("<!doctype html>")
    assert answer.text == html_page([model.explain(**QUESTION)])


@pytest.mark.parametrize("text", ["", "qqqzzz", "word " * 300, "日本"])
def test_any_text_has_a_fragment(client, text):
    for answer in (
        client.post("/v1/explain.html", json={"a": text, "b": "a cat"}),
        client.get("/v1/explain.html", params={"a": text, "b": "a cat"}),
    ):
        assert answer.status_code == 200
        assert "fuzzbow-explanation" in answer.text


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"a": "a cat"}, "b: is needed and is missing"),
        ({**QUESTION, "measure": "nope"}, "measure must be one of"),
        ({**QUESTION, "measure": "avg-cosine"}, "avg-cosine"),
        ({**QUESTION, "colour": "red"}, "must hold a, b, measure only; got 'colour'"),
        ({**QUESTION, "a": "word " * 2_001}, "at most 2000 words"),
    ],
)
def test_a_fragment_that_cannot_be_made_is_refused_as_json(client, parameters, message):
    for answer in (
        client.post("/v1/explain.html", json=parameters),
        client.get("/v1/explain.html", params=parameters),
    ):
        assert message in message_of(answer, 422)


def test_a_fragment_larger_than_an_answer_may_be_is_refused(model):
    with client_of(model, limits=Limits(answer_bytes=500)) as client:
        answer = client.post("/v1/explain.html", json=QUESTION)
    assert answer.json()["error"]["code"] == "answer_too_large"


def frame_ancestors(client, **headers) -> str:
    answer = client.get("/v1/explain.html", params=QUESTION, headers=headers)
    return answer.headers["content-security-policy"].partition("frame-ancestors ")[2]


def test_only_allowed_origins_may_frame_an_explanation(client, embedding):
    assert frame_ancestors(client) == "'self'"
    allowed = frame_ancestors(embedding, **{"x-api-key": "secret"})
    assert allowed == f"'self' {SITE} http://localhost:3000"


def test_the_frame_runs_nothing_and_loads_nothing(client):
    policy = client.get("/v1/explain.html", params=QUESTION).headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'; style-src 'unsafe-inline'; ")


def preflight(client, origin: str, path: str = "/v1/similarity", method: str = "POST"):
    asked = "content-type,x-api-key,authorization"
    return client.options(
        path,
        headers={
            "origin": origin,
            "access-control-request-method": method,
            "access-control-request-headers": asked,
        },
    )


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_a_page_of_an_allowed_origin_may_ask_with_the_key(embedding, method):
    allowed = preflight(embedding, SITE, method=method)
    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (200, SITE)
    answer = embedding.post(
        "/v1/similarity", json=QUESTION, headers={"origin": SITE, "x-api-key": "secret"}
    )
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, SITE)
    assert "origin" in answer.headers["vary"].lower()


def test_a_page_of_an_allowed_origin_can_read_errors(embedding):
    answer = embedding.post("/v1/similarity", json=QUESTION, headers={"origin": SITE})
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (401, SITE)


@pytest.mark.parametrize("origin", [OTHER, "http://app.example", f"{SITE}.evil.example", "null"])
def test_pages_of_other_origins_may_not(embedding, origin):
    assert "access-control-allow-origin" not in preflight(embedding, origin).headers
    answer = embedding.post("/v1/similarity", json=QUESTION, headers={"origin": origin})
    assert "access-control-allow-origin" not in answer.headers


def test_nobody_may_unless_it_is_set(client):
    assert preflight(client, SITE).status_code == 405
    answer = client.post("/v1/similarity", json=QUESTION, headers={"origin": SITE})
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    "origin",
    [
        "*",
        "null",
        "app.example",
        "https://app.example/",
        "https://app.example/page",
        "https://*.example",
        "HTTPS://APP.example",
        "file:///home",
        "https://app.example:x",
        "https://a.example; frame-src *",
        "https://",
        "",
    ],
)
def test_an_origin_is_one_web_site(origin):
    with pytest.raises(InputError, match="an origin must be"):
        Settings(origins=(origin,))


@pytest.mark.parametrize("origin", [SITE, "http://localhost:3000", "http://[::1]:5173"])
def test_an_origin_may_have_a_port(origin):
    assert Settings(origins=(origin,)).origins == (origin,)
