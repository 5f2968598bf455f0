"""A folder to run commands in."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory of a test, empty."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
