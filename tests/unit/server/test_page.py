"""The page in a real browser, as a person uses it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from urllib.parse import urlencode

import pytest

import fuzzbow
from tests.browser import PHONE, flaws, open_browser, playwright
from tests.unit.server.conftest import servers

expect = playwright.expect

MARKUP = "<img src=x onerror=window.hacked=1>"
KEY = "open-sesame"
FILLER = [f"zq{number}" for number in range(150)]
LONG = " ".join([*FILLER[:90], "the", "grey", "kitten", "slept", *FILLER[90:]])
OTHER = " ".join(["once", "a", "cat", "dreamt", *(f"xv{number}" for number in range(120))])
TEXTS = ["a cat on the mat", "the dog barked!", f"a picture {MARKUP} of a cat", LONG]
ODD = "50 % & more #1? a=b + ü 😀\nnew line"
DARK, LIGHT = "rgb(20, 24, 27)", "rgb(251, 250, 247)"


@pytest.fixture(scope="module")
def browser() -> Iterator[playwright.Browser]:
    with open_browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def context(browser, model, tmp_path_factory) -> Iterator[playwright.BrowserContext]:
    """A context for the pages of a server with an index and a report."""
    report, folder = tmp_path_factory.mktemp("report"), tmp_path_factory.mktemp("index") / "pets"
    style = "<style>h1 { color: teal } [data-theme=dark] h1 { color: white }</style>"
    (report / "report.html").write_text(f"<html lang=en>{style}<h1>Every claim</h1></html>")
    model.index(TEXTS, ids=list("abcd"), metadata={"year": [2019, 2020, 2021, 2022]}, path=folder)
    with servers() as start:
        url = start("--index", folder, "--report", report).url
        opened = browser.new_context(base_url=url, viewport={"width": 1280, "height": 800})
        opened.set_default_timeout(10_000)
        opened.grant_permissions(["clipboard-read", "clipboard-write"])
        yield opened
        opened.close()


@pytest.fixture
def page(context) -> Iterator[playwright.Page]:
    """A blank page; any error or request to another server is a failure."""
    page = context.new_page()
    errors, requests = [], []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    yield page
    assert errors == []
    assert all(address.startswith(("http://127.0.0.1:", "data:")) for address in requests)
    assert page.evaluate("window.hacked") is None
    page.evaluate("localStorage.clear()")
    page.close()


@cache
def score(a: str, b: str, measure: str = "weighted-jaccard") -> str:
    return f"{fuzzbow.load('default', measure=measure).similarity(a, b):.3f}"


def comparison(**values: str) -> str:
    return f"/#compare?{urlencode(values)}"


def show_score(page, expected: str) -> None:
    expect(page.locator("#score")).to_have_text(expected)


def test_the_score_follows_what_is_typed_and_the_measure(page):
    page.goto("/")
    show_score(page, score("He has a cat", "She had one dog"))
    page.get_by_role("textbox", name="One text").fill("")
    page.get_by_role("textbox", name="One text").press_sequentially("A dog barked")
    expected = score("A dog barked", "She had one dog")
    show_score(page, expected)
    expect(page.get_by_text(f"Similarity {expected}")).to_be_attached()  # read aloud
    page.get_by_label("Measure").select_option("set-jaccard")
    expect(page.locator("#meaning")).to_contain_text("Words in common over all words")
    show_score(page, score("A dog barked", "She had one dog", "set-jaccard"))
    expect(page.locator("#explanation")).to_contain_text("cannot be divided among the words")


def test_only_the_last_answer_counts(page):
    page.goto("/")
    show_score(page, score("He has a cat", "She had one dog"))
    held = []

    def handle(route):
        if held:
            route.continue_()
        else:
            held.append(route)

    page.route("**/v1/explain", handle)
    box = page.get_by_role("textbox", name="One text")
    with page.expect_request("**/v1/explain"):
        box.fill("She had one dog")
    box.fill("The plane landed")
    expected = score("The plane landed", "She had one dog")
    show_score(page, expected)
    held[0].fulfill(status=500, body="late")
    page.wait_for_timeout(200)
    show_score(page, expected)
    expect(page.locator("#compare-problem")).to_be_hidden()


def test_words_are_joined_by_their_matches_and_walked_by_keyboard(page):
    page.goto("/")
    expect(page.locator(".sentence").first.get_by_role("button")).to_have_count(4)
    assert page.locator(".line").count() >= 4
    cat = page.get_by_role("button", name=re.compile("^cat 33 % resembles “dog”"))
    cat.hover()
    expect(page.locator(".detail")).to_contain_text("“cat” resembles “dog” to 0.")
    expect(page.locator(".word.on")).to_have_count(2)
    page.locator(".sentence").first.get_by_role("button").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".word:focus .letters")).to_have_text("has")
    expect(page.locator(".detail")).to_contain_text("“has”")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".word:focus .letters")).to_have_text("cat")


def test_an_explanation_shows_its_numbers_in_a_table_and_as_areas(page):
    page.goto("/")
    numbers = page.locator("details.numbers")
    expect(numbers.get_by_role("table")).to_be_hidden()
    page.get_by_text("All the numbers, word by word").click()
    row = numbers.get_by_role("row").filter(has=page.get_by_role("rowheader", name="cat"))
    expect(row).to_contain_text("dog")
    shown = page.get_by_role("img", name=re.compile("^Shared "))
    explained = fuzzbow.load("default").explain("He has a cat", "She had one dog")
    expect(shown).to_have_accessible_name(re.compile(f"Shared {explained.intersection:.3f} of"))
    rims = page.locator(".circles .rim")
    areas = [float(circle.get_attribute("r")) ** 2 for circle in rims.all()]
    assert areas[0] / areas[1] == pytest.approx(explained.left_size / explained.right_size, 1e-3)


def test_tabs_are_reached_by_keyboard(page):
    page.goto("/")
    page.get_by_role("tab", name="Compare").focus()
    page.keyboard.press("ArrowRight")
    search = page.get_by_role("tab", name="Search")
    expect(search).to_be_focused()
    expect(search).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("tabpanel", name="Search")).to_be_visible()
    expect(page.get_by_role("tabpanel", name="Compare")).to_be_hidden()
    page.keyboard.press("End")
    expect(page.get_by_role("tab", name="Report")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Compare")).to_be_focused()


def test_a_search_finds_explains_and_can_be_narrowed(page):
    page.goto("/#search")
    expect(page.locator("#search-status")).to_have_text("4 texts are in the index.")
    page.get_by_label("Search for").fill("a cat")
    expect(page.get_by_role("listitem")).to_have_count(4)
    best = page.get_by_role("listitem").first
    expect(best).to_contain_text("a cat on the mat")
    expect(best).to_contain_text(score("a cat", TEXTS[0]))
    button = best.get_by_role("button", name="Explain")
    button.click()
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(
        best.get_by_role("button", name=re.compile("^cat .* resembles “cat” to 1.00"))
    ).to_have_count(2)
    button.click()
    expect(best.locator(".why")).to_be_hidden()
    page.get_by_label("Only where").fill("year > 2020")
    expect(page.get_by_role("listitem")).to_have_count(2)
    expect(page.get_by_role("listitem").first).to_contain_text("year 2021")


def test_markup_in_texts_is_only_text(page):
    page.goto("/")
    page.get_by_role("textbox", name="One text").fill(MARKUP)
    expect(page.locator(".sentence").first).to_contain_text("onerror")
    page.get_by_role("tab", name="Search").click()
    page.get_by_label("Search for").fill(MARKUP)
    expect(page.get_by_role("listitem").first).to_contain_text(MARKUP)
    page.get_by_role("listitem").first.get_by_role("button", name="Explain").click()
    expect(page.get_by_role("listitem").first.locator(".stage")).to_contain_text("onerror")
    assert page.locator("main img").count() == 0


def test_an_error_is_shown_and_goes_away(page):
    page.goto("/")
    page.get_by_role("textbox", name="One text").fill("word " * 2_001)
    alert = page.get_by_role("alert")
    expect(alert).to_have_text("A text may have at most 2000 words; text 0 has 2001.")
    page.get_by_role("textbox", name="One text").fill("a word")
    expect(alert).to_be_hidden()
    show_score(page, score("a word", "She had one dog"))


def test_a_key_is_asked_for_and_a_server_that_has_ended_can_be_tried_again(browser):
    with servers() as start:
        server, page = start("--no-access-log", key=KEY), browser.new_page()
        page.goto(server.url)
        page.get_by_label("Key", exact=True).fill("wrong")
        page.get_by_role("button", name="Use this key").click()
        expect(page.get_by_role("alert")).to_contain_text("That key is not the server's.")
        page.get_by_role("button", name="Try again").click()
        page.get_by_label("Key", exact=True).fill(KEY)
        page.keyboard.press("Enter")
        expect(page.locator("#score")).not_to_have_text("–")
        expect(page.get_by_role("alert")).to_be_hidden()
        page.get_by_role("tab", name="Search").click()
        expect(page.locator("#search-absent")).to_contain_text("fuzzbow serve --index")
        page.get_by_role("tab", name="Report").click()
        expect(page.locator("#report-absent")).to_be_visible()
        assert flaws(page) == []
        page.get_by_role("tab", name="Compare").click()
        server.process.kill()
        page.get_by_role("textbox", name="One text").fill("a dog")
        expect(page.get_by_role("alert")).to_contain_text("The server does not answer")
        expect(page.get_by_role("button", name="Try again")).to_be_visible()
        page.close()


def test_the_report_is_shown_in_a_frame_without_rights(page):
    page.goto("/#report")
    frame = page.locator("iframe")
    assert frame.get_attribute("sandbox") == ""
    heading = page.frame_locator("iframe").get_by_role("heading")
    expect(heading).to_have_text("Every claim")
    expect(heading).to_have_css("color", "rgb(0, 128, 128)")
    page.get_by_role("button", name="Theme").click()
    expect(heading).to_have_css("color", "rgb(255, 255, 255)")


def test_the_api_is_linked_on_a_phone_and_can_be_tried_on_its_page(page):
    page.set_viewport_size({"width": PHONE, "height": 700})
    page.goto("/")
    page.get_by_role("link", name="API").click()
    expect(page.get_by_role("heading", name="The API")).to_be_visible()
    page.get_by_text("POST /v1/similarity").click()
    page.get_by_role("button", name="Send").first.click()
    expect(page.locator(".reply").first).to_contain_text('"measure": "weighted-jaccard"')


def test_a_comparison_survives_a_reload_and_its_link_can_be_shared(page):
    page.goto("/")
    page.get_by_label("Measure").select_option("max-jaccard")
    page.get_by_role("textbox", name="Another text").fill("a dog")
    page.get_by_role("textbox", name="One text").fill(ODD)
    expected = score(ODD, "a dog", "max-jaccard")
    show_score(page, expected)
    page.get_by_role("tabpanel", name="Compare").get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    page.reload()
    for address in (page.url, link):
        page.goto("about:blank")
        page.goto(address)
        expect(page.get_by_role("textbox", name="One text")).to_have_value(ODD)
        expect(page.get_by_label("Measure")).to_have_value("max-jaccard")
        show_score(page, expected)


def test_a_query_survives_a_reload_and_can_be_shared(page):
    page.goto("/#search")
    page.get_by_label("Hits").select_option("5")
    page.get_by_label("Search for").fill("a cat")
    expect(page.get_by_role("listitem").first).to_contain_text("a cat on the mat")
    page.get_by_role("tabpanel", name="Search").get_by_role("button", name="Copy link").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    page.reload()
    expect(page.get_by_role("listitem").first).to_contain_text("a cat on the mat")
    expect(page.get_by_label("Hits")).to_have_value("5")
    assert copied == page.url
    assert copied.endswith("/#search?query=a+cat&hits=5&where=")


def test_another_link_to_the_open_page_is_followed(page):
    page.goto(comparison(a="a dog", b="a cat", measure="nothing"))
    show_score(page, score("a dog", "a cat"))
    expect(page.get_by_label("Measure")).to_have_value("weighted-jaccard")  # not an unknown one
    page.goto(comparison(a="a plane", b="a jet"))
    show_score(page, score("a plane", "a jet"))
    page.goto("/#search?query=a+dog")
    expect(page.get_by_role("listitem").first).to_contain_text("the dog barked!")
    page.goto("/#search?query=a+cat&where=colour+%3D+1")
    expect(page.get_by_role("alert")).to_contain_text("colour")


def test_what_was_typed_is_in_no_address_that_a_server_sees(page):
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(comparison(a="secretive", b="a cat"))
    show_score(page, score("secretive", "a cat"))
    assert requests
    assert not [address for address in requests if "secretive" in address.partition("#")[0]]


def test_a_theme_is_chosen_and_kept(page):
    page.goto("/")
    body, theme = page.locator("body"), page.get_by_role("button", name="Theme")
    expect(body).to_have_css("background-color", LIGHT)
    theme.click()
    for _ in range(2):
        expect(theme).to_have_text("Theme: dark")
        expect(body).to_have_css("background-color", DARK)
        page.reload()
    page.emulate_media(color_scheme="dark")
    theme.click()
    expect(body).to_have_css("background-color", LIGHT)
    theme.click()
    expect(theme).to_have_text("Theme: auto")
    expect(body).to_have_css("background-color", DARK)


def test_long_texts_show_their_strong_matches_and_fold_the_rest(page):
    page.goto(comparison(a=LONG, b=OTHER))
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


def test_only_words_that_matter_have_numbers(page):
    page.goto(comparison(a="the cat sat on a mat", b="a cat sat"))
    shown = page.locator(".share")
    expect(shown.first).to_be_visible()
    assert shown.count() < page.locator(".word").count()
    assert "< 1 %" not in shown.all_inner_texts()


def test_a_weak_match_shows_only_where_one_points(page):
    page.goto(comparison(a="The firm bought its rival", b="A company acquired a competitor"))
    weak = page.locator(".line.weak")
    expect(weak.first).to_have_css("stroke-opacity", "0")
    page.locator(".letters", has_text="rival").hover()
    expect(page.locator(".line.on:not(.weak)")).to_have_count(1)
    expect(weak.first).to_have_css("stroke-opacity", "0")
    place = weak.first.get_attribute("data-left")
    page.locator(f".sentence:nth-of-type(1) .word[data-place='{place}']").hover()
    expect(page.locator(".line.weak.on").first).to_have_css("stroke-opacity", "1")


def test_folds_are_reached_by_keyboard(page):
    page.goto(comparison(a=LONG, b=OTHER))
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


@pytest.mark.parametrize(("a", "b"), [("a cat", ""), ("", "a cat"), ("?", "a cat")])
def test_there_are_no_circles_of_nothing(page, a, b):
    page.goto(comparison(a=a, b=b))
    expect(page.locator(".matches")).to_be_visible()
    assert page.locator(".sets").count() == (0 if "" in (a, b) else 1)


def test_hits_show_their_telling_words_and_fold_the_rest(page):
    page.goto("/#search?query=dog")
    hit = page.get_by_role("listitem").filter(has_text="barked")
    expect(hit.locator("mark").first).to_have_text("dog")
    assert "!" not in hit.locator("mark").all_inner_texts()
    page.get_by_label("Search for").fill("kitten")
    hit = page.get_by_role("listitem").filter(has_text="zq")
    expect(hit.locator("mark").first).to_have_text("kitten")
    text = hit.locator(".hit-text")
    assert len(text.inner_text().split()) < 60
    button = hit.get_by_role("button", name="Show all 154 words")
    button.click()
    expect(text).to_have_text(LONG)
    hit.get_by_role("button", name="Show less").click()
    expect(button).to_have_attribute("aria-expanded", "false")


STATES = {
    "start": ("/", ".sets"),
    "empty": (comparison(a="", b=""), "#explanation p"),
    "long": (comparison(a=LONG, b=OTHER), ".fold"),
    "search": ("/#search?query=kitten", "mark"),
    "api": ("/docs", ".operation"),
}


@pytest.mark.parametrize("state", STATES)
def test_the_page_fits_and_is_for_everyone(page, state):
    path, awaited = STATES[state]
    page.goto(path)
    expect(page.locator(awaited).first).to_be_visible()
    if state == "search":
        for button in page.get_by_role("button", name="Explain").all()[:2]:
            button.click()
        expect(page.locator("li .matches")).to_have_count(2)
        page.locator("li details").first.click()
    assert flaws(page) == []
