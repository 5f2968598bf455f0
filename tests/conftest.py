"""Fixtures that several test modules use, and the guard that tests on data really ran."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import numpy as np
import pytest

from fuzzbow import WordVectors

# marker of tests that need data which are no part of the project -> what these are; the
# variable FUZZBOW_<MARKER> names their folder, and FUZZBOW_REQUIRE_<MARKER>=1 insists on them
DATA = {
    "sts": "the SemEval data, a folder with raw/ and tokenized/",
    "retrieval": "retrieval sets, a folder of folders in BEIR layout",
    "matching": "matching sets, a folder of tables with left, right and label",
    "languages": "sentences in other languages, a folder of stsb-<code>-dev.csv",
}
# without a GPU Triton's kernels run in its interpreter, which is chosen before the first import
if not Path("/dev/nvidiactl").exists():
    os.environ.setdefault("TRITON_INTERPRET", "1")

OUTCOMES: dict[str, list[str]] = {name: [] for name in DATA}

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


def pytest_configure(config: pytest.Config) -> None:
    """Toy vectors know few words, and say so in every batch; other warnings are errors."""
    config.addinivalue_line("filterwarnings", "ignore::fuzzbow.errors.LanguageWarning")


def pytest_runtest_setup(item: pytest.Item) -> None:
    for name in _needs(item):
        if not os.environ.get(f"FUZZBOW_{name.upper()}"):
            pytest.skip(f"needs {DATA[name]}: set FUZZBOW_{name.upper()}")


def _needs(item: pytest.Item) -> list[str]:
    return [name for name in DATA if item.get_closest_marker(name)]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    outcome = yield
    outcome.get_result().needs_data = _needs(item)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    # where workers run the tests, their reports come here too
    if report.when == "call" or report.skipped:
        for name in report.needs_data:
            OUTCOMES[name].append(report.outcome)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workerinput"):
        return
    for name, outcomes in OUTCOMES.items():
        variable = f"FUZZBOW_REQUIRE_{name.upper()}"
        if os.environ.get(variable) and (not outcomes or "skipped" in outcomes):
            print(f"\n{variable} is set, but tests that need {DATA[name]} did not run")
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def sts_folder() -> Path:
    """The SemEval data, with raw/ and tokenized/."""
    return Path(os.environ["FUZZBOW_STS"])


@pytest.fixture(scope="session")
def retrieval_folder() -> Path:
    """Retrieval sets for development."""
    return Path(os.environ["FUZZBOW_RETRIEVAL"])


@pytest.fixture(scope="session")
def matching_folder() -> Path:
    """Matching sets for development."""
    return Path(os.environ["FUZZBOW_MATCHING"])


@pytest.fixture(scope="session")
def languages_folder() -> Path:
    """Sentences in other languages."""
    return Path(os.environ["FUZZBOW_LANGUAGES"])


@pytest.fixture(scope="session")
def pets() -> WordVectors:
    """Nine words on three loose themes, in frequency order."""
    words = ["a", "he", "she", "has", "had", "cat", "dog", "plane", "flew"]
    random = np.random.default_rng(7)
    themes = random.standard_normal((3, 4))
    vectors = themes[[0, 0, 0, 0, 0, 1, 1, 2, 2]] + 0.4 * random.standard_normal((9, 4))
    return WordVectors.from_words(words, vectors.astype(np.float32), name="pets")
