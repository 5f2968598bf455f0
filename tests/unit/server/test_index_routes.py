"""Search, adding and deleting over HTTP are those of the library, and what is stored stays."""

from __future__ import annotations

import asyncio
import datetime
import json
import subprocess
import sys
import threading
from urllib.parse import quote

import httpx
import pytest

import fuzzbow
from fuzzbow.server import Limits, Settings, create_app
from tests.unit.server.conftest import BASE, client_of

TEXTS = ["a cat on the mat", "the dog barked", "stocks fell 3 %", "a plane landed"]
YEARS = {"year": [2019, 2020, 2021, 2022]}
JSON = {"content-type": "application/json"}


@pytest.fixture
def folder(model, tmp_path):
    model.index(TEXTS, ids=list("abcd"), metadata=YEARS, path=tmp_path / "index")
    return tmp_path / "index"


@pytest.fixture
def client(model, folder):
    with client_of(model, fuzzbow.open_index(folder)) as client:
        yield client


@pytest.fixture
def numbered(model):
    with client_of(model, model.index(TEXTS)) as client:
        yield client


def test_hits_are_those_of_the_library(client, folder):
    answer = client.post("/v1/search", json={"query": "a cat", "k": 3})
    expected = fuzzbow.open_index(folder).search("a cat", k=3).to_dicts()
    assert answer.json() == {"hits": expected}


def test_a_long_query_finds_what_a_short_one_does(client, folder):
    query = "the cat happily slept on the mat " * 65  # too long to share a call
    answer = client.post("/v1/search", json={"query": query})
    assert answer.json() == {"hits": fuzzbow.open_index(folder).search(query).to_dicts()}


@pytest.mark.parametrize(
    "narrowed", [{"min_score": 0.5}, {"where": "year > 2020"}, {"k": 1}, {"where": None}]
)
def test_a_search_is_narrowed_as_in_the_library(client, folder, narrowed):
    answer = client.post("/v1/search", json={"query": "a cat on a mat", **narrowed})
    expected = fuzzbow.open_index(folder).search("a cat on a mat", **narrowed).to_dicts()
    assert answer.json() == {"hits": expected}


def test_searches_at_the_same_time_get_each_its_own_answer(model):
    index = model.index(TEXTS, metadata=YEARS)
    questions = [
        {"query": f"{TEXTS[n % 4]} {n}", "k": 1 + n % 3, "where": [None, "year > 2020", "!"][n % 3]}
        for n in range(90)
    ]

    async def ask_all() -> list[httpx.Response]:
        app = create_app(model, index, Settings(access_log=False))
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=BASE) as client:
            calls = [client.post("/v1/search", json=question) for question in questions]
            answers = await asyncio.gather(*calls)
        app.state.service.workers.close()
        return answers

    for question, answer in zip(questions, asyncio.run(ask_all()), strict=True):
        if question["where"] == "!":
            assert answer.status_code == 422
        else:
            assert answer.json()["hits"] == index.search(**question).to_dicts()


def test_an_added_text_is_found_and_on_the_disk(client, folder):
    document = {"id": "e", "text": "a kitten slept", "metadata": {"year": 2023}}
    answer = client.post("/v1/documents", json={"documents": [document]})
    assert (answer.status_code, answer.json()) == (201, {"ids": ["e"]})
    found = client.post("/v1/search", json={"query": "a kitten slept", "k": 1}).json()["hits"][0]
    assert (found["id"], found["score"], found["metadata"]) == ("e", 1.0, {"year": 2023})
    assert fuzzbow.open_index(folder, read_only=True).get("e")["text"] == "a kitten slept"
    assert client.get("/v1/info").json()["documents"] == 5
    assert "fuzzbow_documents 5.0" in client.get("/metrics").text


def test_texts_without_ids_get_the_next_numbers(numbered):
    documents = [{"text": "one more"}, {"text": "and another"}]
    answer = numbered.post("/v1/documents", json={"documents": documents})
    assert answer.json() == {"ids": [4, 5]}


def test_a_deleted_text_is_not_found_again(client, folder):
    assert client.delete("/v1/documents/a").json() == {"deleted": "a"}
    hits = client.post("/v1/search", json={"query": "a cat on the mat"}).json()["hits"]
    assert "a" not in [hit["id"] for hit in hits]
    assert fuzzbow.open_index(folder, read_only=True).ids == ["b", "c", "d"]


def test_a_numbered_text_is_deleted_by_its_number(numbered):
    assert numbered.delete("/v1/documents/2").json() == {"deleted": 2}


def test_an_id_may_hold_what_a_path_must_escape(running, folder):
    url = running("--index", folder).url + "/v1/documents"
    names = ["with/slash", "with space", "ünï", "a%2Fb", "?", "#"]
    documents = [{"id": name, "text": "x"} for name in names]
    assert httpx.post(url, json={"documents": documents}).json() == {"ids": names}
    for name in names:
        answer = httpx.delete(f"{url}/{quote(name, safe='')}")
        assert answer.json() == {"deleted": name}


@pytest.mark.parametrize("name", ["nobody", "A", "7", "%ED%A0%80", "a" * 5_000, "%00"])
def test_an_unknown_id_is_not_found(client, name):
    answer = client.delete(f"/v1/documents/{name}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_id")


@pytest.mark.parametrize("name", ["4", "-1", "nobody", "9" * 30, "٣", "1.0"])
def test_an_unknown_number_is_not_found(numbered, name):
    answer = numbered.delete(f"/v1/documents/{name}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_id")


def test_an_id_that_is_there_already_is_a_conflict(client):
    answer = client.post("/v1/documents", json={"documents": [{"id": "a", "text": "x"}]})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "known_id")
    assert client.get("/v1/info").json()["documents"] == 4


@pytest.mark.parametrize("text", ["", "xqzxqz", " ", "42"])
def test_a_text_without_known_words_leaves_search_exact(text):
    """A batch without any known word once made every bound too low."""
    model = fuzzbow.load("default", measure="dynamax-jaccard")
    texts = ["a cat", "a dog", "a house", "a bird", "a fish"]
    with client_of(model, model.index(texts)) as client:
        client.post("/v1/documents", json={"documents": [{"text": text}]})
        hits = client.post("/v1/search", json={"query": "a cat", "k": 1}).json()["hits"]
    assert [(hit["id"], hit["score"]) for hit in hits] == [(0, 1.0)]


BAD_DOCUMENTS = [
    ([], "documents: "),
    ([{"text": "x"}], "ids must be given"),
    ([{"id": "", "text": "x"}], "1 to 512 characters; got 0"),
    ([{"id": "x" * 513, "text": "x"}], "1 to 512 characters; got 513"),
    ([{"id": "x\n", "text": "x"}], "must be printable"),
    ([{"id": "\ud800", "text": "x"}], "must be printable"),
    ([{"id": True, "text": "x"}], "must be a string or a whole number"),
    ([{"id": 2**70, "text": "x"}], "must be a string or a whole number"),
    ([{"id": 7, "text": "x"}], "ids must be"),
    ([{"id": "x", "text": "x"}, {"id": "x", "text": "y"}], "ids must differ"),
    ([{"id": "x", "text": "x"}, {"text": "y"}], "all documents have an id or none"),
    ([{"id": "x", "text": "\ud800"}], "surrogate"),
    ([{"id": "x", "text": 1}], "documents.0.text: must be a string"),
    ([{"id": "x"}], "documents.0.text: is needed"),
    ([{"id": "x", "text": "x", "metadata": {"colour": "red"}}], "no metadata column 'colour'"),
    ([{"id": "x", "text": "x", "metadata": {"year": "red"}}], "must hold int64"),
    ([{"id": "x", "text": "x", "metadata": {"year": [1]}}], "'year' is a list"),
    ([{"id": "x", "text": "x", "metadata": {"year": 2**70}}], "64 bits"),
    ([{"id": "x", "text": "x", "metadata": {"\ud800": 1}}], "surrogate"),
    ([{"id": "x", "text": "x", "metadata": {"year": "\ud800"}}], "surrogate"),
    ([{"id": "x", "text": "word " * 2_001}], "at most 2000 words"),
    ([{"id": str(n), "text": ""} for n in range(10_001)], "at most 10000 texts"),
]


@pytest.mark.parametrize(("documents", "message"), BAD_DOCUMENTS)
def test_bad_documents_are_refused_whole(client, documents, message):
    body = json.dumps({"documents": documents})  # in ASCII, which surrogates need
    answer = client.post("/v1/documents", content=body, headers=JSON)
    assert answer.status_code == 422
    assert message in answer.json()["error"]["message"]
    assert client.get("/v1/info").json()["documents"] == 4


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e999"])
def test_metadata_that_is_no_number_is_refused(client, value):
    document = {"id": "x", "text": "x", "metadata": {"year": "VALUE"}}
    body = json.dumps({"documents": [document]}).replace('"VALUE"', value)
    answer = client.post("/v1/documents", content=body, headers=JSON)
    assert answer.status_code == 422
    assert "finite" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"query": 1}, "query: must be a string"),
        ({"query": "x", "k": 0}, "k: must be greater than or equal to 1"),
        ({"query": "x", "k": 1_001}, "k must be at most 1000"),
        ({"query": "x", "k": "3"}, "k: must be a whole number; got a string"),
        ({"query": "x", "min_score": 2}, "min_score: must be less than or equal to 1"),
        ({"query": "x", "where": "colour = 1"}, "colour"),
        ({"query": "x", "where": "DROP TABLE t"}, "where"),
        ({"query": "x", "where": ""}, "where"),
        ({"query": "x", "where": "x" * 2_001}, "where: "),
        ({"query": "word " * 2_001}, "at most 2000 words"),
        ({"query": "word " * 501}, "a query may have at most 500 words; got 501"),
        ({"query": "a " * 501}, "a query may have at most 500 words; got 501"),
        ({"query": "\udfff"}, "surrogate"),
    ],
)
def test_a_bad_search_is_a_clear_error(client, question, message):
    answer = client.post("/v1/search", content=json.dumps(question), headers=JSON)
    assert answer.status_code == 422
    assert message in answer.json()["error"]["message"]


def test_metadata_of_any_kind_becomes_json(model):
    day = datetime.date(2024, 2, 29)
    index = model.index(["x"], metadata={"day": [day], "size": [float("nan")], "ok": [True]})
    with client_of(model, index) as client:
        hits = client.post("/v1/search", json={"query": "x"}).json()["hits"]
    assert hits[0]["metadata"] == {"day": "2024-02-29", "size": None, "ok": True}


def test_an_index_that_is_read_only_says_so(model, folder):
    with client_of(model, fuzzbow.open_index(folder, read_only=True)) as client:
        answer = client.post("/v1/documents", json={"documents": [{"id": "x", "text": "x"}]})
        assert client.get("/v1/info").json()["writable"] is False
    assert answer.status_code == 422
    assert "read-only" in answer.json()["error"]["message"]


def test_texts_are_added_while_others_search(model, folder):
    """A writer is not kept waiting by searches that never stop."""
    settings = {"limits": Limits(concurrent=64)}
    with client_of(model, fuzzbow.open_index(folder), **settings) as client:
        ended = threading.Event()
        statuses = []

        def search() -> None:
            while not ended.is_set():
                statuses.append(client.post("/v1/search", json={"query": "cat"}).status_code)

        threads = [threading.Thread(target=search) for _ in range(8)]
        for thread in threads:
            thread.start()
        for number in range(10):
            document = {"id": f"new {number}", "text": "x"}
            added = client.post("/v1/documents", json={"documents": [document]})
            assert added.status_code == 201
        ended.set()
        for thread in threads:
            thread.join()
    assert set(statuses) == {200}
    assert len(fuzzbow.open_index(folder, read_only=True)) == 14


@pytest.mark.parametrize("name", [10**18 - 1, 1 - 10**18, -1])
def test_every_id_that_can_be_added_can_be_deleted(numbered, name):
    added = numbered.post("/v1/documents", json={"documents": [{"id": name, "text": "x"}]})
    assert added.json() == {"ids": [name]}
    following = numbered.post("/v1/documents", json={"documents": [{"text": "y"}]}).json()["ids"][0]
    for number in (name, following):
        assert numbered.delete(f"/v1/documents/{number}").json() == {"deleted": number}


@pytest.mark.parametrize("name", [2**63 - 1, -(2**63), 10**18])
def test_an_id_out_of_range_is_refused_and_harms_nobody(numbered, name):
    answer = numbered.post("/v1/documents", json={"documents": [{"id": name, "text": "x"}]})
    assert answer.status_code == 422
    assert numbered.delete(f"/v1/documents/{name}").status_code == 404
    assert numbered.post("/v1/documents", json={"documents": [{"text": "y"}]}).status_code == 201


@pytest.mark.parametrize(
    "where",
    ["length(repeat('a', 2000000000)) > 0", "text > 3", "yaer > 1", "year / 0 = 1", "(" * 1_000],
)
def test_a_condition_that_is_refused_is_told_without_the_engine(client, where):
    answer = client.post("/v1/search", json={"query": "x", "where": where})
    assert answer.status_code == 422
    assert "where must" in answer.text
    assert not any(word in answer.text for word in ("SELECT (", "Lance", "/rust/", "LargeUtf8"))


def test_a_search_is_answered_after_another_process_compacts(client, folder):
    code = """
import sys, fuzzbow
index = fuzzbow.open_index(sys.argv[1])
index.add(["a kitten"], ids=["e"])
index.delete(["a"])
index.compact(keep_versions=1)
"""
    subprocess.run([sys.executable, "-c", code, folder], check=True, timeout=120)
    for more in ({}, {"where": "year > 2019 OR year IS NULL"}):
        answer = client.post("/v1/search", json={"query": "a cat", "k": 3, **more})
        expected = fuzzbow.open_index(folder).search("a cat", k=3).to_dicts()
        assert answer.json() == {"hits": expected}
