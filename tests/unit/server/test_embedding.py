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


@pytest.mark.parametrize("measure", [None, "dynamax-jaccard"])
def test_the_fragment_and_the_page_for_a_frame_are_those_of_the_library(client, model, measure):
    question = {**QUESTION, "measure": measure} if measure else QUESTION
    explained = (model.with_measure(measure) if measure else model).explain(**QUESTION)
    answer = client.post("/v1/explain.html", json=question)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.text == explained.to_html()
    answer = client.get("/v1/explain.html", params=question)
    assert answer.text.startswith("<!doctype html>")
    assert answer.text == html_page([explained])


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


def policy_of(client, **headers) -> str:
    answer = client.get("/v1/explain.html", params=QUESTION, headers=headers)
    return answer.headers["content-security-policy"]


def test_the_frame_loads_nothing_and_only_allowed_origins_may_have_it(client, embedding):
    policy = (
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors"
    )
    assert policy_of(client) == f"{policy} 'self'"
    allowed = policy_of(embedding, **{"x-api-key": "secret"})
    assert allowed == f"{policy} 'self' {SITE} http://localhost:3000"


def preflight(client, origin: str, method: str = "POST"):
    headers = {
        "origin": origin,
        "access-control-request-method": method,
        "access-control-request-headers": "content-type,x-api-key,authorization",
    }
    return client.options("/v1/similarity", headers=headers)


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_a_page_of_an_allowed_origin_may_ask_with_the_key_and_read_errors(embedding, method):
    answers = [preflight(embedding, SITE, method=method)]
    for key, status in (("secret", 200), ("another", 401)):
        headers = {"origin": SITE, "x-api-key": key}
        answers.append(embedding.post("/v1/similarity", json=QUESTION, headers=headers))
        assert answers[-1].status_code == status
        assert "origin" in answers[-1].headers["vary"].lower()
    assert answers[0].status_code == 200
    assert [answer.headers["access-control-allow-origin"] for answer in answers] == [SITE] * 3


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
        "*", "null", "app.example", "https://app.example/", "https://app.example/page",
        "https://*.example", "HTTPS://APP.example", "file:///home", "https://app.example:x",
        "https://a.example; frame-src *", "https://", "",
    ],
)  # fmt: skip
def test_an_origin_is_one_web_site(origin):
    with pytest.raises(InputError, match="an origin must be"):
        Settings(origins=(origin,))


def test_an_origin_may_have_a_port():
    origins = (SITE, "http://localhost:3000", "http://[::1]:5173")
    assert Settings(origins=origins).origins == origins
