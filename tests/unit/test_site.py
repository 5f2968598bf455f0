"""The documentation as it is built: opened from a folder, in a real browser."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.browser import open_browser, playwright

ROOT = Path(__file__).parents[2]
SEARCH, RESULT = "input[data-md-component=search-query]", ".md-search-result__item a"


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(folder)]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return folder


@pytest.fixture(scope="module")
def page(site) -> Iterator[playwright.Page]:
    with open_browser() as opened:
        yield opened.new_page()


def prose_of(path: Path) -> str:
    """What a page says, without its markup."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", path.read_text("utf-8"))).split())


def test_search_works_in_a_folder_and_nothing_is_requested_from_elsewhere(site, page):
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((site / "how-to" / "score.html").as_uri())
    page.locator(SEARCH).click()
    page.keyboard.type("linkage")
    first = page.locator(RESULT).first
    first.wait_for(timeout=30_000)
    found = (first.get_attribute("href") or "").partition("?")[0].partition("#")[0]
    assert "linkage" in Path(unquote(urlsplit(found).path)).read_text("utf-8")
    assert [url for url in asked if not url.startswith(("file:", "data:", "about:"))] == []


@pytest.mark.parametrize("name", ["index.html", "reference/fuzzbow.html", "how-to/explain.html"])
def test_no_page_names_a_part_that_lies_elsewhere(site, name):
    text = (site / name).read_text("utf-8")
    parts = re.findall(r"<(?:script|img|iframe|link)\b[^>]*?(?:src|href)=\"?([^\" >]+)", text)
    assert parts
    assert not [part for part in parts if part.startswith(("http:", "https:", "//"))]


def test_the_home_page_explains_the_example_that_it_shows(site):
    shown = prose_of(site / "index.html")
    assert 'fuzzbow similarity "He has a cat" "She had one dog" 0.2368' in shown
    assert "0.2368 weighted-jaccard" in shown  # the explanation


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("fuzzbow", "pairs ( lefts : Iterable [ str ], rights : Iterable [ str ], * , threads"),
        ("vectors", "matrix ArrayLike Their vectors, (V, d). required"),
        ("vectors", "Raises: Type Description InputError If shapes do not agree"),
        ("command-line", "--allow-origin"),
    ],
)
def test_the_reference_has_signatures_and_tables_of_parameters(site, name, words):
    shown = re.sub(r"\s", "", prose_of(site / "reference" / f"{name}.html"))
    assert re.sub(r"\s", "", words) in shown
