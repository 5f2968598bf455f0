"""The page as it looks: long texts, links to what it shows, themes, phones, and for everyone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

import fuzzbow
from tests.browser import PHONE, flaws, open_browser, playwright
from tests.unit.server.conftest import servers

expect = playwright.expect

FILLER = [f"zq{number}" for number in range(150)]
LONG = " ".join([*FILLER[:90], "the", "grey", "kitten", "slept", *FILLER[90:]])
OTHER = " ".join(["once", "a", "cat", "dreamt", *(f"xv{number}" for number in range(120))])
ODD = "50 % & more #1? a=b + ü 😀\nnew line"
DARK, LIGHT = "rgb(20, 24, 27)", "rgb(251, 250, 247)"


@pytest.fixture(scope="module")
def browser() -> Iterator[playwright.Browser]:
    with open_browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def url(model, tmp_path_factory) -> Iterator[str]:
    """A server with an index that has a long text."""
    folder = tmp_path_factory.mktemp("index") / "pets"
    model.index(["a cat on the mat", LONG, "the dog barked!"], ids=list("abc"), path=folder)
    with servers() as start:
        yield start("--index", folder).url


@pytest.fixture
def context(browser, url) -> Iterator[playwright.BrowserContext]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(10_000)
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=url)
    yield context
    context.close()


@pytest.fixture
def page(context) -> Iterator[playwright.Page]:
    """An empty page; anything that a browser complains about is a failure."""
    page = context.new_page()
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    assert complaints == []


def score(a: str, b: str, measure: str = "weighted-jaccard") -> str:
    return f"{fuzzbow.load('default', measure=measure).similarity(a, b):.3f}"


def comparison(url: str, **values: str) -> str:
    return f"{url}/#compare?{urlencode(values)}"


def test_texts_and_measure_survive_a_reload(page, url):
    page.goto(url)
    page.get_by_label("Measure").select_option("max-jaccard")
    page.get_by_role("textbox", name="One text").fill("a dog")
    page.get_by_role("textbox", name="Another text").fill(ODD)
    expected = score("a dog", ODD, "max-jaccard")
    expect(page.locator("#score")).to_have_text(expected)
    page.reload()
    expect(page.get_by_role("textbox", name="Another text")).to_have_value(ODD)
    expect(page.get_by_label("Measure")).to_have_value("max-jaccard")
    expect(page.locator("#score")).to_have_text(expected)


def test_a_copied_link_opens_the_same_comparison(context, page, url):
    page.goto(url)
    page.get_by_role("textbox", name="One text").fill(ODD)
    page.get_by_role("tabpanel", name="Compare").get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Copied")).to_be_visible()
    other = context.new_page()
    other.goto(page.evaluate("navigator.clipboard.readText()"))
    expect(other.get_by_role("textbox", name="One text")).to_have_value(ODD)
    expect(other.get_by_role("textbox", name="Another text")).to_have_value("She had one dog")


def test_a_query_survives_a_reload_and_can_be_shared(page, url):
    page.goto(url)
    page.get_by_role("tab", name="Search").click()
    page.get_by_label("Hits").select_option("5")
    page.get_by_label("Search for").fill("a cat")
    expect(page.get_by_role("listitem").first).to_contain_text("a cat on the mat")
    page.get_by_role("tabpanel", name="Search").get_by_role("button", name="Copy link").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    page.reload()
    expect(page.get_by_role("listitem").first).to_contain_text("a cat on the mat")
    expect(page.get_by_label("Hits")).to_have_value("5")
    assert copied == page.url == f"{url}/#search?query=a+cat&hits=5&where="


def test_another_link_to_the_open_page_is_followed(page, url):
    page.goto(comparison(url, a="a dog", b="a cat"))
    expect(page.locator("#score")).to_have_text(score("a dog", "a cat"))
    page.goto(comparison(url, a="a plane", b="a jet"))
    expect(page.locator("#score")).to_have_text(score("a plane", "a jet"))
    page.goto(f"{url}/#search?query=a+dog")
    expect(page.get_by_role("listitem").first).to_contain_text("the dog barked!")


def test_a_link_with_an_unknown_measure_takes_the_usual_one(page, url):
    page.goto(comparison(url, a="a dog", b="a cat", measure="nothing"))
    expect(page.get_by_label("Measure")).to_have_value("weighted-jaccard")
    expect(page.locator("#score")).to_have_text(score("a dog", "a cat"))


def test_what_was_typed_is_in_no_address_that_a_server_sees(page, url):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(comparison(url, a="secretive", b="a cat"))
    expect(page.locator("#score")).to_have_text(score("secretive", "a cat"))
    assert asked
    assert not [address for address in asked if "secretive" in address.partition("#")[0]]


def test_a_theme_is_chosen_and_kept(page, url):
    page.goto(url)
    body, theme = page.locator("body"), page.get_by_role("button", name="Theme")
    expect(body).to_have_css("background-color", LIGHT)
    theme.click()
    expect(theme).to_have_text("Theme: dark")
    expect(body).to_have_css("background-color", DARK)
    page.reload()
    expect(theme).to_have_text("Theme: dark")
    expect(body).to_have_css("background-color", DARK)
    page.emulate_media(color_scheme="dark")
    theme.click()
    expect(body).to_have_css("background-color", LIGHT)
    theme.click()
    expect(theme).to_have_text("Theme: auto")
    expect(body).to_have_css("background-color", DARK)


def test_long_texts_show_their_strong_matches_and_fold_the_rest(page, url):
    page.goto(comparison(url, a=LONG, b=OTHER))
    above = page.locator(".sentence").first
    kitten = above.get_by_role("button", name=re.compile("^kitten .* resembles “cat”"))
    expect(kitten).to_be_visible()
    assert above.locator(".word").count() <= 40
    assert page.locator(".line:not(.weak)").count() <= 16
    fold = above.get_by_role("button", name="more words").first
    folded, before = int(re.findall(r"\d+", fold.inner_text())[0]), above.locator(".word").count()
    fold.click()
    expect(above.locator(".word")).to_have_count(before + folded)
    expect(page.locator(".word:focus .letters")).to_have_text(FILLER[0])


def test_a_weak_match_shows_only_where_one_points(page, url):
    page.goto(comparison(url, a="The firm bought its rival", b="A company acquired a competitor"))
    weak = page.locator(".line.weak")
    expect(weak.first).to_have_css("stroke-opacity", "0")
    page.locator(".letters", has_text="rival").hover()
    expect(page.locator(".line.on:not(.weak)")).to_have_count(1)
    expect(weak.first).to_have_css("stroke-opacity", "0")
    page.locator(
        f".sentence:nth-of-type(1) .word[data-place='{weak.first.get_attribute('data-left')}']"
    ).hover()
    expect(page.locator(".line.weak.on").first).to_have_css("stroke-opacity", "1")


def test_folds_are_reached_by_keyboard(page, url):
    page.goto(comparison(url, a=LONG, b=OTHER))
    above = page.locator(".sentence").first
    above.get_by_role("button").first.focus()
    for _ in range(above.get_by_role("button").count()):
        if page.locator(".fold:focus").count():
            break
        page.keyboard.press("ArrowRight")
    before = above.locator(".word").count()
    page.keyboard.press("Enter")
    assert above.locator(".word").count() > before
    expect(page.locator(".word:focus")).to_have_count(1)


def test_only_words_that_matter_have_numbers(page, url):
    page.goto(comparison(url, a="the cat sat on a mat", b="a cat sat"))
    shown = page.locator(".share")
    expect(shown.first).to_be_visible()
    assert shown.count() < page.locator(".word").count()
    assert "< 1 %" not in shown.all_inner_texts()


@pytest.mark.parametrize(("a", "b"), [("a cat", ""), ("", "a cat"), ("?", "a cat")])
def test_there_are_no_circles_of_nothing(page, url, a, b):
    page.goto(comparison(url, a=a, b=b))
    expect(page.locator(".matches")).to_be_visible()
    assert page.locator(".sets").count() == (0 if "" in (a, b) else 1)


def test_hits_show_their_telling_words(page, url):
    page.goto(f"{url}/#search?query=dog")
    hit = page.get_by_role("listitem").filter(has_text="barked")
    expect(hit.locator("mark").first).to_have_text("dog")
    assert "!" not in hit.locator("mark").all_inner_texts()


def test_a_long_hit_is_folded_to_its_telling_passage(page, url):
    page.goto(f"{url}/#search?query=kitten")
    hit = page.get_by_role("listitem").filter(has_text="zq")
    expect(hit.locator("mark").first).to_have_text("kitten")
    text = hit.locator(".hit-text")
    assert len(text.inner_text().split()) < 60
    button = hit.get_by_role("button", name="Show all 154 words")
    button.click()
    expect(text).to_have_text(LONG)
    hit.get_by_role("button", name="Show less").click()
    expect(button).to_have_attribute("aria-expanded", "false")


def test_a_phone_has_the_link_to_the_api(page, url):
    page.set_viewport_size({"width": PHONE, "height": 700})
    page.goto(url)
    page.get_by_role("link", name="API").click()
    expect(page.get_by_role("heading", name="The API")).to_be_visible()


STATES = {
    "start": ("/", ".sets"),
    "empty": ("/#compare?a=&b=", "#explanation p"),
    "one side": ("/#compare?a=&b=a+cat", ".matches"),
    "long": (f"/#compare?{urlencode({'a': LONG, 'b': OTHER})}", ".fold"),
    "search": ("/#search?query=kitten", "mark"),
    "no report": ("/#report", "#report-absent"),
    "api": ("/docs", ".operation"),
}


@pytest.mark.parametrize("state", STATES)
def test_the_page_fits_and_is_for_everyone(page, url, state):
    path, awaited = STATES[state]
    page.goto(url + path)
    expect(page.locator(awaited).first).to_be_visible()
    assert flaws(page) == []


def test_an_explained_hit_fits_and_is_for_everyone(page, url):
    page.goto(f"{url}/#search?query=kitten")
    buttons = page.get_by_role("button", name="Explain")
    expect(buttons).to_have_count(3)
    for button in buttons.all():
        button.click()
    expect(page.locator("li .matches")).to_have_count(3)
    page.locator("li details").first.click()
    assert flaws(page) == []
