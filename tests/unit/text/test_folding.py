"""Unicode folding writes each character in one way, and knows where it stood."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzzbow.text.folding import fold, fold_offsets, plain_letters


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("cafe\u0301", "café"),
        ("ＡＢＣ１２３", "ABC123"),
        ("oﬃce ﬁle", "office file"),
        ("x²", "x2"),
        ("½ cup", "1/2 cup"),
        ("don’t ‘go’ “now” don´t", "don't 'go' \"now\" don't"),
        ("5–10 −5 a—b", "5-10 -5 a--b"),
        ("\ufeffa\u200bb\u00adc\u2060", "abc"),
        ("👍🏽 ❤️", "👍 ❤"),
        ("👨‍👩‍👧", "👨"),
        ("Acme™", "Acme™"),
        ("no\u00a0break", "no break"),
    ],
)
def test_fold(text, folded):
    assert fold(text) == folded
    assert fold(folded) == folded


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_is_returned_as_it_is(text):
    assert fold(text) is text


@given(st.text(max_size=12))
def test_folding_twice_changes_nothing_more(text):
    once = fold(text)
    assert len(fold_offsets(text)) == len(once) + 1


@given(st.text(st.sampled_from("aé\u0301ﬁ—\u200b한\u1112\u1161½👨\u200d👩 "), max_size=12))
def test_offsets_never_fall_and_end_at_the_end(text):
    offsets = fold_offsets(text)
    assert offsets == sorted(offsets)
    assert offsets[-1] == len(text)
    assert len(offsets) == len(fold(text)) + 1


def test_offsets_say_where_characters_stood():
    text = "ﬁle — cafe\u0301 ok"
    start = fold(text).index("ok")
    assert text[fold_offsets(text)[start] :] == "ok"


@pytest.mark.parametrize(
    ("word", "plain"),
    [("Zürich", "Zurich"), ("Straße", "Strasse"), ("Ørsted", "Orsted"), ("москва", "москва")],
)
def test_plain_letters(word, plain):
    assert plain_letters(word) == plain
