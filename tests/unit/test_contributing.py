"""The map in CONTRIBUTING.md, the check of prose, plurals and the notebook in the documentation."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

import fuzzbow
from fuzzbow import notebook
from fuzzbow.plurals import counted, plural

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


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/reliability.md"])
def test_named_files_exist(page):
    """Recipes and the table of attacks name modules, folders and tests."""
    text = re.sub(r"```.*?```", "", (ROOT / page).read_text("utf-8"), flags=re.DOTALL)
    named = re.findall(r"`([\w./-]+\.(?:py|cpp|hpp|inl)|tests/[\w./-]+)`", text)
    folders = [ROOT, ROOT / "src", ROOT / "src" / "fuzzbow", ROOT / "tests"]
    missing = [
        name
        for name in named
        if not any((folder / name).exists() for folder in folders)
        and ("/" in name or not any(ROOT.glob(f"[!.]*/**/{name}")))
    ]
    assert missing == []


def test_a_page_without_marks_is_refused():
    with pytest.raises(ValueError, match="must have the lines"):
        contributing_map.with_map("# Contributing\n", "| layer |\n")


check_prose = SimpleNamespace(**runpy.run_path(str(ROOT / "tools" / "check_prose.py")))


@pytest.mark.parametrize(
    ("opening", "is_found"),
    [
        ("The same for many.", True),
        ("What it holds.", True),
        ("Whether it is a file.", True),
        ("It is a list.", True),
        ("How long.", True),
        ("Return texts.", False),
        ("Items of a list.", False),
        ("Thatched roofs.", False),
    ],
)
def test_openings_by_pronouns_and_questions_are_found(opening, is_found):
    source = f'"""Texts."""\n\n\ndef run():\n    """{opening}"""\n'
    assert list(check_prose.openings(source)) == [(5, opening)] * is_found


def test_findings_are_counted_by_package_and_may_only_fall():
    files = ("cli/main.py", "cli/console.py", "atomic.py")
    found = [(check_prose.SOURCE / file, 1, "What it holds.") for file in files]
    assert check_prose.by_package(found) == {"cli": 2, "fuzzbow": 1}
    allowed = {"cli": 2, "text": 1}
    assert check_prose.risen({"cli": 2}, allowed) == []
    assert check_prose.risen({"cli": 3, "new": 1}, allowed) == ["cli", "new"]


NOUNS = "pair row group word text file hit shard query subtask task field version number second"
# a number written into a plural, such as {count} rows, without `counted`; not a {CONSTANT}
FIXED = re.compile(r"\{(?![A-Z_]+\})[^{}]+\} (" + "|".join(map(plural, NOUNS.split())) + r")\b")
# with numbers that are never 1, or an identity that is no message
ALLOWED = {
    "cli/options.py",
    "measures/words/base.py",
    "explain/fragment.py",
    "vectors/formats/fasttext_binary.py",
    "vectors/formats/text_blocks.py",
}


@pytest.mark.parametrize("number", [0, 1, 2, 1.0, 1.5])
def test_only_one_is_singular(number):
    assert counted(number, "row") == f"{number} {'row' if number == 1 else 'rows'}"


def test_messages_count_with_nouns_that_agree():
    source = Path(fuzzbow.__file__).parent
    found = [
        f"{path.relative_to(source)}: {match[0]}"
        for path in source.rglob("*.py")
        if path.relative_to(source).as_posix() not in ALLOWED
        for match in FIXED.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []


HOSTILE = "<script>alert('&')</script> a cat"


@pytest.fixture(scope="module")
def found():
    return fuzzbow.load().duplicates([HOSTILE, HOSTILE, *["a dog sat on a mat " * 9] * 40])


def test_texts_are_escaped_and_cut(found):
    shown = found._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;alert(&#x27;&amp;&#x27;)&lt;/script&gt; a cat" in shown
    assert max(map(len, shown.split("<td>")[1:])) < 2 * notebook.TEXT_WIDTH


def test_the_best_pairs_are_shown(found):
    for shown in (found._repr_html_(), found.pairs._repr_html_()):
        assert shown.count("<tr>") == 1 + notebook.SHOWN_ROWS
        assert f"the best {notebook.SHOWN_ROWS}</caption>" in shown
    best = found.pairs.best(5)
    pairs = list(zip(best.left.tolist(), best.right.tolist(), strict=True))
    assert pairs == [(0, 1), *((2, n) for n in range(3, 7))]


def test_a_table_shows_the_texts_of_both_sides_or_no_rows():
    shown = fuzzbow.load().duplicates(["a cat"], others=["a bus", "a cat"])._repr_html_()
    assert "<td>0</td><td>a cat</td><td>1</td><td>a cat</td>" in shown
    assert fuzzbow.load().duplicates(["a cat", "trains"])._repr_html_().count("<tr>") == 1
