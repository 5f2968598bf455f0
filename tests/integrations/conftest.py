"""Models that the tests of all integrations use."""

from __future__ import annotations

import pytest

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
