"""An index of shards in an object store: in this process, in processes, by commands, served."""

from __future__ import annotations

import json
import os
import signal

import httpx
import pytest

import fuzzbow
from fuzzbow.cli.search import SMALLEST_SCORE
from fuzzbow.errors import InputError, LockedError
from fuzzbow.index import sharded_store
from fuzzbow.index.sharded_store import read_manifest
from fuzzbow.pipeline import indexing, open_executor
from fuzzbow.pipeline.indexing import build_sharded_index
from tests.command import fuzzbow_command
from tests.objects.conftest import found
from tests.pipeline.test_sharded_hosts import processes_of
from tests.unit.server.conftest import servers

WORDS = ["a", "cat", "dog", "house", "plane", "runs", "flew", "over", "the", "old"]
TEXTS = [f"{WORDS[n % 10]} {WORDS[n * 7 % 9]} {n % 4}" for n in range(12)]


@pytest.fixture(scope="module")
def passages() -> fuzzbow.Model:
    """A model whose words weigh by the collection."""
    return fuzzbow.load(purpose="passages", limit=2000)


@pytest.fixture
def built(passages, address, options):
    """The address of three shards."""
    build_sharded_index(
        passages, TEXTS, path=address, shards=3, shard_texts=5, storage_options=options
    )
    return address


@pytest.fixture
def open_built(built, passages, options):
    """Opens them."""
    return lambda **more: fuzzbow.open_index(built, passages, storage_options=options, **more)


def test_changes_are_those_of_one_index(open_built, passages):
    one = passages.index(TEXTS)
    with open_built() as index:
        assert found(index) == found(one)
        for changed in (index, one):
            changed.delete([0, 5, 11])
            assert changed.add(["a new cat"]) == [12]  # to the last shard
            assert changed.add(TEXTS[:7]) == list(range(13, 20))  # to new ones
            changed.compact(keep_versions=1)
        assert found(index) == found(one)
        assert len(read_manifest(index.path).shards) == 5
        assert index.info()["disk_bytes"] > 1000
        assert index.get(12) == one.get(12)
    with open_built(read_only=True) as index:
        assert found(index) == found(one)
        assert index.ids == one.ids


@pytest.mark.heavy
def test_actors_of_ray_need_no_disk_also_when_one_is_killed(address, options, passages):
    pytest.importorskip("ray")
    one = passages.index(TEXTS)
    with open_executor("local") as executor:
        build_sharded_index(
            passages, TEXTS, path=address, shards=3, executor=executor, storage_options=options
        )
    with fuzzbow.open_index(address, passages, ray="local", storage_options=options) as index:
        assert found(index) == found(one)
        os.kill(processes_of(index)[0], signal.SIGKILL)
        assert index.add(["a new cat"]) == one.add(["a new cat"])
        assert found(index) == found(one)


def test_a_build_that_was_interrupted_goes_on(passages, address, options, monkeypatch, open_built):
    made, make = [], indexing.build_shard

    def stopped(task):
        if len(made) == 2:
            raise KeyboardInterrupt
        made.append(task[0])
        return make(task)

    target = f"{address}-2"
    given = {"path": target, "shards": 3, "storage_options": options}
    monkeypatch.setattr(indexing, "build_shard", stopped)
    with pytest.raises(KeyboardInterrupt):
        build_sharded_index(passages, TEXTS, **given)
    assert not sharded_store.is_sharded(fuzzbow.index.location_of(target, options))
    monkeypatch.setattr(indexing, "build_shard", make)
    tasks = []
    monkeypatch.setattr(
        indexing, "build_shard", lambda task: (tasks.append(task[4]), make(task))[1]
    )
    build_sharded_index(passages, TEXTS, **given)
    assert tasks == [True, True, False]
    with fuzzbow.open_index(target, passages, storage_options=options) as index:
        assert found(index) == found(passages.index(TEXTS))
        assert list(index.path.glob("staged-*")) == []


@pytest.mark.parametrize("shards", ["the last", "new ones"])
def test_a_slow_writer_that_was_overtaken_changes_nothing(open_built, monkeypatch, shards):
    replace, went = sharded_store.write_manifest, []
    new = ["slow"] if shards == "the last" else ["slow"] * 7
    with open_built() as slow, open_built() as fast:

        def overtaken(*arguments):
            if not went:
                went.append(1)
                fast.add(["fast"])
            return replace(*arguments)

        monkeypatch.setattr(sharded_store, "write_manifest", overtaken)
        with pytest.raises(LockedError, match="another process"):
            slow.add(new)
        monkeypatch.undo()
        with open_built() as opened:
            assert opened.ids == list(range(13))
            assert opened.get(12)["text"] == "fast"
        assert slow.add(["again"]) == [13]
        with open_built() as opened:
            assert found(opened) == found(slow)
            known = {shard.name for shard in read_manifest(opened.path).shards}
            assert {path.name for path in opened.path.glob("shard-*")} == known


def test_commands_take_addresses(tmp_path, address, variables, environment):
    rows = [("a cat on a mat", 2019), ("the old dog", 2020), ("planes fly", 2021), ("a cat", 2022)]
    table, more, many = tmp_path / "rows.csv", tmp_path / "more.csv", f"{address}-many"
    table.write_text("text,year\n" + "".join(f"{text},{year}\n" for text, year in rows))
    more.write_text("text,year\na new cat,2024\n")
    said = ""

    def command(*arguments, **options) -> str:
        nonlocal said
        done = fuzzbow_command(*arguments, variables=variables, **options)
        said += done.stdout + done.stderr
        return done.stdout

    command("index", table, "-o", address)
    command("index", table, "-o", many, "--shards", 2)
    assert f"4 texts indexed in {address}" in said
    assert f"4 texts indexed in 2 shards in {many}" in said
    command("index", "add", address, more)
    command("index", "delete", many, 0)
    one = fuzzbow.load(purpose="passages").index(
        [text for text, _ in rows], metadata={"year": [year for _, year in rows]}
    )
    one.delete([0])
    found = json.loads(command("search", many, "a cat", "--where", "year > 2019", "--json"))
    assert found == one.search("a cat", 10, SMALLEST_SCORE, "year > 2019").as_record()
    facts = json.loads(command("index", "info", address, "--json"))
    assert (facts["path"], facts["texts"]) == (address, 5)
    command("index", table, "-o", address, "--overwrite", check=2)
    assert f"'{address}' cannot be replaced" in said
    assert "a-secret" not in said


def test_the_server_serves_addresses(environment, built, passages):
    wanted = passages.index(TEXTS).search("a cat", 3).scores.tolist()
    with servers() as start:
        server = start("--index", built)

        def post(route: str, body: dict) -> httpx.Response:
            return httpx.post(f"{server.url}/v1/{route}", json=body, timeout=60)

        hits = post("search", {"query": "a cat", "k": 3}).json()["hits"]
        assert [hit["score"] for hit in hits] == wanted
        assert post("documents", {"documents": [{"text": "zebra"}]}).json()["ids"] == [12]
        refused = post("documents", {"documents": [{"text": "x", "id": "y"}]})
        assert refused.status_code >= 400
        assert "s3://" not in refused.text
        server.end()


def test_a_new_index_does_not_replace_shards(built, options, passages):
    with pytest.raises(InputError, match="already exists"):
        passages.index(TEXTS, path=built, storage_options=options)
