"""Fixtures that several test modules use, and the guard that the STS tests really ran."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import numpy as np
import pytest

from fuzzbow import WordVectors

STS_OUTCOMES: list[str] = []

# `make test-slow` asks for many examples, and for other ones each time
EXAMPLES = os.environ.get("FUZZBOW_EXAMPLES")
hypothesis.settings.register_profile(
    "fuzzbow",
    max_examples=int(EXAMPLES or 60),
    derandomize=EXAMPLES is None,
    deadline=None,
    suppress_health_check=list(hypothesis.HealthCheck),
)
hypothesis.settings.load_profile("fuzzbow")


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("sts") and not os.environ.get("FUZZBOW_STS"):
        pytest.skip("needs the SemEval data: set FUZZBOW_STS to the folder that holds raw/")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    outcome = yield
    outcome.get_result().needs_sts = item.get_closest_marker("sts") is not None


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    # where workers run the tests, their reports come here too
    if report.needs_sts and (report.when == "call" or report.skipped):
        STS_OUTCOMES.append(report.outcome)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if not os.environ.get("FUZZBOW_REQUIRE_STS") or hasattr(session.config, "workerinput"):
        return
    if not STS_OUTCOMES or "skipped" in STS_OUTCOMES:
        print("\nFUZZBOW_REQUIRE_STS is set, but tests that need the SemEval data did not run")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def sts_folder() -> Path:
    """The SemEval data, with raw/ and tokenized/."""
    return Path(os.environ["FUZZBOW_STS"])


@pytest.fixture(scope="session")
def pets() -> WordVectors:
    """Nine words on three loose themes, in frequency order."""
    words = ["a", "he", "she", "has", "had", "cat", "dog", "plane", "flew"]
    random = np.random.default_rng(7)
    themes = random.standard_normal((3, 4))
    vectors = themes[[0, 0, 0, 0, 0, 1, 1, 2, 2]] + 0.4 * random.standard_normal((9, 4))
    return WordVectors.from_words(words, vectors.astype(np.float32), name="pets")
