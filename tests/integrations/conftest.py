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


@pytest.fixture
def texts() -> list[str]:
    """Two pairs that say the same, and one text more."""
    return list(TEXTS)


@pytest.fixture
def index(model, texts) -> fuzzbow.Index:
    """Index the texts, each but the last with its year."""
    return model.index(texts, metadata={"year": [2019, 2020, 2021, 2022, None]})
