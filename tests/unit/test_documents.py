"""What the README and the documentation show is what happens."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.documents import Session, blocks_of, commands_of, write_samples
from tools.run_notebook import executed

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
DOCUMENTS = [README, *sorted((ROOT / "docs").rglob("*.md"))]
SHOWING = [path for path in DOCUMENTS if blocks_of(path)]


@pytest.mark.parametrize("path", SHOWING, ids=lambda path: path.name)
def test_snippets_run_and_print_what_is_shown(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert Session(path, tmp_path, write_samples(tmp_path)).run() > 0


def test_commands_are_told_from_their_output():
    code = "$ one \\\n  two\nfirst\nsecond\n$ three\n"
    assert list(commands_of(code)) == [("one    two", "first\nsecond\n"), ("three", "")]


@pytest.mark.parametrize(
    "snippet",
    [
        "```python\n>>> 1 + 1\n3\n```\n",
        "```python\nassert 1 > 2\n```\n",
        "```console\n$ echo one\ntwo\n```\n",
        "```console\n$ false\n```\n",
        "```console\n$ fuzzbow sts run --no-such-option\n```\n",
    ],
)
def test_a_snippet_that_is_not_true_is_noticed(snippet, tmp_path):
    path = tmp_path / "page.md"
    path.write_text(snippet)
    with pytest.raises(Exception, match=r"Failed example|^$|shown|No such option|false"):
        Session(path, tmp_path).run()


def test_every_page_is_in_the_navigation():
    listed = (ROOT / "mkdocs.yml").read_text("utf-8")
    for path in DOCUMENTS[1:]:
        assert f": {path.relative_to(ROOT / 'docs').as_posix()}\n" in listed


def test_the_notebook_shows_what_its_cells_give():
    notebook = json.loads((ROOT / "examples" / "explain.ipynb").read_text("utf-8"))
    shown = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert "<figure" in "".join(shown[0][0]["data"]["text/html"])
    assert executed(notebook) == notebook


def test_quality_in_the_readme_is_that_of_the_benchmark():
    results = README.parent / "benchmarks" / "results" / "distil_variants.json"
    data = json.loads(results.read_text("utf-8"))
    read = data["sts12_16_was_read_for"][data["chosen"]]
    ours, dynamax = read["weighted-jaccard raw"], read["dynamax-jaccard raw"]
    text = " ".join(README.read_text("utf-8").split())
    assert f"{ours:.1f} for `weighted-jaccard`, {dynamax:.1f} for `dynamax-jaccard`" in text
