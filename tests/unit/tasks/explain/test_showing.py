"""Explanations as dict, JSON, HTML and terminal output."""

from __future__ import annotations

import io
import json
from dataclasses import fields
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from rich.console import Console

import fuzzbow
from fuzzbow import InputError
from fuzzbow.tasks.explain import Dimension, Explanation, Word, html_page

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
    model = fuzzbow.load(measure=request.param)
    return model.explain("The firm paid 1,650 zxqwv", "A company gave 9,900")


def test_the_dict_has_the_fields_of_the_dataclasses(explanation):
    data = explanation.to_dict()
    assert set(data) == {field.name for field in fields(Explanation)}
    assert set(data["left"]) == {"text", "share", "words"}
    assert set(data["right"]["words"][0]) == {field.name for field in fields(Word)}
    for dimension in data["dimensions"]:
        assert set(dimension) == {field.name for field in fields(Dimension)}


def test_json_is_the_dict(explanation):
    assert json.loads(explanation.to_json()) == explanation.to_dict()


def test_the_dict_is_plain(explanation):
    def plain(value):
        if isinstance(value, dict):
            return all(type(key) is str and plain(item) for key, item in value.items())
        if isinstance(value, list):
            return all(map(plain, value))
        return value is None or type(value) in (str, int, float)

    assert plain(explanation.to_dict())


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


def test_the_picture_is_well_formed_and_has_a_label(explanation):
    html = explanation.to_html()
    svg = html[html.index("<svg") : html.index("</svg>") + len("</svg>")]
    picture = ElementTree.fromstring(svg)
    assert picture.get("role") == "img"
    assert f"{explanation.score:.4f}" in picture.get("aria-label")


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
    style = style.replace("@media (prefers-color-scheme:dark){", "")
    selectors = [
        selector.strip()
        for rule in style.split("}")
        if "{" in rule
        for selector in rule.partition("{")[0].split(",")
    ]
    assert len(selectors) > 20
    assert all(".fuzzbow-explanation" in selector.split()[0] for selector in selectors)


def test_notebooks_show_the_html(explanation):
    assert explanation._repr_html_() == explanation.to_html()


def test_long_texts_show_the_words_that_matter_and_count_the_rest():
    text = " ".join(f"word{number}" for number in range(100))
    explanation = fuzzbow.load().explain(text, "word3")
    assert "… 60 more" in str(explanation)
    assert "… 60 more" in explanation.to_html()
    assert len(explanation.left.words) == 100


@pytest.mark.parametrize("width", [60, 80, 120])
def test_terminal_output_keeps_the_width(explanation, width):
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(explanation)
    lines = console.export_text().splitlines()
    assert max(map(len, lines)) <= width


def test_terminal_output_shows_every_share():
    explanation = fuzzbow.load().explain("He has a cat", "She had one dog")
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


def test_headings_of_a_page_are_one_for_each_explanation(explanation):
    page = html_page([explanation, explanation], headings=["first", HOSTILE])
    parsed(page)
    assert page.index("<h2>first</h2>") < page.index("<figure") < page.index("<h2>&lt;script")
    with pytest.raises(InputError, match="as many as explanations, 2; got 1"):
        html_page([explanation, explanation], headings=["first"])
