"""Explanations as dict, JSON, HTML and terminal output."""

from __future__ import annotations

import io
import json
import re
from dataclasses import fields
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from rich.console import Console

import fuzzbow
from fuzzbow import InputError
from fuzzbow.explain import Dimension, Explanation, Word, html_page
from fuzzbow.explain.fragment import links_of
from fuzzbow.explain.terminal import rich_explanation
from fuzzbow.palette import style_variables

HOSTILE = "<script>alert('x')</script> & \"quotes\" \x1b[31mred\x07 \ud800"
VOID = {"meta"}


class Checker(HTMLParser):
    """Notes tags, attributes and text; complains of what is not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def parsed(html: str) -> Checker:
    checker = Checker()
    checker.feed(html)
    checker.close()
    assert checker.open == []
    return checker


@pytest.fixture(scope="module", params=["weighted-jaccard", "pcamax-otsuka"])
def explanation(request) -> Explanation:
    model = fuzzbow.load(measure=request.param, limit=20_000)
    return model.explain("The firm paid 1,650 zxqwv", "A company gave 9,900")


def test_the_dict_is_plain_and_has_the_fields_of_the_dataclasses(explanation):
    data = explanation.to_dict()
    assert set(data) == {field.name for field in fields(Explanation)}
    assert set(data["left"]) == {"text", "share", "words"}
    assert set(data["right"]["words"][0]) == {field.name for field in fields(Word)}
    for dimension in data["dimensions"]:
        assert set(dimension) == {field.name for field in fields(Dimension)}
    assert json.loads(explanation.to_json()) == data
    assert type(data["left"]["words"][0]["status"]) is str


def test_html_marks_each_word_where_it_stands(explanation):
    checker = parsed(explanation.to_html())
    assert "The firm paid 1,650 zxqwv" in checker.text
    marked = [attributes for _, attributes in checker.tags if "--s:" in attributes.get("style", "")]
    assert len(marked) == len(explanation.left.words) + len(explanation.right.words)
    assert all("share 0." in attributes["title"] for attributes in marked)


def test_html_needs_nothing_from_outside(explanation):
    checker = parsed(html_page([explanation]))
    assert {tag for tag, _ in checker.tags}.isdisjoint({"script", "link", "img", "iframe"})
    for _, attributes in checker.tags:
        assert not {"src", "href", "onclick"} & set(attributes)
    assert "url(" not in explanation.to_html()
    assert "@import" not in explanation.to_html()


def picture_of(explanation) -> ElementTree.Element:
    """The picture in its figure; it is XML, so that a mistake in it is an error."""
    html = explanation.to_html()
    start = html.index('<div class="fz-picture"')
    return ElementTree.fromstring(html[start : html.index("<figcaption", start)])


def rows_of(explanation, side: str) -> list[str]:
    """The names in one column of the picture, without its heading."""
    column = picture_of(explanation).find(f"div[@class='fz-{side}']")
    return [name.text for name in column.iterfind(".//span[@class='fz-name']")][1:]


def test_the_picture_is_well_formed_and_has_a_label(explanation):
    picture = picture_of(explanation)
    assert picture.get("role") == "img"
    assert f"{explanation.score:.4f}" in picture.get("aria-label")
    assert rows_of(explanation, "left") == [word.word for word in explanation.left.words]


def test_without_words_on_one_side_there_is_no_empty_picture(model):
    assert "fz-picture" not in model.explain("", "a dog").to_html().partition("</style>")[2]


def test_every_number_is_there_without_colour(explanation):
    text = parsed(explanation.to_html()).text
    for word in (*explanation.left.words, *explanation.right.words):
        assert f"{word.share:.4f}" in text
        assert word.note in text


def test_hostile_text_is_escaped_everywhere():
    model = fuzzbow.load(tokenizer="whitespace")
    html = html_page([model.explain(HOSTILE, HOSTILE)], title="<i>")
    checker = parsed(html)
    assert "script" not in {tag for tag, _ in checker.tags}
    assert "<i>" not in html
    assert "\x1b" not in html
    html.encode("utf-8")


def test_every_style_rule_is_bound_to_the_fragment(explanation):
    html = explanation.to_html()
    style = html[html.index("<style>") + 7 : html.index("</style>")]
    style = style.replace("@container (max-width:520px){", "")
    selectors = [
        selector.strip()
        for rule in style.split("}")
        if "{" in rule
        for selector in rule.partition("{")[0].split(",")
    ]
    assert len(selectors) > 20
    assert all(".fuzzbow-explanation" in selector.split()[0] for selector in selectors)


def test_a_fragment_is_one_element_without_a_page_around_it(explanation):
    html = explanation.to_html()
    assert html.startswith("<figure ")
    assert html.endswith("</figure>")
    assert html == explanation._repr_html_()
    tags = [tag for tag, _ in parsed(html).tags]
    assert not {"html", "head", "body", "main", "h1"} & set(tags)
    assert tags.count("figure") == tags.count("style") == 1


def test_a_page_has_one_style_sheet_and_a_heading_for_each_figure(explanation):
    page = html_page([explanation, explanation], headings=["first", HOSTILE])
    tags = [tag for tag, _ in parsed(page).tags]
    assert (tags.count("figure"), tags.count("style"), tags.count("h1")) == (2, 1, 1)
    assert page.index("<h2>first</h2>") < page.index("<figure") < page.index("<h2>&lt;script")
    with pytest.raises(InputError, match="as many as explanations, 2; got 1"):
        html_page([explanation, explanation], headings=["first"])


def test_colours_and_type_are_those_of_the_palette(explanation):
    style = explanation.to_html().partition("</style>")[0]
    assert style_variables() in style
    rules = style.replace(style_variables(), "")
    assert not re.findall(r"#[0-9a-f]{3,8}|rgb\(|font-family", rules)


def test_long_texts_show_the_strongest_words_and_count_the_rest(model):
    words = model.vectors.words
    explanation = model.explain(" ".join(words[900:1100]), " ".join(words[1100:1300]))
    shown = set(rows_of(explanation, "left")), set(rows_of(explanation, "right"))
    for link in links_of(explanation.left, explanation.right)[:10]:
        assert explanation.left.words[link.left].word in shown[0]
        assert explanation.right.words[link.right].word in shown[1]
    assert f"… {len(explanation.left.words) - 40} more" in str(explanation)
    assert f"… {len(explanation.left.words) - 20} more" in explanation.to_html()


def test_of_a_long_text_the_telling_passage_is_open_and_the_rest_folded():
    text = " ".join(["plane"] * 200 + ["the", "cat", "sat"] + ["plane"] * 200)
    html = fuzzbow.load(measure="dynamax-jaccard").explain(text, "a cat").to_html()
    opened, _, folded = html.partition("</style>")[2].partition("<details>")
    assert "cat</span>" in opened
    assert opened.count("plane</span>") < 50
    assert folded.startswith("<summary>The whole left text, 403 words</summary>")
    assert folded.count("plane</span>") >= 400


@pytest.mark.parametrize("width", [60, 80, 120])
def test_terminal_output_keeps_the_width(explanation, width):
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(explanation)
    lines = console.export_text().splitlines()
    assert max(map(len, lines)) <= width


def test_terminal_output_shows_every_share(model):
    explanation = model.explain("He has a cat", "She had one dog")
    lines = str(explanation).splitlines()
    for word in (*explanation.left.words, *explanation.right.words):
        assert any(word.word in line and f"{word.share:.4f}" in line for line in lines)
    assert f"{explanation.score:.4f}" in lines[0]
    assert "█" in str(explanation)


def test_terminal_output_has_no_control_characters():
    shown = str(fuzzbow.load(tokenizer="whitespace").explain(HOSTILE, "[bold]red[/bold]"))
    assert "\x1b" not in shown
    assert "[bold]red[/bold]" in shown
    shown.encode("utf-8")


def test_terminal_output_of_80_columns_cuts_no_number_and_shows_what_counts():
    texts = ["kittens are young cats", "a small cat sleeps on a sofa"]
    why = fuzzbow.load(purpose="passages").fit(texts).explain("where does a kitten sleep", texts[0])
    console = Console(file=io.StringIO(), width=80, color_system=None)
    console.print(rich_explanation(why, counting=True))
    shown = console.file.getvalue()
    for word in why.left.words:
        for item in word.stand_ins:
            assert f"{item.similarity:.2f} {item.word}" in shown
    assert "where   " not in shown
    assert "… 4 more" in shown
    assert not why.right.share  # words of the document add nothing, so none is listed
    assert "right: kittens are young cats\n  adds 0.0000\n" in shown
    assert "best match" not in shown
    assert max(map(len, shown.splitlines())) <= 80
