"""Where results are kept between runs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fuzzbow.errors import MissingExtraError
from fuzzbow.sts.cache import cache_folder


def test_the_variable_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FUZZBOW_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other places")
@pytest.mark.parametrize("variable", [None, "", "elsewhere"])
def test_on_linux_it_is_where_it_always_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str | None
) -> None:
    monkeypatch.delenv("FUZZBOW_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    if variable is not None:
        monkeypatch.setenv("XDG_CACHE_HOME", variable and str(tmp_path / variable))
    assert cache_folder() == tmp_path / (variable or ".cache") / "fuzzbow"


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FUZZBOW_CACHE", raising=False)
    monkeypatch.setitem(sys.modules, "platformdirs", None)
    with pytest.raises(MissingExtraError, match=r"platformdirs: pip install \"fuzzbow\[sts\]\""):
        cache_folder()
