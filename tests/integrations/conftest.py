"""Models that the tests of all integrations use."""

from __future__ import annotations

import pytest

import fuzzbow

TEXTS = [
    "The cat sat on the mat",
    "Stocks fell sharply on Monday",
    "A cat sat on a mat",
    "Shares dropped sharply on Monday",
    "He plays the guitar",
]


@pytest.fixture(scope="session")
def model() -> fuzzbow.Model:
    """The embedded vectors with the usual measure."""
    return fuzzbow.load()


@pytest.fixture
def texts() -> list[str]:
    """Two pairs that say the same, and one text more."""
    return list(TEXTS)
