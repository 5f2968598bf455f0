"""Small files of word vectors in every format."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fuzzbow.vectors import WordVectors

from .samples import WORDS, Write


@pytest.fixture
def matrix() -> np.ndarray:
    """(5, 4) float32 with few decimals, so that text keeps it exactly."""
    generator = np.random.default_rng(3)
    return np.round(generator.normal(size=(len(WORDS), 4)), 4).astype(np.float32)


@pytest.fixture
def vectors(matrix: np.ndarray) -> WordVectors:
    return WordVectors.from_words(WORDS, matrix, counts=[50, 40, 30, 20, 10], name="small")


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes text or bytes into a file of the given name."""

    def save(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return save
