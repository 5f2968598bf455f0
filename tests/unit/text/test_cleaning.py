"""Cleaning of markup, in equal length, and the words of records."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fuzzbow import InputError
from fuzzbow.text import CLEANERS, clean_web, parse_clean, parse_tokenizer
from fuzzbow.text.cleaning import JOINER, MARKUP

REMOVED = {
    "tags": ("<p>A <b>cat</b></p>", "A cat"),
    "attributes": ("<a href='x>y' target=_blank>A cat</a>", "A cat"),
    "bare attributes": ("<td nowrap class=x><input required/>A cat", "A cat"),
    "custom elements": ("<my-box data-x><o:p>A cat</o:p></my-box>", "A cat"),
    "upper case": ("<DIV>A<BR/>cat</DIV >", "A cat"),
    "tags between words": ("a cat<br>sleeps<p>here", "a cat sleeps here"),
    "an inline tag without its partner": ("a cat<b>sleeps", "a cat sleeps"),
    "escaped tags": ("&lt;p class=&quot;x&quot;&gt;A cat&lt;/p&gt;", "A cat"),
    "comments": ("A <!-- <b>dog</b> --> cat", "A cat"),
    "a comment without an end": ("<!-- A cat", "A cat"),
    "scripts": ("A <script type='x'>var dog = '<b>'</script> cat", "A cat"),
    "styles": ("A <STYLE>\np {color: red}\n</style> cat", "A cat"),
    "declarations": ("<!DOCTYPE html><?xml version='1.0'?><![CDATA[A cat]]>", "A cat"),
    "named entities": ("A&nbsp;caf&eacute; &lt; &hellip;", "A café < …"),
    "numbers of entities": ("&#65; caf&#xE9; &#150; &#0;", "A café – \ufffd"),
    "entities escaped twice": ("1 &amp;lt; 2 &amp;amp; 3", "1 < 2 & 3"),
    "entities that follow each other": ("&#65;&#66;C", "ABC"),
    "bold": ("a **bold cat** and __one__", "a bold cat and one"),
    "emphasis": ("a *small cat* and _one_", "a small cat and one"),
    "nested emphasis": ("***both*** **bold *small* cat**", "both bold small cat"),
    "crossed out": ("a ~~dog~~ cat", "a dog cat"),
    "headings": ("# Cats #\n### More", "Cats More"),
    "quotes": ("> a cat\n>> sleeps\n>here", "a cat sleeps here"),
    "bullets": ("- a\n* b\n  + c\n- [x] d", "a b c d"),
    "tasks": ("[ ] a\n[x] b", "a b"),
    "code": ("a `cat` and ``a ` b``", "a cat and a ` b"),
    "fences": ("```python\ncat\n```", "cat"),
    "links": ('see [the cat](/cat_(x) "a title").', "see the cat ."),
    "images": ("![a cat](cat.png)", "a cat"),
    "an image in a link": ("[![a cat](cat.png)](https://x.org)", "a cat"),
    "rules": ("a\n---\nb\n* * *\nc\n===", "a b c"),
    "tables": ("| a | b |\n|---|:-:|\n| c | d |", "a b c d"),
    "pipes between words": ("a | b", "a b"),
    "URLs": ("a https://x.org/a_(b)?c=d&amp;e#f cat", "a cat"),
    "URLs in brackets": ("a (http://x.org/a) <https://x.org> www.x.org.", "a ( ) ."),
    "a URL in Chinese": ("请看http://x.com，谢谢", "请看 ，谢谢"),
}
KEPT = [
    "\ud800",
    "snake_case and _private, __slots, a_b_c",
    "a < b and x<y, x > y, <3, <- ->",
    "x*y, 2 * 3, 2 ** 3, x**2 + y**2, M*A*S*H, *args, **kwargs",
    "AT&T, R&D; a&b",
    "#1, #tag, C#, C++",
    "john_doe@example.com, _j_@x.com, <john@x.com>",
    "List<String>, <T>, a<b and c>d",
    "f[i](x), a[0], [sic]",
    "a-b, -5, 3 - 4, a--b, a || b, either|or",
    "5* hotels and 4* hotels, 5` tall, ~5",
    "Name: ____ and ***",
    "httpd, awww. and http:// alone",
    "<script not closed",
    "price >5 and >=6",
]
WITHIN_WORDS = {
    "im<b>port</b>ant": "important",
    "H<sub>2</sub>O": "H2O",
    "<strong>C</strong>ats": "Cats",
    "in<wbr>visible": "invisible",
    "a <a href='x'><i>cat</i></a>'s": "a cat's",
    "AT&amp;T": "AT&T",
    "caf&eacute;s": "cafés",
    "im**port**ant": "important",
    "**C**ats": "Cats",
}
MARKS = (
    *("<b>", "</b>", "<a href='", "&amp;", "&lt;", "*", "**", "_", "`", "```", "#", "> ", "- "),
    *("[", "](", ")", "![", "|", "\n", " ", "a", "é", "http://x", "www.", "<!--", "-->", "~~"),
)
ANY_TEXT = st.one_of(st.text(), st.lists(st.sampled_from(MARKS)).map("".join))
# what begins something and never ends it
HOSTILE = [
    *("<", "[", "&", "*", "`", "_", "~", "#", ">", "|", "-", "=", "\n", " ", "- ", "# ", "> "),
    *("<a ", "<a x=", "<a x='", "<a x='\"", "<a x=\"'", "<b x=\"</b>'", "<!--", "<script>", "</"),
    *("&lt;", "&lt;a x=", "&lt;a x=&quot;", "&amp;", "&#", "![", "](", "[a](", '[a](b "'),
    *("http://", "www.", "http://)", "**a", "a_", "**a**b", "``a `", "<b>", "</b>", "|-", "*#~~"),
]


def shown(text: str) -> str:
    """What a reader sees of a cleaned text, white space aside."""
    return " ".join(clean_web(text).replace(JOINER, "").split())


@pytest.mark.parametrize(("text", "expected"), REMOVED.values(), ids=REMOVED)
def test_markup_is_removed_and_nothing_more_by_cleaning_again(text, expected):
    assert shown(text) == shown(clean_web(text)) == expected


@pytest.mark.parametrize("text", KEPT)
def test_what_only_looks_like_markup_stays(text):
    assert clean_web(text) == text


@pytest.mark.parametrize(("text", "expected"), WITHIN_WORDS.items())
def test_markup_inside_a_word_leaves_one_word(text, expected):
    assert shown(text) == expected
    assert JOINER in clean_web(text)


@pytest.mark.parametrize(
    "text", ["<b>A cat</b> sleeps", "a **cat** sleeps", "A &lt; b", "<b>.</b>"]
)
def test_no_joiner_stands_at_the_edge_of_a_word(text):
    assert JOINER not in clean_web(text)


@given(ANY_TEXT)
@example("<script>a\n</script>&NotEqualTilde;&nGt;")
@example("\r\n> \u2028**a**")
def test_length_is_kept_and_text_without_markup_is_the_same_object(text):
    cleaned = clean_web(text)
    assert len(cleaned) == len(text)
    assert cleaned is text or MARKUP.search(text) is not None


@given(st.text(alphabet="ab *_<>bi/\n#-"))
def test_letters_that_stay_are_where_they_were(text):
    cleaned = clean_web(text)
    assert all(new in (old, " ", JOINER) for old, new in zip(text, cleaned, strict=True))


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_text_takes_linear_time(unit):
    text = unit * (200_000 // len(unit))
    start = time.process_time()
    assert len(clean_web(text)) == len(text)
    assert time.process_time() - start < 1.5  # linear: about 0.1 s; quadratic: many seconds


def test_a_cleaner_is_found_by_its_name():
    assert parse_clean("web") is CLEANERS["web"] is clean_web
    assert parse_clean(None) is None
    with pytest.raises(InputError, match="did you mean 'web'"):
        parse_clean("wbe")
    for choice in ("", 3, clean_web):
        with pytest.raises(InputError, match="clean must be one of web; got "):
            parse_clean(choice)


RECORDS = parse_tokenizer("records")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("010-00715-20", ["0100071520"]),
        ("010.00715.20", ["0100071520"]),
        ("0100071520", ["0100071520"]),
        ("KX-TGA450B", ["kxtga450b"]),
        ("MB111LL/A", ["mb111lla"]),
        ("CL-211 ink", ["cl211", "ink"]),
        ("64GB 13in", ["64", "GB", "13", "in"]),
        ("1.5GHz", ["1.5", "GHz"]),
        ("3.5", ["3.5"]),
        ("1,650", ["1650"]),
        ("18-year-old", ["18", "year", "old"]),
        ("F-16", ["F", "16"]),
        ("2024-01-05", ["january", "5", "2024"]),
        ("3:55", ["3:55"]),
        ("ABC - 123", ["ABC", "-", "123"]),
        ("70DG007QUX", ["70DG007QUX"]),
        ("well-known", ["well", "known"]),
        ("AB1--CD2", ["AB1", "-", "CD2"]),
        ("", []),
        ("--", ["-"]),
    ],
)
def test_words(text, words):
    assert RECORDS.words(text) == words


def test_spans_of_records_cover_what_was_written():
    text = "Garmin 010-00715-20, 64GB"
    spans = "|".join(text[start:end] for start, end in RECORDS.spans(text))
    assert spans == "Garmin|010-00715-20|,|64|GB"


@given(st.text(alphabet="aB19-/. ,é'_") | st.text())
def test_any_text_has_a_span_for_each_word_in_order(text):
    words, spans = RECORDS.words(text), RECORDS.spans(text)
    assert len(words) == len(spans)
    assert all(words)
    assert [start for start, _ in spans] == sorted(start for start, _ in spans)
    assert all(0 <= start <= end <= len(text) for start, end in spans)
