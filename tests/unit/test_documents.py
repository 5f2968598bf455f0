"""What the README and the documentation show is what happens."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from benchmarks import page
from benchmarks.markdown import inserted
from fuzzbow.errors import MissingExtraError
from fuzzbow.model.purposes import PURPOSES
from tests.documents import Session, blocks_of, commands_of, write_samples
from tests.objects.server import object_store
from tools.run_notebook import executed

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
DOCUMENTS = [README, *sorted((ROOT / "docs").rglob("*.md"))]
MADE = {  # pages of the site that are copies of other files
    ROOT / "docs" / "benchmarks.md": ROOT / "benchmarks" / "README.md",
    ROOT / "docs" / "changelog.md": ROOT / "CHANGELOG.md",
}
HEAVY = {"mteb.md", "sentence-transformers.md", "spacy.md", "torch.md"}  # by libraries they import
SHOWING = [
    pytest.param(path, id=path.name, marks=pytest.mark.heavy if path.name in HEAVY else ())
    for path in DOCUMENTS
    if blocks_of(path)
]


@pytest.mark.parametrize("path", SHOWING)
def test_snippets_run_and_print_what_is_shown(path, samples, tmp_path, monkeypatch, request):
    monkeypatch.chdir(tmp_path)
    folder, names = samples
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    if path.name == "object-storage.md":
        request.getfixturevalue("in_object_store")
    try:
        assert Session(path, tmp_path, dict(names)).run() > 0
    except MissingExtraError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    """Folder of the files that pages read, and the objects that they name."""
    folder = tmp_path_factory.mktemp("samples")
    return folder, write_samples(folder)


@pytest.fixture
def in_object_store(monkeypatch):
    """A server of this machine with the bucket that the page shows."""
    pytest.importorskip("moto", reason="needs moto[server]")
    with object_store() as variables:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        yield


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


def _anchors(path: Path) -> set[str]:
    """What headings can be linked by, on the site and on GitHub."""
    headings = re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_between_pages_of_the_navigation_lead_somewhere(path):
    prose = re.sub(r"^```.*?^```", "", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", prose):
        place, _, anchor = link.partition("#")
        target = (path.parent / place).resolve() if place else path
        target = MADE.get(target, target)
        if link.startswith("http") or target.is_relative_to(ROOT / "docs" / "pictures"):
            continue
        assert target.exists() or target.name == "command-line.md", link
        assert not anchor or anchor in _anchors(target), link


def test_the_notebook_shows_what_its_cells_give():
    notebook = json.loads((ROOT / "examples" / "explain.ipynb").read_text("utf-8"))
    shown = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert "<figure" in "".join(shown[0][0]["data"]["text/html"])
    assert executed(notebook) == notebook


def test_quality_in_the_readme_is_that_of_the_benchmark():
    read = _result("default_quality")["default"]
    ours, dynamax = (
        read[f"{name}, raw"]["mean"] for name in ("weighted-jaccard", "dynamax-jaccard")
    )
    text = " ".join(README.read_text("utf-8").split())
    assert f"{ours:.1f} for `weighted-jaccard`, {dynamax:.1f} for `dynamax-jaccard`" in text


def _result(name: str) -> dict:
    return json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text("utf-8"))


@pytest.mark.parametrize("place", page.DOCUMENTS, ids=lambda place: place[1])
def test_parts_of_documents_are_made_of_results(place):
    path, mark, render, names = place
    text = path.read_text("utf-8")
    assert inserted(text, mark, page.from_results(render, *names)) == text


def test_the_benchmark_page_is_made_of_results():
    assert page.PAGE.read_text("utf-8") == page.page()


def test_quality_in_compared_is_that_of_the_benchmarks():
    text = (ROOT / "docs" / "compared.md").read_text("utf-8")
    benchmarks = (ROOT / "benchmarks" / "README.md").read_text("utf-8")
    for row in (
        "70.9 ↑ | 49.6 | 40.4 ↑ | 53.2 | 74.6 | 84.3 ↑ | 88.5 ↑",
        "63.1 | 49.4 | 34.7 | 52.0 | 69.7 | 79.0 | 82.1",
    ):
        assert row in benchmarks
        assert row.replace(" ↑", "") in text


def test_thresholds_of_a_join_are_those_of_the_benchmark():
    found = _result("join_thresholds")
    page = (ROOT / "docs" / "how-to" / "join.md").read_text(encoding="utf-8")
    for purpose, threshold in found["chosen"].items():
        assert PURPOSES[purpose].join_threshold == threshold
    for name, measured in found["records"].items():
        at = {step["threshold"]: step for step in measured["at"]}[found["chosen"]["records"]]
        assert f"| {name} | {at['recall']:.3f} | {at['precision']:.3f} |" in page
