"""A machine of a Ray cluster that is lost in the middle of a job; FUZZBOW_SLOW=1 runs it."""

from __future__ import annotations

import os
from threading import Thread
from time import monotonic, sleep

import pytest

from tests.pipeline.conftest import SHARDS
from tests.pipeline.tasks import dedupe
from tests.pipeline.test_results import assert_same, one_process, parquet


@pytest.mark.skipif(os.environ.get("FUZZBOW_SLOW") != "1", reason="starts four Ray nodes")
def test_a_lost_node_changes_nothing(model, texts, tmp_path):
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    from fuzzbow.pipeline.executor import RayExecutor

    some = texts[:50_000]
    file = parquet(tmp_path / "in.parquet", text=some)
    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    lost = nodes.add_node(num_cpus=1)
    nodes.add_node(num_cpus=1)
    pairs = tmp_path / "run" / "pairs"

    def lose():
        until = monotonic() + 300
        while len(list(pairs.glob("*.parquet"))) < 2 and monotonic() < until:
            sleep(0.02)
        nodes.remove_node(lost, allow_graceful=False)

    try:
        with RayExecutor(nodes.address) as executor:
            nodes.wait_for_nodes()
            loser = Thread(target=lose)
            loser.start()
            many = dedupe(file, tmp_path / "run", threshold=0.8, shards=SHARDS, executor=executor)
            loser.join()
            assert len([node for node in executor.ray.nodes() if node["Alive"]]) == 2
    finally:
        nodes.shutdown()
    assert_same(one_process(model, some, threshold=0.8), many)
