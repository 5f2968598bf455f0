"""Workers of either kind, and texts for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fuzzbow
from fuzzbow.cluster import ProcessWorkers, Workers
from tests.cluster.tasks import Fatal
from tests.hostile.scale import steps

SHARDS = 5
TEXTS = steps(1500, 200_000)
SLOW = bool(steps(0, 1))


@pytest.fixture(scope="package")
def ray_workers() -> Iterator[Workers]:
    """Two cores of Ray on this machine, which are busy as long as they are there."""
    pytest.importorskip("ray")
    from fuzzbow.cluster.workers.ray import RayWorkers

    with RayWorkers(count=2) as workers:
        yield workers


@pytest.fixture(scope="package")
def processes() -> Iterator[ProcessWorkers]:
    """Two processes."""
    with ProcessWorkers(2, threads=1) as workers:
        yield workers


@pytest.fixture(params=["processes", "ray_workers"])
def workers(request: pytest.FixtureRequest) -> Workers:
    """Each kind of workers."""
    return request.getfixturevalue(request.param)


class FatalWorkers(Workers):
    """Workers of which two are killed at each kind of task, one of them after its work."""

    def __init__(self, given: Workers, folder: Path) -> None:
        self.given, self.folder, self.count = given, folder, given.count
        folder.mkdir()

    def run(self, function: Callable[..., Any], tasks: Iterable[Any]) -> Iterator[Any]:
        return self.given.run(Fatal(function, str(self.folder)), tasks)

    def close(self) -> None:
        """Nothing: they are used again."""


@pytest.fixture(params=["alive", "killed"])
def workers_or_killed(request: pytest.FixtureRequest, workers: Workers, tmp_path: Path) -> Workers:
    """Each kind of workers, all of which live, or of which some are killed."""
    if request.param == "alive":
        return workers
    if not SLOW and not isinstance(workers, ProcessWorkers):
        pytest.skip("workers of Ray are killed in the slow form, and in test_workers")
    return FatalWorkers(workers, tmp_path / "killed")


@pytest.fixture(scope="session")
def model() -> fuzzbow.Model:
    """The embedded vectors with the usual measure."""
    return fuzzbow.load()


@pytest.fixture(scope="session")
def texts(model: fuzzbow.Model) -> list[str | None]:
    """Sentences with near copies, copies, details, equal scores, empty texts and missing ones."""
    chooser = np.random.default_rng(7)
    words = list(model.vectors.words[:4000])
    found: list[str | None] = []
    while len(found) < TEXTS:
        length = int(chooser.integers(4, 12))
        chosen = [words[place] for place in chooser.integers(0, len(words), length)]
        found.append(" ".join(chosen))
        if chooser.random() < 0.3:
            chosen[int(chooser.integers(0, length))] = words[int(chooser.integers(0, len(words)))]
            found.append(" ".join(chosen))
        if chooser.random() < 0.1:
            found.append(" ".join(reversed(chosen)))  # scores 1, and is no copy
        if chooser.random() < 0.1:
            found.append(found[int(chooser.integers(0, len(found)))])
        if chooser.random() < 0.05:
            found += [f"{found[-1]} 12", f"{found[-1]} 13", "", None]
    return found[:TEXTS]
