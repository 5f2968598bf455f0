"""Executors, and texts for them."""

from __future__ import annotations

import numpy as np
import pytest

import fuzzbow
from fuzzbow.pipeline import ThisProcess
from tests.hostile.scale import steps
from tests.pipeline.tasks import FatalExecutor

SHARDS = 5
TEXTS = steps(1500, 200_000)
SLOW = bool(steps(0, 1))


@pytest.fixture(scope="package")
def ray_executor():
    """Ray with two cores of this machine."""
    pytest.importorskip("ray")
    from fuzzbow.pipeline.executor import RayExecutor

    with RayExecutor(cores=2) as executor:
        yield executor


@pytest.fixture(params=["this process", "ray", "ray, killed"])
def executor(request, tmp_path):
    """Each executor, and Ray with workers that are killed."""
    if request.param == "this process":
        return ThisProcess(threads=1)
    if request.param == "ray":
        return request.getfixturevalue("ray_executor")
    if not SLOW:
        pytest.skip("FUZZBOW_SLOW=1; test_executors kills workers of Ray in any case")
    return FatalExecutor(request.getfixturevalue("ray_executor"), tmp_path / "killed")


@pytest.fixture(scope="session")
def model():
    """The embedded vectors with the usual measure."""
    return fuzzbow.load()


@pytest.fixture(scope="session")
def texts(model):
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
