"""Fixtures that several test modules use, and the guard that tests on data really ran."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest

import fuzzbow
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


# Their modules import libraries of the extra `heavy`, which `make test` does not install.
HEAVY = {"torch", "test_mteb.py", "test_sentence_transformers.py", "test_spacy.py", "test_nodes.py"}
HEAVY_VALUES = ("ray", "fuzzbow.torch")
HEAVY_FIXTURES = {"ray_executor", "pipeline", "spacy_package"}


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip modules that import heavy libraries where their tests would not run anyway."""
    return True if config.option.markexpr == "not heavy" and collection_path.name in HEAVY else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests whose module, fixture or parameter needs a heavy library."""
    for item in items:
        values = item.callspec.params.values() if hasattr(item, "callspec") else ()
        heavy = any(isinstance(value, str) and value.startswith(HEAVY_VALUES) for value in values)
        parts = item.path.relative_to(Path(__file__).parent).parts
        if heavy or HEAVY.intersection(parts) or HEAVY_FIXTURES.intersection(item.fixturenames):
            item.add_marker("heavy")


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


def _folder(name: str) -> Any:
    """Make a fixture: the folder of these data."""
    return pytest.fixture(lambda: Path(os.environ[f"FUZZBOW_{name}"]), scope="session")


sts_folder = _folder("STS")  # with raw/ and tokenized/
retrieval_folder = _folder("RETRIEVAL")
matching_folder = _folder("MATCHING")
languages_folder = _folder("LANGUAGES")


@pytest.fixture(scope="session")
def model() -> fuzzbow.Model:
    """Load the embedded vectors with the usual measure."""
    return fuzzbow.load()


@pytest.fixture(scope="session")
def pets() -> WordVectors:
    """Nine words on three loose themes, in frequency order."""
    words = ["a", "he", "she", "has", "had", "cat", "dog", "plane", "flew"]
    random = np.random.default_rng(7)
    themes = random.standard_normal((3, 4))
    vectors = themes[[0, 0, 0, 0, 0, 1, 1, 2, 2]] + 0.4 * random.standard_normal((9, 4))
    return WordVectors.from_words(words, vectors.astype(np.float32), name="pets")
