"""Shards in processes and in actors of Ray: equal to one index, also where one is lost."""

from __future__ import annotations

import os
import signal
import time

import pyarrow as pa
import pytest

import fuzzbow
from fuzzbow.cluster import ProcessWorkers
from fuzzbow.cluster.search import (
    ShardedIndex,
    ShardLostError,
    build_sharded_index,
    open_sharded_index,
)
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
def opened(source, passages):
    """Three shards in two processes, each shard in both."""
    with open_sharded_index(source, passages, workers=2, replicas=2) as index:
        yield index


def found(index, queries=QUERIES, k=15):
    """Ids and scores of all hits."""
    return [(hits.ids, hits.scores.tolist()) for hits in index.search(queries, k)]


def processes_of(index: ShardedIndex) -> list[int]:
    """The processes that the shards are open in."""
    placement = index._placement
    return [slot._host.call("process") for slot in placement._slots if slot._host is not None]


def test_shards_in_processes_find_what_one_index_finds(opened, passages):
    assert found(opened) == found(passages.index(TEXTS))


def test_a_killed_process_is_replaced_and_its_question_answered(opened, passages):
    before = processes_of(opened)
    os.kill(before[0], signal.SIGKILL)
    assert found(opened) == found(opened) == found(passages.index(TEXTS))
    assert len(set(processes_of(opened)) - set(before)) == 1


def test_a_change_whose_process_is_lost_after_it_was_made_is_made_once(opened, passages):
    one = passages.index(TEXTS)
    shard, group = opened._card.shards[-1], opened._placement._group_of(opened._view, 2)
    slot = opened._placement._home(group.number)[0]
    # the change is made, and its process lost before anybody hears of it
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


@pytest.mark.parametrize("workers", [None, 2])
def test_a_host_searches_all_its_shards_at_once(workers, source, passages, monkeypatch):
    asked = []
    call = Slot.call

    def noted(slot, view, group, method, *arguments):
        asked.append((method, len(group.shards)))
        return call(slot, view, group, method, *arguments)

    with open_sharded_index(source, passages, workers=workers) as index:
        monkeypatch.setattr(Slot, "call", noted)
        index.search(QUERIES)
    shards = [3] if workers is None else [1, 2]
    assert sorted(asked) == [("search", held) for held in shards]


def test_an_error_of_a_shard_is_that_of_one_index(opened):
    with pytest.raises(fuzzbow.InputError, match="where"):
        opened.search("a cat", where="no such thing")


def test_workers_make_the_same_shards(passages, tmp_path):
    with ProcessWorkers(2) as workers:
        build_sharded_index(passages, TEXTS, path=tmp_path / "s", shards=4, workers=workers)
    with open_sharded_index(tmp_path / "s", passages) as index:
        assert found(index) == found(passages.index(TEXTS))
        assert [shard.texts for shard in index._card.shards] == [15, 15, 15, 15]


def test_actors_of_ray_find_the_same_also_when_one_is_killed(source, passages, ray_workers):
    with open_sharded_index(source, passages, ray="local") as index:
        assert found(index) == found(passages.index(TEXTS))
        os.kill(processes_of(index)[1], signal.SIGKILL)
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
    with ProcessWorkers(2) as workers:
        build_sharded_index(model, some, path=tmp_path / "s", shards=5, workers=workers)
    queries = [*some[:: len(some) // 500], "", "qqqq"]
    with open_sharded_index(tmp_path / "s", model, workers=2) as index:
        assert found(index, queries[:1]) == found(one, queries[:1])
        for searched in (one, index):
            start = time.perf_counter()
            searched.search(queries, k=10)
            print(purpose, len(some), type(searched).__name__, time.perf_counter() - start)
        assert found(index, queries, 100) == found(one, queries, 100)
        os.kill(processes_of(index)[0], signal.SIGKILL)
        assert found(index, queries, 10) == found(one, queries, 10)
