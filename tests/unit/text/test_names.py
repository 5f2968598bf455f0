"""Spellings of one name become the same words."""

from __future__ import annotations

import unicodedata

import pytest

from fuzzbow.text import TOKENIZERS

NAMES = TOKENIZERS["names"]()

SPELLINGS = [
    ("Smith, JOHN", "smith john"),
    ("O'Brien", "obrien"),
    ("O’Brien", "obrien"),
    ("O' Brien", "obrien"),
    ("d´Angelo", "dangelo"),
    ("Mc Donald", "mcdonald"),
    ("Mac Miller", "mac miller"),
    ("Jean-Pierre Dupont", "jean pierre dupont"),
    ("García Márquez", "garcia marquez"),
    ("Ørsted Łukasz Đorđe Þór", "orsted lukasz dorde thor"),
    ("STRAUẞ Strauß", "strauss strauss"),
    ("Dr. John Smith, Jr.", "john smith"),
    ("Ph.D. Ann Lee, PhD", "ann lee"),
    ("Dr", "dr"),
    ("J.R.R. Tolkien", "j r r tolkien"),
    ("John_Smith", "john smith"),
    ("राम शर्मा", "राम शर्मा"),
    ("李小龙", "李小龙"),
    ("Ｊｏｈｎ", "john"),
    ("", ""),
    ("' - .", ""),
]


@pytest.mark.parametrize(("text", "words"), SPELLINGS)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_words_of_names(text, words, form):
    assert " ".join(NAMES.words(unicodedata.normalize(form, text))) == words


@pytest.mark.parametrize("text", [text for text, _ in SPELLINGS])
def test_every_word_has_its_place_in_the_text(text):
    spans = NAMES.spans(text)
    assert len(spans) == len(NAMES.words(text))
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert spans == sorted(spans)


def test_a_span_covers_the_parts_of_a_word():
    text = "Dr. Mc Donald"
    assert [text[start:end] for start, end in NAMES.spans(text)] == ["Mc Donald"]
