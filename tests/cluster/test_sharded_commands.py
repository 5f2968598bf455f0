"""Indexes of shards by the command `fuzzbow`, and behind the server."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path

import httpx
import pytest
from starlette.testclient import TestClient

import fuzzbow
from fuzzbow.cli.search import SMALLEST_SCORE
from fuzzbow.cli.shards import Hosting, open_any
from fuzzbow.cluster.search import open_sharded_index
from fuzzbow.errors import InputError
from fuzzbow.server import create_app
from tests.command import fuzzbow_command
from tests.unit.server.conftest import servers

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
    made = fuzzbow_command("index", table, "-o", folder / "many", "--shards", 2, "--workers", 2)
    assert "4 texts indexed in 2 shards" in made.stderr
    return folder


def test_search_in_processes_prints_what_one_index_finds(folders):
    options = ("--where", "year > 2019", "--workers", 2, "--json")
    done = fuzzbow_command("search", folders / "many", "a cat", *options)
    wanted = fuzzbow.open_index(folders / "one").search("a cat", 10, SMALLEST_SCORE, "year > 2019")
    assert json.loads(done.stdout) == wanted.as_record()


def test_texts_are_added(folders, tmp_path):
    shutil.copytree(folders / "many", tmp_path / "many")
    more = tmp_path / "more.csv"
    more.write_text("text,year\na new cat,2024\n")
    added = fuzzbow_command("index", "add", tmp_path / "many", more, "--json")
    assert json.loads(added.stdout) == {"added": 1, "texts": 5, "without_text": 0}


def test_processes_need_shards(folders):
    opening = open_any(folders / "one", fuzzbow.load(purpose="passages"), Hosting(workers=2))
    with pytest.raises(InputError, match="need an index of shards"), opening:
        pass


def test_a_cluster_that_is_none_is_refused(folders):
    said = fuzzbow_command("serve", "--cluster", folders / "one", check=2)
    assert "index of shards" in said.stderr


def children(process: int) -> list[int]:
    """The processes that one started, on Linux."""
    listed = [path.read_text() for path in Path(f"/proc/{process}/task").glob("*/children")]
    return [int(number) for number in " ".join(listed).split()]


@pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="needs Linux to find the processes"
)
def test_a_server_of_shards_answers_after_its_processes_are_killed(folders):
    wanted = fuzzbow.open_index(folders / "one").search("a cat", 3).scores.tolist()
    with servers() as start:
        server = start("--cluster", folders / "many", "--workers", 2)

        def scores() -> list[float]:
            asked = {"query": "a cat", "k": 3}
            answer = httpx.post(server.url + "/v1/search", json=asked, timeout=60).json()
            return [hit["score"] for hit in answer["hits"]]

        assert scores() == wanted
        hosts = [
            child for child in children(server.process.pid) if "spawn_main" in command_of(child)
        ]
        assert len(hosts) == 2
        for host in hosts:
            os.kill(host, signal.SIGKILL)
        assert scores() == wanted
        server.end()
    assert server.process.returncode == 0


def command_of(process: int) -> str:
    """The command line of a process."""
    return Path(f"/proc/{process}/cmdline").read_text()


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
