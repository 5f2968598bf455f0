"""One local Ray cluster for all tests of this folder."""

from __future__ import annotations

import pytest

from fuzzbow.cluster import Workers


@pytest.fixture(scope="session")
def ray_workers() -> Workers:
    """Two cores of Ray on this machine."""
    pytest.importorskip("ray")
    from fuzzbow.cluster.workers.ray import RayWorkers

    with RayWorkers(count=2) as workers:
        yield workers
