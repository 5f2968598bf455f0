"""Shards in this process and in Ray actors: equal to one index, also after an actor is lost."""

from __future__ import annotations

import os
import signal
import time

import pyarrow as pa
import pytest

import fuzzbow
from fuzzbow.cluster.executors import THIS_PROCESS
from fuzzbow.cluster.search import (
    ShardedIndex,
    ShardLostError,
    build_sharded_index,
    open_sharded_index,
)
from fuzzbow.cluster.search.card import read_shards
from fuzzbow.cluster.search.hosts import HostLostError
from fuzzbow.cluster.search.placement import Slot
from fuzzbow.cluster.search.shard_host import ShardHost
from tests.cluster.conftest import SLOW

WORDS = ["a", "cat", "dog", "house", "plane", "runs", "flew", "over", "the", "old", "new", "12"]
WORDS += ["zyx", "blue", "river"]
TEXTS = [f"{WORDS[n % 15]} {WORDS[n * 7 % 13]} {WORDS[n * 5 % 11]} {n % 4}" for n in range(60)]
QUERIES = ["an old cat", "blue house 3", "", "zyxw"]


@pytest.fixture(scope="module")
def passages() -> fuzzbow.Model:
    """A model whose words weigh by the collection."""
    return fuzzbow.load(purpose="passages", limit=2000)


@pytest.fixture(scope="module")
def source(passages, tmp_path_factory):
    """The folder of a few shards."""
    folder = tmp_path_factory.mktemp("shards") / "index"
    build_sharded_index(passages, TEXTS, path=folder, shards=3)
    return folder


@pytest.fixture(scope="module")
def opened(source, passages, ray_executor):
    """Three shards in two Ray actors each."""
    with open_sharded_index(source, passages, ray="local", replicas=2) as index:
        yield index


def found(index, queries=QUERIES, k=15):
    """Ids and scores of all hits."""
    return [(hits.ids, hits.scores.tolist()) for hits in index.search(queries, k)]


def processes_of(index: ShardedIndex) -> list[int]:
    """The processes that the shards are open in."""
    placement = index._placement
    return [slot._host.call("process") for slot in placement._slots if slot._host is not None]


def test_shards_in_actors_find_what_one_index_finds(opened, passages):
    assert found(opened) == found(passages.index(TEXTS))


def test_a_killed_actor_is_replaced_and_its_call_repeated(opened, passages):
    before = processes_of(opened)
    os.kill(before[0], signal.SIGKILL)
    assert found(opened) == found(opened) == found(passages.index(TEXTS))
    assert before[0] not in processes_of(opened)


def test_a_change_whose_actor_is_lost_after_it_was_made_is_made_once(opened, passages):
    one = passages.index(TEXTS)
    shard, group = opened._card.shards[-1], opened._placement._group_of(opened._view, 2)
    slot = opened._placement._home(group.number)[0]
    # the change is made, and its actor killed before it answers
    slot._ready(opened._view, group)
    slot._host.call("delete", group.number, shard.name, shard.version, pa.array([59]))
    os.kill(slot._host.call("process"), signal.SIGKILL)
    assert opened.add(["a new cat"]) == one.add(["a new cat"])
    assert found(opened) == found(one)
    opened.delete([60])


def test_a_host_that_is_always_lost_is_an_error_that_names_the_shard(source, passages, monkeypatch):
    with open_sharded_index(source, passages) as index:

        def lose(*arguments):
            raise HostLostError("process 7 ended")

        monkeypatch.setattr(ShardHost, "search", lose)
        with pytest.raises(
            ShardLostError, match=r"shard-00000.* of .*4 hosts in a row.*process 7 ended"
        ):
            index.search("a cat")


def test_this_process_searches_all_shards_in_one_call(source, passages, monkeypatch):
    asked = []
    call = Slot.call

    def noted(slot, view, group, method, *arguments):
        asked.append((method, len(group.shards)))
        return call(slot, view, group, method, *arguments)

    with open_sharded_index(source, passages) as index:
        monkeypatch.setattr(Slot, "call", noted)
        index.search(QUERIES)
    assert asked == [("search", 3)]


def test_an_error_of_a_shard_is_that_of_one_index(opened):
    with pytest.raises(fuzzbow.InputError, match="where"):
        opened.search("a cat", where="no such thing")


def test_ray_builds_the_same_shards(passages, tmp_path, ray_executor):
    for name, executor in (("here", THIS_PROCESS), ("ray", ray_executor)):
        build_sharded_index(passages, TEXTS, path=tmp_path / name, shards=4, executor=executor)
    here, there = (read_shards(tmp_path / name).shards for name in ("here", "ray"))
    assert there == here
    assert [shard.texts for shard in here] == [15, 15, 15, 15]
    with open_sharded_index(tmp_path / "ray", passages) as index:
        assert found(index) == found(passages.index(TEXTS))


@pytest.mark.skipif(not SLOW, reason="takes half a minute; FUZZBOW_SLOW=1")
def test_the_shards_of_a_lost_machine_are_opened_on_another(source, passages):
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    if ray.is_initialized():
        ray.shutdown()
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    lost = cluster.add_node(num_cpus=4)
    try:
        ray.init(address=cluster.address, log_to_driver=False)
        with open_sharded_index(source, passages, ray=cluster.address) as index:
            assert found(index) == found(passages.index(TEXTS))
            cluster.remove_node(lost, allow_graceful=False)
            assert found(index) == found(passages.index(TEXTS))
    finally:
        ray.shutdown()
        cluster.shutdown()


@pytest.mark.skipif(not SLOW, reason="takes minutes; FUZZBOW_SLOW=1")
@pytest.mark.parametrize("purpose", ["sentences", "passages"])
def test_200_000_texts_in_5_shards(purpose, texts, tmp_path):
    model = fuzzbow.load(purpose=purpose)
    some = [text or "" for text in texts]
    one = model.index(some)
    build_sharded_index(model, some, path=tmp_path / "s", shards=5)
    queries = [*some[:: len(some) // 500], "", "qqqq"]
    with open_sharded_index(tmp_path / "s", model) as index:
        assert found(index, queries[:1]) == found(one, queries[:1])
        for searched in (one, index):
            start = time.perf_counter()
            searched.search(queries, k=10)
            print(purpose, len(some), type(searched).__name__, time.perf_counter() - start)
        assert found(index, queries, 100) == found(one, queries, 100)
