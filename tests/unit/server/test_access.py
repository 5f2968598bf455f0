"""Who may ask: loopback without a key, anyone else with it."""

from __future__ import annotations

import pytest

from fuzzbow import InputError
from fuzzbow.server import Settings
from tests.unit.server.conftest import client_of, error_of

KEY = "correct-horse-battery"
QUESTION = {"a": "a cat", "b": "a dog"}


@pytest.fixture(scope="module")
def guarded(model):
    with client_of(model, key=KEY) as client:
        yield client


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer wrong"},
        {"authorization": f"Basic {KEY}"},
        {"authorization": KEY},
        {"authorization": "Bearer "},
        {"authorization": f"Bearer {KEY}x"},
        {"authorization": "Bearer clé".encode("latin-1")},
        {"x-api-key": "wrong"},
    ],
)
def test_a_wrong_key_is_refused(guarded, headers):
    answer = guarded.post("/v1/similarity", json=QUESTION, headers=headers)
    assert error_of(answer) == (401, "wrong_key")
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "headers",
    [{"authorization": f"Bearer {KEY}"}, {"authorization": f"bearer {KEY}"}, {"x-api-key": KEY}],
)
def test_the_key_opens_under_any_name_of_the_server(guarded, headers):
    headers |= {"host": "texts.example"}
    assert guarded.post("/v1/similarity", json=QUESTION, headers=headers).status_code == 200


OPEN = ["/", "/docs", "/static/app.js", "/healthz"]
CLOSED = [
    "/v1/info",
    "/v1/nothing",
    "/metrics",
    "/openapi.json",
    "//v1/info",
    "/nothing",
    "/static",
]


@pytest.mark.parametrize("path", OPEN + CLOSED)
def test_only_the_page_and_the_health_check_need_no_key(guarded, path):
    assert guarded.get(path).status_code == (200 if path in OPEN else 401)


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.example", ""])
def test_a_server_without_a_key_answers_to_this_machine_only(client, host):
    answer = client.get("/v1/info", headers={"host": host})
    assert error_of(answer) == (421, "wrong_host")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.0.0.1:1", "[::1]:80", "[::1]"])
def test_this_machine_has_several_names(client, host):
    assert client.get("/v1/info", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("guest", ["client", "guarded"])
def test_two_hosts_are_refused(request, guest):
    headers = [("host", "localhost"), ("host", "evil.example"), ("x-api-key", KEY)]
    answer = request.getfixturevalue(guest).get("/v1/info", headers=headers)
    assert error_of(answer) == (400, "bad_request")
    assert "one Host header; got 2" in answer.json()["error"]["message"]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "texts.example", ""])
def test_listening_elsewhere_needs_a_key(host):
    with pytest.raises(InputError, match="set FUZZBOW_API_KEY"):
        Settings(host=host)
    assert Settings(host=host, key=KEY).host == host


@pytest.mark.parametrize("key", ["", "  ", " key", "schlüssel", "two\nlines"])
def test_a_key_must_be_possible_in_a_header_and_is_not_shown(key):
    with pytest.raises(InputError, match="printable ASCII"):
        Settings(key=key)
    assert KEY not in repr(Settings(key=KEY))
