"""`--shards` and `--ray`: the same files as without them, also after a kill."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from starlette.testclient import TestClient

import fuzzbow
from fuzzbow.cli.search import SMALLEST_SCORE
from fuzzbow.errors import InputError
from fuzzbow.server import create_app
from tests.command import COMMAND, child, commands, fuzzbow_command, invoked
from tests.hostile.scale import steps
from tests.pipeline.conftest import SLOW


@pytest.fixture(scope="module")
def table(texts, tmp_path_factory):
    """Rows with texts, some of which are missing, and another column."""
    some = texts[: steps(600, 20_000)]
    path = tmp_path_factory.mktemp("rows") / "in.parquet"
    columns = {"text": some, "other": some[1:] + some[:1], "number": list(range(len(some)))}
    pq.write_table(pa.table(columns), path)
    return path


def outputs(out):
    """What a command wrote; the folder of parts must be gone."""
    assert not out.with_name(f"{out.name}.parts").exists()
    return [path.read_bytes() for path in sorted(out.parent.glob(f"{out.stem}*"))]


@pytest.fixture(scope="module")
def alone(table, tmp_path_factory):
    """Return what the commands write without shards."""
    found = {}
    for name in ("score", "dedupe", "join"):
        out = tmp_path_factory.mktemp("alone") / "out.csv"
        invoked(*commands(table, out)[name])
        found[name] = outputs(out)
    return found


@pytest.mark.parametrize("name", ["score", "dedupe", "join"])
def test_shards_write_what_the_whole_writes(name, table, alone, tmp_path):
    out = tmp_path / "out.csv"
    done = invoked(*commands(table, out)[name], "--shards", 3)
    assert outputs(out) == alone[name]
    assert re.search(r"\d+ tasks: 0 finished before, \d+ done now", done.stderr)
    if name == "score":  # whose parts are Parquet, too
        one, many = tmp_path / "one.parquet", tmp_path / "many.parquet"
        invoked(*commands(table, one)["score"])
        invoked(*commands(table, many)["score"], "--shards", 2)
        assert pq.read_table(many).equals(pq.read_table(one))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_an_interrupted_run_resumes(number, table, alone, tmp_path):
    out = tmp_path / "out.csv"
    arguments = [*commands(table, out)["dedupe"], "--shards", 6]
    parts = tmp_path / "out.csv.parts" / "pairs"
    with child([COMMAND, *arguments], stderr=subprocess.PIPE) as process:
        until = time.monotonic() + 100
        while len(list(parts.glob(".*.json"))) < 3 and time.monotonic() < until:
            time.sleep(0.01)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    assert process.returncode == (130 if number is signal.SIGINT else -number)
    assert ("resumes from there" in said) == (number is signal.SIGINT)
    finished = len(list(parts.glob(".*.json")))
    done = fuzzbow_command(*arguments)
    assert outputs(out) == alone["dedupe"]
    tasks, before, now = map(
        int, re.search(r"(\d+) tasks: (\d+) finished before, (\d+) done now", done.stderr).groups()
    )
    assert tasks == 6 + 21  # strings of each shard, and tiles of every two
    assert before == 6 + finished
    assert now == tasks - before > 0


@pytest.mark.heavy
@pytest.mark.skipif(not SLOW, reason="takes a while: a cluster of Ray for each command")
def test_ray_writes_what_the_whole_writes(table, alone, tmp_path):
    pytest.importorskip("ray")
    out = tmp_path / "out.csv"
    options = ["--ray", "local", "--shards", 2]
    fuzzbow_command(*commands(table, out)["dedupe"], *options)
    assert outputs(out) == alone["dedupe"]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("score {table} -l text -r other", "--shards and --ray need --output"),
        ("score - -l a -r b -o out.csv", "a resumed run could not read stdin again"),
        ("join {table} {table} --on text -o out.csv --one-to-one", "neither --one-to-one nor"),
    ],
)
def test_what_shards_cannot_do_is_refused(command, message, table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = command.format(table=table).split()
    done = invoked(*words, "--shards", 2, check=2, input="a,b\na cat,a dog\n")
    assert message in done.stderr


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
    made = invoked("index", table, "-o", folder / "many", "--shards", 2)
    assert "4 texts indexed in 2 shards" in made.stderr
    return folder


def test_search_prints_what_one_index_finds_and_texts_are_added(folders, tmp_path):
    options = ("--where", "year > 2019", "--json")
    done = invoked("search", folders / "many", "a cat", *options)
    wanted = fuzzbow.open_index(folders / "one").search("a cat", 10, SMALLEST_SCORE, "year > 2019")
    assert json.loads(done.stdout) == wanted.as_record()
    shutil.copytree(folders / "many", tmp_path / "many")
    more = tmp_path / "more.csv"
    more.write_text("text,year\na new cat,2024\n")
    added = invoked("index", "add", tmp_path / "many", more, "--json")
    assert json.loads(added.stdout) == {"added": 1, "texts": 5, "without_text": 0}


def test_ray_and_replicas_need_shards(folders):
    with pytest.raises(InputError, match="need an index of shards"):
        fuzzbow.open_index(folders / "one", ray="local")
    said = invoked("serve", "--index", folders / "one", "--replicas", 2, check=2)
    assert "need an index of shards" in said.stderr


def test_the_server_searches_and_changes_shards(folders):
    with fuzzbow.open_index(folders / "many") as index:
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
