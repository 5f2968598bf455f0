"""CONTRIBUTING.md agrees with the code."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[2]
contributing_map = SimpleNamespace(**runpy.run_path(str(ROOT / "tools" / "contributing_map.py")))


def test_the_map_of_layers_is_that_of_the_linter():
    page = contributing_map.PAGE.read_text("utf-8")
    message = "run python tools/contributing_map.py"
    assert contributing_map.with_map(page, contributing_map.layer_map()) == page, message


def test_every_module_of_the_package_has_a_layer():
    listed = {name for layer in contributing_map.layers() for name in layer}
    package = ROOT / "src" / "fuzzbow"
    found = {path.parent.name for path in package.glob("*/__init__.py")}
    found |= {path.stem for path in package.glob("[!_]*.py")}
    assert {f"fuzzbow.{name}" for name in found - {"data"}} == listed


def test_a_page_without_marks_is_refused():
    with pytest.raises(ValueError, match="must have the lines"):
        contributing_map.with_map("# Contributing\n", "| layer |\n")
