"""The page in a real browser, as a person uses it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

import fuzzbow
from tests.browser import open_browser, playwright
from tests.unit.server.conftest import servers

expect = playwright.expect

MARKUP = "<img src=x onerror=window.hacked=1>"
TEXTS = ["a cat on the mat", "the dog barked", f"a picture {MARKUP} of a cat", "stocks fell 3 %"]
KEY = "open-sesame"


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
    """The page, opened; anything that a browser complains about is a failure."""
    context = browser.new_context(viewport={"width": 1100, "height": 800})
    page = context.new_page()
    page.set_default_timeout(10_000)
    complaints, asked = [], []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(url)
    yield page
    assert complaints == []
    assert all(address.startswith((url, "data:")) for address in asked)
    assert page.evaluate("window.hacked") is None
    context.close()


def test_the_score_follows_what_is_typed(page):
    expect(page.locator("#score")).to_have_text(f"{score('He has a cat', 'She had one dog'):.3f}")
    page.get_by_role("textbox", name="One text").fill("")
    page.get_by_role("textbox", name="One text").press_sequentially("A dog barked")
    expected = score("A dog barked", "She had one dog")
    expect(page.locator("#score")).to_have_text(f"{expected:.3f}")
    expect(page.get_by_text(f"Similarity {expected:.3f}")).to_be_attached()  # read aloud


def score(a: str, b: str, measure: str = "weighted-jaccard") -> float:
    return fuzzbow.load("default", measure=measure).similarity(a, b)


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
    expected = f"{score('The plane landed', 'She had one dog'):.3f}"
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
    expect(best).to_contain_text(f"{score('a cat', TEXTS[0]):.3f}")
    button = best.get_by_role("button", name="Explain")
    button.click()
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(
        best.get_by_role("button", name=re.compile("^cat .* resembles “cat” to 1.00"))
    ).to_have_count(2)
    button.click()
    expect(best.locator(".why")).to_be_hidden()


def test_an_index_for_search_leaves_the_comparison_as_it_is(browser, tmp_path):
    searching = fuzzbow.load(purpose="passages")
    index = searching.index(TEXTS, path=tmp_path / "index")
    with servers() as start:
        page = browser.new_page()
        page.goto(start("--index", tmp_path / "index").url)
        expected = f"{score('He has a cat', 'She had one dog'):.3f}"
        expect(page.locator("#score")).to_have_text(expected)
        page.get_by_role("tab", name="Search").click()
        page.get_by_label("Search for").fill("a cat")
        best = page.get_by_role("listitem").first
        found = index.search("a cat")[0]
        expect(best).to_contain_text(f"{found.score:.3f}")
        best.get_by_role("button", name="Explain").click()
        cat = best.get_by_role("button", name=re.compile("^cat .* resembles “cat” to 1.00"))
        expect(cat).to_have_count(1)
        page.close()


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
    expect(page.locator("#score")).to_have_text(f"{score('a word', 'She had one dog'):.3f}")


def test_a_wrong_condition_is_said_plainly(page):
    page.get_by_role("tab", name="Search").click()
    page.get_by_label("Only where").fill("colour = 'red'")
    page.get_by_label("Search for").fill("a cat")
    expect(page.get_by_role("alert")).to_contain_text("colour")


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
