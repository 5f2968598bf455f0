"""Texts added and deleted over HTTP are stored, and bad ones refused whole."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

import fuzzbow
from fuzzbow.server import Limits
from fuzzbow.server.errors import without_paths
from tests.unit.server.conftest import client_of, error_of, message_of

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


def test_an_added_text_is_found_and_on_the_disk(client, folder):
    document = {"id": "e", "text": "a kitten slept", "metadata": {"year": 2023}}
    answer = client.post("/v1/documents", json={"documents": [document]})
    assert (answer.status_code, answer.json()) == (201, {"ids": ["e"]})
    found = client.post("/v1/search", json={"query": "a kitten slept", "k": 1}).json()["hits"][0]
    assert (found["id"], found["score"], found["metadata"]) == ("e", 1.0, {"year": 2023})
    assert fuzzbow.open_index(folder, read_only=True).get("e")["text"] == "a kitten slept"
    assert client.get("/v1/info").json()["documents"] == 5
    assert "fuzzbow_documents 5.0" in client.get("/metrics").text


def test_a_deleted_text_is_not_found_again(client, folder):
    assert client.delete("/v1/documents/a").json() == {"deleted": "a"}
    hits = client.post("/v1/search", json={"query": "a cat on the mat"}).json()["hits"]
    assert "a" not in [hit["id"] for hit in hits]
    assert fuzzbow.open_index(folder, read_only=True).ids == ["b", "c", "d"]


@pytest.mark.parametrize("name", [10**18 - 1, 1 - 10**18, -1])
def test_every_number_that_can_be_added_can_be_deleted(numbered, name):
    added = numbered.post("/v1/documents", json={"documents": [{"id": name, "text": "x"}]})
    assert added.json() == {"ids": [name]}
    following = numbered.post("/v1/documents", json={"documents": [{"text": "y"}]}).json()["ids"][0]
    for number in (name, following):
        assert numbered.delete(f"/v1/documents/{number}").json() == {"deleted": number}


@pytest.mark.parametrize(
    ("server", "name"),
    [("client", name) for name in ("nobody", "A", "7", "%ED%A0%80", "a" * 5_000, "%00")]
    + [("numbered", name) for name in ("4", "-1", "nobody", "9" * 30, "٣", "1.0", 10**18)],
)
def test_an_unknown_id_is_not_found(request, server, name):
    answer = request.getfixturevalue(server).delete(f"/v1/documents/{name}")
    assert error_of(answer) == (404, "unknown_id")


def test_an_id_may_hold_what_a_path_must_escape(running, folder):
    url = running("--index", folder).url + "/v1/documents"
    names = ["with/slash", "with space", "ünï", "a%2Fb", "?", "#"]
    documents = [{"id": name, "text": "x"} for name in names]
    assert httpx.post(url, json={"documents": documents}).json() == {"ids": names}
    for name in names:
        assert httpx.delete(f"{url}/{quote(name, safe='')}").json() == {"deleted": name}


@pytest.mark.parametrize("text", ["", "xqzxqz", " ", "42"])
def test_a_text_without_known_words_leaves_search_exact(text):
    """A batch without any known word once made every bound too low."""
    model = fuzzbow.load("default", measure="dynamax-jaccard")
    with client_of(model, model.index(["a cat", "a dog", "a house", "a bird"])) as client:
        client.post("/v1/documents", json={"documents": [{"text": text}]})
        hits = client.post("/v1/search", json={"query": "a cat", "k": 1}).json()["hits"]
    assert [(hit["id"], hit["score"]) for hit in hits] == [(0, 1.0)]


def document(**parts: object) -> list[dict[str, object]]:
    return [{"id": "x", "text": "x", **parts}]


LARGE = "1e999"  # in JSON, a number without quotes
BAD_DOCUMENTS = [
    ([], 422, "documents: "),
    ([{"text": "x"}], 422, "ids must be given"),
    (document(id=""), 422, "must be a string of length >= 1"),
    (document(id="x" * 513), 422, "must be a string of length <= 512"),
    (document(id="x\n"), 422, "must be printable"),
    (document(id=True), 422, "must be a whole number or a string or null; got true"),
    (document(id=10**18), 422, "must be a whole number <= 999"),
    (document(id=-(10**18)), 422, "must be a whole number >= -999"),
    (document(id=2**70), 422, "must be a whole number <= 999"),
    (document(id=7), 422, "ids must be"),
    (document() * 2, 422, "ids must differ"),
    ([*document(), {"text": "y"}], 422, "all documents have an id or none"),
    (document(text=1), 422, "documents.0.text: must be a string"),
    ([{"id": "x"}], 422, "documents.0.text: is needed"),
    (document(txt="x"), 422, "must hold text, id, metadata only; got 'txt' (did you mean 'text'?)"),
    (document(metadata={"colour": "red"}), 422, "no metadata column 'colour'"),
    (document(metadata={"year": "red"}), 422, "must hold int64"),
    (document(metadata={"year": [1]}), 422, "or null; got a list"),
    (document(metadata={"year": 2**70}), 422, "must be a whole number <= 9223"),
    (document(metadata={"year": float("nan")}), 400, "must be JSON"),
    (document(metadata={"year": LARGE}), 422, "out of range"),
    (document(metadata={"year": "\ud800"}), 400, "must be JSON"),
    (document(metadata={"\udfff": 1}), 400, "must be JSON"),
    (document(text="word " * 2_001), 422, "at most 2000 words"),
    ([{"id": str(n), "text": ""} for n in range(10_001)], 422, "at most 10000 texts"),
    (document(id="a"), 409, "a"),
]


@pytest.mark.parametrize(("documents", "status", "message"), BAD_DOCUMENTS)
def test_bad_documents_are_refused_whole(client, documents, status, message):
    body = json.dumps({"documents": documents})  # in ASCII, which surrogates need
    body = body.replace(f'"{LARGE}"', LARGE)
    answer = client.post("/v1/documents", content=body, headers=JSON)
    assert message in message_of(answer, status)
    assert client.get("/v1/info").json()["documents"] == 4


def test_an_index_that_is_read_only_says_so(model, folder):
    with client_of(model, fuzzbow.open_index(folder, read_only=True)) as client:
        answer = client.post("/v1/documents", json={"documents": document()})
        assert client.get("/v1/info").json()["writable"] is False
    assert "read-only" in message_of(answer, 422)


def test_texts_are_added_while_others_search(model, folder):
    """A writer does not wait for searches that never stop."""
    with client_of(model, fuzzbow.open_index(folder), limits=Limits(concurrent=64)) as client:
        ended, statuses = threading.Event(), []

        def search() -> None:
            while not ended.is_set():
                statuses.append(client.post("/v1/search", json={"query": "cat"}).status_code)

        threads = [threading.Thread(target=search) for _ in range(8)]
        for thread in threads:
            thread.start()
        for number in range(10):
            body = {"documents": [{"id": f"new {number}", "text": "x"}]}
            assert client.post("/v1/documents", json=body).status_code == 201
        ended.set()
        for thread in threads:
            thread.join()
    assert set(statuses) == {200}
    assert len(fuzzbow.open_index(folder, read_only=True)) == 14


def test_damage_is_reported_without_the_path_of_the_index(client, folder):
    for path in (folder / "rows.lance" / "data").iterdir():
        path.unlink()
    answer = client.post("/v1/search", json={"query": "a cat"})
    assert "the index" in message_of(answer, 422)
    assert str(folder.parent) not in answer.text


@pytest.mark.parametrize("folder", [Path("my-index"), Path("/srv/my-index")], ids=str)
@pytest.mark.parametrize("file", ["", "/index.json", "/data/a b.lance"])
def test_messages_do_not_name_the_folder_of_the_index(folder, file):
    for named in (folder, folder.absolute()):
        assert without_paths(f"'{named}{file}' is damaged", folder) == "the index is damaged"


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (f"cannot read {path}: gone", "cannot read a file of the server: gone")
        for path in ("/srv/data/index/7.lance", "/home/x/.cargo/x-1.0/src/io.rs", "C:\\data\\index")
    ]
    + [(text, text) for text in ("got 1/2", "year / 2 > 1", "text LIKE 'a/b/c'", "/docs says it")],
)
def test_messages_name_no_file_and_keep_everything_else(message, shown):
    assert without_paths(message, Path("/srv/index")) == shown
