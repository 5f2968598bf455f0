"""The page of explanations and the fragment, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import fuzzbow
from fuzzbow.dedupe.report import threshold_picture
from fuzzbow.explain import html_page
from tests.browser import PHONE, open_browser, playwright, too_wide, violations

LONG = " ".join(f"zq{number}" for number in range(85))  # just long enough to be folded

SHORTER = """const alike = "tbody tr:nth-child(n + 4), .fz-word:nth-of-type(n + 8)";
for (const part of document.querySelectorAll(alike)) part.remove();"""


@pytest.fixture(scope="module")
def page() -> Iterator[playwright.Page]:
    with open_browser() as browser:
        yield browser.new_page()


@pytest.fixture(scope="module")
def explanation() -> fuzzbow.Explanation:
    return fuzzbow.load().explain("He has a very small cat", "She had one dog " + "w" * 80)


def test_a_page_of_explanations_fits_and_is_for_everyone(page, explanation):
    model = fuzzbow.load(measure="pcamax-otsuka", limit=20_000)
    found = [explanation, model.explain(LONG, "a cat and zq3"), model.explain("", "a cat")]
    steps = [
        {"threshold": at, "removed": rows} for at, rows in ((0.7, 123_456), (0.8, 20), (0.9, 0))
    ]
    intro = threshold_picture(steps, 1_000_000)
    page.set_content(html_page(found, headings=["one", "two", "three"], intro=intro))
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    assert too_wide(page) == []
    page.evaluate(SHORTER)  # one row is like the other, and axe takes its time for each
    assert violations(page) == []


def test_lines_end_at_the_rows_of_their_words(page, explanation):
    """Lines are drawn in units of rows, whose height the room decides."""
    page.set_content(html_page([explanation]))
    for width in (1280, PHONE):
        page.set_viewport_size({"width": width, "height": 800})
        rows = page.locator(".fz-left .fz-row").all()[1:]
        words = [row.locator(".fz-name").inner_text() for row in rows]
        line = page.locator("path", has=page.locator("title", has_text="cat – dog")).bounding_box()
        row = rows[words.index("cat")].bounding_box()
        assert row["y"] <= line["y"] + line["height"] <= row["y"] + row["height"]


HOSTS = {
    "a theme for figures": "<style>.post figure{width:fit-content;display:flow-root}</style>"
    '<div class="post">%s</div>',
    "a flexible row": '<div style="display:flex">%s</div>',
    "a shadow root": '<div><template shadowrootmode="open">%s</template></div>',
}


@pytest.mark.parametrize("host", HOSTS)
def test_a_fragment_keeps_its_width_in_any_page(page, explanation, host):
    page.set_viewport_size({"width": 800, "height": 800})
    page.set_content(HOSTS[host] % explanation.to_html())
    assert page.locator("figure").bounding_box()["width"] > 700


def test_a_page_decides_the_theme_of_a_fragment_in_it(page, explanation):
    page.emulate_media(color_scheme="light")
    figure = page.locator("figure")
    page.set_content(explanation.to_html())
    playwright.expect(figure).to_have_css("background-color", "rgb(255, 255, 255)")
    page.set_content(f'<div style="--fuzzbow-scheme:dark">{explanation.to_html()}</div>')
    playwright.expect(figure).to_have_css("background-color", "rgb(27, 33, 37)")
