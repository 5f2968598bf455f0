"""The page in a real browser, as a person uses it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

import fuzzbow
from tests.browser import PHONE, flaws, open_browser, playwright
from tests.unit.server.conftest import servers

expect = playwright.expect

MARKUP = "<img src=x onerror=window.hacked=1>"
TEXTS = ["a cat on the mat", "the dog barked", f"a picture {MARKUP} of a cat", "stocks fell 3 %"]
KEY = "open-sesame"
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
    """A server with an index and a report."""
    report, folder = tmp_path_factory.mktemp("report"), tmp_path_factory.mktemp("index") / "pets"
    style = "<style>h1 { color: teal } [data-theme=dark] h1 { color: white }</style>"
    (report / "report.html").write_text(f"<html lang=en>{style}<h1>Every claim</h1></html>")
    model.index(TEXTS, ids=list("abcd"), metadata={"year": [2019, 2020, 2021, 2022]}, path=folder)
    with servers() as start:
        yield start("--index", folder, "--report", report).url


@pytest.fixture
def page(browser, url) -> Iterator[playwright.Page]:
    """The page, opened; any error or request to another server is a failure."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(10_000)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    complaints, asked = [], []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(url)
    yield page
    assert complaints == []
    assert all(address.startswith(("http://127.0.0.1:", "data:")) for address in asked)
    assert page.evaluate("window.hacked") is None
    context.close()


def test_the_score_follows_what_is_typed(page):
    expect(page.locator("#score")).to_have_text(score("He has a cat", "She had one dog"))
    page.get_by_role("textbox", name="One text").fill("")
    page.get_by_role("textbox", name="One text").press_sequentially("A dog barked")
    expected = score("A dog barked", "She had one dog")
    expect(page.locator("#score")).to_have_text(expected)
    expect(page.get_by_text(f"Similarity {expected}")).to_be_attached()  # read aloud


def score(a: str, b: str, measure: str = "weighted-jaccard") -> str:
    return f"{fuzzbow.load('default', measure=measure).similarity(a, b):.3f}"


def test_a_measure_says_what_it_means(page):
    page.get_by_label("Measure").select_option("set-jaccard")
    expect(page.locator("#meaning")).to_contain_text("Words in common over all words")
    expect(page.locator("#score")).to_have_text("0.000")
    expect(page.locator("#explanation")).to_contain_text("cannot be divided among the words")


def test_only_the_last_answer_counts(page):
    held = []

    def handle(route):
        if held:
            route.continue_()
        else:
            held.append(route)

    page.route("**/v1/explain", handle)
    box = page.get_by_role("textbox", name="One text")
    box.fill("She had one dog")
    page.wait_for_timeout(300)
    assert held
    box.fill("The plane landed")
    expected = score("The plane landed", "She had one dog")
    expect(page.locator("#score")).to_have_text(expected)
    held[0].fulfill(status=500, body="late")
    page.wait_for_timeout(200)
    expect(page.locator("#score")).to_have_text(expected)
    expect(page.locator("#compare-problem")).to_be_hidden()


def test_words_are_joined_by_their_matches(page):
    expect(page.locator(".sentence").first.get_by_role("button")).to_have_count(4)
    assert page.locator(".line").count() >= 4
    cat = page.get_by_role("button", name=re.compile("^cat 33 % resembles “dog”"))
    cat.hover()
    expect(page.locator(".detail")).to_contain_text("“cat” resembles “dog” to 0.")
    expect(page.locator(".word.on")).to_have_count(2)


def test_an_explanation_is_opened(page):
    numbers = page.locator("details.numbers")
    expect(numbers.get_by_role("table")).to_be_hidden()
    page.get_by_text("All the numbers, word by word").click()
    row = numbers.get_by_role("row").filter(has=page.get_by_role("rowheader", name="cat"))
    expect(row).to_contain_text("dog")
    shown = page.get_by_role("img", name=re.compile("^Shared "))
    explained = fuzzbow.load("default").explain("He has a cat", "She had one dog")
    expect(shown).to_have_accessible_name(re.compile(f"Shared {explained.intersection:.3f} of"))


def test_an_area_is_as_large_as_its_number(page):
    explained = fuzzbow.load("default").explain("He has a cat", "She had one dog")
    rims = page.locator(".circles .rim")
    expect(rims).to_have_count(2)  # they come with the answer
    areas = [float(circle.get_attribute("r")) ** 2 for circle in rims.all()]
    assert areas[0] / areas[1] == pytest.approx(explained.left_size / explained.right_size, 1e-3)


def test_words_can_be_walked_by_keyboard(page):
    first = page.locator(".sentence").first.get_by_role("button").first
    first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".word:focus .letters")).to_have_text("has")
    expect(page.locator(".detail")).to_contain_text("“has”")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".word:focus .letters")).to_have_text("cat")


def test_tabs_are_reached_by_keyboard(page):
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


def test_a_search_finds_and_explains(page):
    page.get_by_role("tab", name="Search").click()
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


def test_a_search_can_be_narrowed(page):
    page.get_by_role("tab", name="Search").click()
    page.get_by_label("Only where").fill("year > 2020")
    page.get_by_label("Search for").fill("a cat")
    expect(page.get_by_role("listitem")).to_have_count(2)
    expect(page.get_by_role("listitem").first).to_contain_text("year 2021")


def test_markup_in_texts_is_only_text(page):
    page.get_by_role("textbox", name="One text").fill(MARKUP)
    expect(page.locator(".sentence").first).to_contain_text("onerror")
    page.get_by_role("tab", name="Search").click()
    page.get_by_label("Search for").fill(MARKUP)
    expect(page.get_by_role("listitem").first).to_contain_text(MARKUP)
    page.get_by_role("listitem").first.get_by_role("button", name="Explain").click()
    expect(page.get_by_role("listitem").first.locator(".stage")).to_contain_text("onerror")
    assert page.locator("main img").count() == 0


def test_an_error_is_said_plainly_and_goes_away(page):
    page.get_by_role("textbox", name="One text").fill("word " * 2_001)
    alert = page.get_by_role("alert")
    expect(alert).to_have_text("A text may have at most 2000 words; text 0 has 2001.")
    page.get_by_role("textbox", name="One text").fill("a word")
    expect(alert).to_be_hidden()
    expect(page.locator("#score")).to_have_text(score("a word", "She had one dog"))


def test_a_server_that_has_gone_can_be_tried_again(browser):
    with servers() as start:
        server = start()
        page = browser.new_page()
        page.goto(server.url)
        expect(page.locator("#score")).not_to_have_text("–")
        server.kill()
        page.get_by_role("textbox", name="One text").fill("a dog")
        expect(page.get_by_role("alert")).to_contain_text("The server does not answer")
        expect(page.get_by_role("button", name="Try again")).to_be_visible()
        page.close()


def test_a_key_is_asked_for(browser):
    with servers() as start:
        page = browser.new_page()
        page.goto(start("--no-access-log", key=KEY).url)
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
        page.close()


def test_the_report_is_shown_in_a_frame_without_rights(page):
    page.get_by_role("tab", name="Report").click()
    frame = page.locator("iframe")
    assert frame.get_attribute("sandbox") == ""
    heading = page.frame_locator("iframe").get_by_role("heading")
    expect(heading).to_have_text("Every claim")
    expect(heading).to_have_css("color", "rgb(0, 128, 128)")
    page.get_by_role("button", name="Theme").click()
    expect(heading).to_have_css("color", "rgb(255, 255, 255)")


def test_the_api_can_be_tried_on_its_page(page, url):
    page.goto(url + "/docs")
    page.get_by_text("POST /v1/similarity").click()
    page.get_by_role("button", name="Send").first.click()
    expect(page.locator(".reply").first).to_contain_text('"measure": "weighted-jaccard"')


@pytest.fixture(scope="module")
def long_url(model, tmp_path_factory) -> Iterator[str]:
    """A server without a report, and with an index that has a long text."""
    folder = tmp_path_factory.mktemp("index") / "pets"
    model.index(["a cat on the mat", LONG, "the dog barked!"], ids=list("abc"), path=folder)
    with servers() as start:
        yield start("--index", folder).url


def comparison(url: str, **values: str) -> str:
    return f"{url}/#compare?{urlencode(values)}"


def test_texts_and_measure_survive_a_reload(page, long_url):
    page.goto(long_url)
    page.get_by_label("Measure").select_option("max-jaccard")
    page.get_by_role("textbox", name="One text").fill("a dog")
    page.get_by_role("textbox", name="Another text").fill(ODD)
    expected = score("a dog", ODD, "max-jaccard")
    expect(page.locator("#score")).to_have_text(expected)
    page.reload()
    expect(page.get_by_role("textbox", name="Another text")).to_have_value(ODD)
    expect(page.get_by_label("Measure")).to_have_value("max-jaccard")
    expect(page.locator("#score")).to_have_text(expected)


def test_a_copied_link_opens_the_same_comparison(page, long_url):
    page.goto(long_url)
    page.get_by_role("textbox", name="One text").fill(ODD)
    page.get_by_role("tabpanel", name="Compare").get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Copied")).to_be_visible()
    other = page.context.new_page()
    other.goto(page.evaluate("navigator.clipboard.readText()"))
    expect(other.get_by_role("textbox", name="One text")).to_have_value(ODD)
    expect(other.get_by_role("textbox", name="Another text")).to_have_value("She had one dog")


def test_a_query_survives_a_reload_and_can_be_shared(page, long_url):
    page.goto(long_url)
    page.get_by_role("tab", name="Search").click()
    page.get_by_label("Hits").select_option("5")
    page.get_by_label("Search for").fill("a cat")
    expect(page.get_by_role("listitem").first).to_contain_text("a cat on the mat")
    page.get_by_role("tabpanel", name="Search").get_by_role("button", name="Copy link").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    page.reload()
    expect(page.get_by_role("listitem").first).to_contain_text("a cat on the mat")
    expect(page.get_by_label("Hits")).to_have_value("5")
    assert copied == page.url == f"{long_url}/#search?query=a+cat&hits=5&where="


def test_another_link_to_the_open_page_is_followed(page, long_url):
    page.goto(comparison(long_url, a="a dog", b="a cat"))
    expect(page.locator("#score")).to_have_text(score("a dog", "a cat"))
    page.goto(comparison(long_url, a="a plane", b="a jet"))
    expect(page.locator("#score")).to_have_text(score("a plane", "a jet"))
    page.goto(f"{long_url}/#search?query=a+dog")
    expect(page.get_by_role("listitem").first).to_contain_text("the dog barked!")


def test_an_unknown_measure_of_a_link_is_replaced_and_a_wrong_condition_reported(page, long_url):
    page.goto(comparison(long_url, a="a dog", b="a cat", measure="nothing"))
    expect(page.get_by_label("Measure")).to_have_value("weighted-jaccard")
    expect(page.locator("#score")).to_have_text(score("a dog", "a cat"))
    page.goto(f"{long_url}/#search?query=a+cat&where=colour+%3D+1")
    expect(page.get_by_role("alert")).to_contain_text("colour")


def test_what_was_typed_is_in_no_address_that_a_server_sees(page, long_url):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(comparison(long_url, a="secretive", b="a cat"))
    expect(page.locator("#score")).to_have_text(score("secretive", "a cat"))
    assert asked
    assert not [address for address in asked if "secretive" in address.partition("#")[0]]


def test_a_theme_is_chosen_and_kept(page, long_url):
    page.goto(long_url)
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


def test_long_texts_show_their_strong_matches_and_fold_the_rest(page, long_url):
    page.goto(comparison(long_url, a=LONG, b=OTHER))
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


def test_only_words_that_matter_have_numbers(page, long_url):
    page.goto(comparison(long_url, a="the cat sat on a mat", b="a cat sat"))
    shown = page.locator(".share")
    expect(shown.first).to_be_visible()
    assert shown.count() < page.locator(".word").count()
    assert "< 1 %" not in shown.all_inner_texts()


def test_a_weak_match_shows_only_where_one_points(page, long_url):
    page.goto(
        comparison(long_url, a="The firm bought its rival", b="A company acquired a competitor")
    )
    weak = page.locator(".line.weak")
    expect(weak.first).to_have_css("stroke-opacity", "0")
    page.locator(".letters", has_text="rival").hover()
    expect(page.locator(".line.on:not(.weak)")).to_have_count(1)
    expect(weak.first).to_have_css("stroke-opacity", "0")
    page.locator(
        f".sentence:nth-of-type(1) .word[data-place='{weak.first.get_attribute('data-left')}']"
    ).hover()
    expect(page.locator(".line.weak.on").first).to_have_css("stroke-opacity", "1")


def test_folds_are_reached_by_keyboard(page, long_url):
    page.goto(comparison(long_url, a=LONG, b=OTHER))
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
def test_there_are_no_circles_of_nothing(page, long_url, a, b):
    page.goto(comparison(long_url, a=a, b=b))
    expect(page.locator(".matches")).to_be_visible()
    assert page.locator(".sets").count() == (0 if "" in (a, b) else 1)


def test_hits_show_their_telling_words(page, long_url):
    page.goto(f"{long_url}/#search?query=dog")
    hit = page.get_by_role("listitem").filter(has_text="barked")
    expect(hit.locator("mark").first).to_have_text("dog")
    assert "!" not in hit.locator("mark").all_inner_texts()


def test_a_long_hit_is_folded_to_its_telling_passage(page, long_url):
    page.goto(f"{long_url}/#search?query=kitten")
    hit = page.get_by_role("listitem").filter(has_text="zq")
    expect(hit.locator("mark").first).to_have_text("kitten")
    text = hit.locator(".hit-text")
    assert len(text.inner_text().split()) < 60
    button = hit.get_by_role("button", name="Show all 154 words")
    button.click()
    expect(text).to_have_text(LONG)
    hit.get_by_role("button", name="Show less").click()
    expect(button).to_have_attribute("aria-expanded", "false")


def test_a_phone_has_the_link_to_the_api(page, long_url):
    page.set_viewport_size({"width": PHONE, "height": 700})
    page.goto(long_url)
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
def test_the_page_fits_and_is_for_everyone(page, long_url, state):
    path, awaited = STATES[state]
    page.goto(long_url + path)
    expect(page.locator(awaited).first).to_be_visible()
    assert flaws(page) == []


def test_an_explained_hit_fits_and_is_for_everyone(page, long_url):
    page.goto(f"{long_url}/#search?query=kitten")
    buttons = page.get_by_role("button", name="Explain")
    expect(buttons).to_have_count(3)
    for button in buttons.all():
        button.click()
    expect(page.locator("li .matches")).to_have_count(3)
    page.locator("li details").first.click()
    assert flaws(page) == []
