"""Indexes of shards by the command `fuzzbow`, and in the server."""

from __future__ import annotations

import json
import shutil

import pytest
from starlette.testclient import TestClient

import fuzzbow
from fuzzbow.cli.search import SMALLEST_SCORE
from fuzzbow.cli.shards import Hosting, open_any
from fuzzbow.cluster.search import open_sharded_index
from fuzzbow.errors import InputError
from fuzzbow.server import create_app
from tests.command import fuzzbow_command

ROWS = [("a cat on a mat", 2019), ("the old dog", 2020), ("planes fly", 2021), ("a cat", 2022)]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """The same texts as one index and in two shards."""
    folder = tmp_path_factory.mktemp("commands")
    table = folder / "rows.csv"
    table.write_text("text,year\n" + "".join(f"{text},{year}\n" for text, year in ROWS))
    fuzzbow.load(purpose="passages").index(
        [text for text, _ in ROWS],
        metadata={"year": [year for _, year in ROWS]},
        path=folder / "one",
    )
    made = fuzzbow_command("index", table, "-o", folder / "many", "--shards", 2)
    assert "4 texts indexed in 2 shards" in made.stderr
    return folder


def test_search_prints_what_one_index_finds(folders):
    options = ("--where", "year > 2019", "--json")
    done = fuzzbow_command("search", folders / "many", "a cat", *options)
    wanted = fuzzbow.open_index(folders / "one").search("a cat", 10, SMALLEST_SCORE, "year > 2019")
    assert json.loads(done.stdout) == wanted.as_record()


def test_texts_are_added(folders, tmp_path):
    shutil.copytree(folders / "many", tmp_path / "many")
    more = tmp_path / "more.csv"
    more.write_text("text,year\na new cat,2024\n")
    added = fuzzbow_command("index", "add", tmp_path / "many", more, "--json")
    assert json.loads(added.stdout) == {"added": 1, "texts": 5, "without_text": 0}


def test_ray_needs_shards(folders):
    opening = open_any(folders / "one", fuzzbow.load(purpose="passages"), Hosting(ray="local"))
    with pytest.raises(InputError, match="need an index of shards"), opening:
        pass


def test_a_cluster_that_is_none_is_refused(folders):
    said = fuzzbow_command("serve", "--cluster", folders / "one", check=2)
    assert "index of shards" in said.stderr


def test_the_server_searches_and_changes_shards(folders):
    with open_sharded_index(folders / "many") as index:
        one = fuzzbow.open_index(folders / "one")
        with TestClient(create_app(index.model, index), base_url="http://127.0.0.1") as client:
            asked = {"query": "a cat", "k": 3, "explain": True}
            hits = client.post("/v1/search", json=asked).json()["hits"]
            assert [hit["score"] for hit in hits] == one.search("a cat", 3).scores.tolist()
            added = client.post("/v1/documents", json={"documents": [{"text": "zebra crossing"}]})
            assert added.status_code in (200, 201), added.text
            name = added.json()["ids"][0]
            asked = {"query": "zebra crossing", "k": 1}
            assert client.post("/v1/search", json=asked).json()["hits"][0]["id"] == name
            assert client.delete(f"/v1/documents/{name}").status_code == 200
