"""Shards in this process and in Ray actors: equal to one index, also after an actor is lost."""

from __future__ import annotations

import os
import signal
import time

import pytest

import fuzzbow
from fuzzbow.index.sharded_store import read_manifest
from fuzzbow.pipeline.executor import THIS_PROCESS
from fuzzbow.pipeline.indexing import build_sharded_index
from tests.pipeline.conftest import SLOW

WORDS = ["a", "cat", "dog", "house", "plane", "runs", "flew", "over", "the", "old", "new", "12"]
WORDS += ["zyx", "blue", "river"]
TEXTS = [f"{WORDS[n % 15]} {WORDS[n * 7 % 13]} {WORDS[n * 5 % 11]} {n % 4}" for n in range(60)]
QUERIES = ["an old cat", "blue house 3", "", "zyxw"]


@pytest.fixture(scope="module")
def passages():
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
    with fuzzbow.open_index(source, passages, ray="local", replicas=2) as index:
        yield index


def found(index, queries=QUERIES, k=15):
    """Ids and scores of all hits."""
    return [(hits.ids, hits.scores.tolist()) for hits in index.search(queries, k)]


def processes_of(index):
    """The processes of the actors that are searched next."""
    return index._placement.ask(lambda actor, shard: actor.process.remote(shard))


def test_shards_in_actors_find_what_one_index_finds(opened, passages):
    assert found(opened) == found(passages.index(TEXTS))


def test_a_killed_actor_is_restarted_and_its_call_repeated(opened, passages):
    before = [*processes_of(opened), *processes_of(opened)]
    assert len(set(before)) == 6
    for process in before[:4]:
        os.kill(process, signal.SIGKILL)
    assert found(opened) == found(opened) == found(passages.index(TEXTS))
    after = [*processes_of(opened), *processes_of(opened)]
    assert len({*before} & {*after}) == 2


def test_actors_follow_changes(opened, passages):
    one = passages.index(TEXTS)
    assert opened.add(["a new cat"]) == one.add(["a new cat"])
    os.kill(processes_of(opened)[-1], signal.SIGKILL)
    assert found(opened) == found(opened) == found(one)
    assert opened.delete([60, 5]) == one.delete([60, 5])
    assert found(opened) == found(one)
    assert opened.upsert([TEXTS[5]], [5]) == one.upsert([TEXTS[5]], [5]) == 0
    assert found(opened) == found(one)


def test_an_error_of_a_shard_is_that_of_one_index(opened):
    with pytest.raises(fuzzbow.InputError, match="where"):
        opened.search("a cat", where="no such thing")


def test_ray_builds_the_same_shards(passages, tmp_path, ray_executor):
    for name, executor in (("here", THIS_PROCESS), ("ray", ray_executor)):
        build_sharded_index(passages, TEXTS, path=tmp_path / name, shards=4, executor=executor)
    here, there = (read_manifest(tmp_path / name).shards for name in ("here", "ray"))
    assert there == here
    assert [shard.texts for shard in here] == [15, 15, 15, 15]
    with fuzzbow.open_index(tmp_path / "ray", passages) as index:
        assert found(index) == found(passages.index(TEXTS))


@pytest.mark.heavy
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
        with fuzzbow.open_index(source, passages, ray=cluster.address) as index:
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
    with fuzzbow.open_index(tmp_path / "s", model) as index:
        assert found(index, queries[:1]) == found(one, queries[:1])
        for searched in (one, index):
            start = time.perf_counter()
            searched.search(queries, k=10)
            print(purpose, len(some), type(searched).__name__, time.perf_counter() - start)
        assert found(index, queries, 100) == found(one, queries, 100)
