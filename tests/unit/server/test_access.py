"""Who may ask: loopback without a key, anyone else with it."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from fuzzbow import InputError
from fuzzbow.server import Settings
from tests.unit.server.conftest import client_of

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
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "wrong_key")
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "headers",
    [{"authorization": f"Bearer {KEY}"}, {"authorization": f"bearer {KEY}"}, {"x-api-key": KEY}],
)
def test_the_key_opens(guarded, headers):
    assert guarded.post("/v1/similarity", json=QUESTION, headers=headers).status_code == 200


@pytest.mark.parametrize(
    "path",
    ["/v1/info", "/v1/nothing", "/metrics", "/openapi.json", "//v1/info", "/nothing", "/static"],
)
def test_everything_that_tells_something_needs_the_key(guarded, path):
    assert guarded.get(path).status_code == 401


@pytest.mark.parametrize("path", ["/", "/docs", "/static/app.js", "/healthz"])
def test_the_page_and_the_pulse_need_no_key(guarded, path):
    assert guarded.get(path).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.example", ""])
def test_a_server_without_a_key_answers_to_this_machine_only(client, host):
    answer = client.get("/v1/info", headers={"host": host})
    assert (answer.status_code, answer.json()["error"]["code"]) == (421, "wrong_host")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.0.0.1:1", "[::1]:80", "[::1]"])
def test_this_machine_has_several_names(client, host):
    assert client.get("/v1/info", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("guest", ["client", "guarded"])
def test_two_hosts_are_refused(request, guest):
    headers = [("host", "localhost"), ("host", "evil.example"), ("x-api-key", KEY)]
    answer = request.getfixturevalue(guest).get("/v1/info", headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_request")
    assert "one Host header; got 2" in answer.json()["error"]["message"]


def test_with_a_key_any_name_will_do(guarded):
    headers = {"host": "texts.example", "x-api-key": KEY}
    assert guarded.get("/v1/info", headers=headers).status_code == 200


def test_no_other_site_may_read_answers(client: TestClient):
    answer = client.get("/v1/info", headers={"origin": "https://evil.example"})
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "texts.example", ""])
def test_listening_elsewhere_needs_a_key(host):
    with pytest.raises(InputError, match="set FUZZBOW_API_KEY"):
        Settings(host=host)
    assert Settings(host=host, key=KEY).host == host


@pytest.mark.parametrize("key", ["", "  ", " key", "schlüssel", "two\nlines"])
def test_a_key_must_be_possible_in_a_header(key):
    with pytest.raises(InputError, match="printable ASCII"):
        Settings(key=key)


def test_a_key_is_not_shown():
    assert KEY not in repr(Settings(key=KEY))
