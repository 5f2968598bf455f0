"""Words of records: codes in one form, units apart, everything else as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzzbow.text import parse_tokenizer

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


def test_spans_cover_what_was_written():
    text = "Garmin 010-00715-20, 64GB"
    assert [text[a:b] for a, b in RECORDS.spans(text)] == [
        "Garmin", "010-00715-20", ",", "64", "GB",
    ]  # fmt: skip


@given(st.text(alphabet="aB19-/. ,é'_") | st.text())
def test_any_text_has_a_span_for_each_word_in_order(text):
    words, spans = RECORDS.words(text), RECORDS.spans(text)
    assert len(words) == len(spans)
    assert all(words)
    assert [start for start, _ in spans] == sorted(start for start, _ in spans)
    assert all(0 <= start <= end <= len(text) for start, end in spans)
