"""The check of prose in `make check`."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[2]
check_prose = SimpleNamespace(**runpy.run_path(str(ROOT / "tools" / "check_prose.py")))


@pytest.mark.parametrize(
    "opening",
    ["The same for many.", "What it holds.", "Whether it is a file.", "It is a list.", "How long."],
)
def test_openings_by_pronouns_and_questions_are_found(opening):
    source = f'"""Texts."""\n\n\ndef run():\n    """{opening}"""\n'
    assert list(check_prose.openings(source)) == [(5, opening)]


@pytest.mark.parametrize("opening", ["Return texts.", "Items of a list.", "Thatched roofs."])
def test_verbs_and_nouns_are_allowed(opening):
    assert list(check_prose.openings(f'class Texts:\n    """{opening}"""\n')) == []


def test_findings_are_counted_by_package():
    files = ("cli/main.py", "cli/console.py", "atomic.py")
    found = [(check_prose.SOURCE / file, 1, "What it holds.") for file in files]
    assert check_prose.by_package(found) == {"cli": 2, "fuzzbow": 1}


def test_numbers_may_only_fall():
    allowed = {"cli": 2, "text": 1}
    assert check_prose.risen({"cli": 2}, allowed) == []
    assert check_prose.risen({"cli": 3, "new": 1}, allowed) == ["cli", "new"]
