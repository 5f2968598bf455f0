"""A condition of a stranger can do no more than choose rows."""

from __future__ import annotations

import json

import httpx
import pytest

HOSTILE = [
    "length(repeat('a', 2000000000)) > 0",
    "length(repeat(text, 2000000000)) > 0",
    "array_length(array_repeat(1, 2000000000)) > 0",
    "array_length(array_resize(make_array(1), 2000000000, 0)) > 0",
    "length(lpad('a', 2000000000)) > 0",
    "length(rpad('a', 2000000000, 'b')) > 0",
    "length(replace(repeat('a', 100000), 'a', repeat('b', 100000))) > 0",
    "array_length(generate_series(1, 2000000000)) > 0",
    "regexp_like(text, '(a+)+$')",
    "text ~ '(a+)+$'",
    "id IN (SELECT id FROM t)",
    "EXISTS (SELECT 1)",
    "year > (SELECT max(year) FROM t)",
    "random() > 0.5",
    "now() > '2020-01-01'",
    "arrow_cast(year, 'Utf8') = '1'",
    "true; DROP TABLE t",
    "year > 2020) OR (true",
    "year > 2020 -- and nothing else\n OR",
    "(" * 500 + "true" + ")" * 500,
    "NOT " * 600 + "true",
    "year = 99999999999999999999999999999999999999",
    "year / 0 = 1 AND repeat('a', 9) = text",
]


@pytest.fixture(scope="module")
def server(model, tmp_path_factory):
    from tests.unit.server.conftest import servers

    folder = tmp_path_factory.mktemp("index") / "index"
    model.index(["a cat", "a dog"], metadata={"year": [2020, 2021]}, path=folder)
    with servers() as start:  # in a process of its own, which such a condition could end
        yield start("--no-access-log", "--index", folder)


@pytest.mark.parametrize("where", HOSTILE)
def test_a_hostile_condition_is_refused(server, where):
    body = json.dumps({"query": "a cat", "where": where})
    headers = {"content-type": "application/json"}
    answer = httpx.post(server.url + "/v1/search", content=body, headers=headers, timeout=60)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_input")
    assert httpx.get(server.url + "/healthz").json() == {"status": "ok"}


@pytest.mark.parametrize(
    ("where", "ids"),
    [
        ("year > 2020", [1]),
        ("year IN (2020, 2021) AND NOT text LIKE '%dog'", [0]),
        ("year BETWEEN 2021 AND 2022 OR year IS NULL", [1]),
        ("starts_with(lower(text), 'a c') AND length(text) = 5", [0]),
        ("year + 1 = 2021", [0]),
    ],
)
def test_an_honest_condition_is_served(server, where, ids):
    answer = httpx.post(server.url + "/v1/search", json={"query": "a cat", "where": where})
    assert [hit["id"] for hit in answer.json()["hits"]] == ids
