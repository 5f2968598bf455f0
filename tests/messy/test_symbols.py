"""Symbols around a sentence hardly change its score, and markup does not change it at all."""

from __future__ import annotations

import pytest

import fuzzbow
from tests.messy.pairs import load_model

SENTENCES = [
    "The committee approved the budget for next year",
    "I would like to change my delivery address",
    "A man is playing a guitar on stage",
]
SYMBOLS = [
    *"•™®©€£¥§¶†‡▪▫●○■□◆→←↑↓⇒✓✗✔★☆♥♪",
    *"°±×÷≈…¿¡«»“”‘’–—#|~^_=+<>/\\*",
    *("😀", "🔥", "👍", "❤️", "🎉", "👨‍👩‍👧", "🇫🇷"),
    *(
        "**",
        "##",
        "###",
        "--",
        "---",
        "==",
        "...",
        "!!!",
        "***",
        "~~",
        "||",
        ">>",
        "=>",
        "->",
        ":)",
    ),
]
TAGS = ["<b>", "</b>", "<br>", "<br/>", '<p class="x">', "<div>", "</div>", "<span style='a: b'>"]
INVISIBLE = {
    "byte order mark": "\ufeff",
    "zero-width space": "\u200b",
    "zero-width non-joiner": "\u200c",
    "zero-width joiner": "\u200d",
    "word joiner": "\u2060",
    "soft hyphen": "\u00ad",
}


def test_symbols_are_at_least_60_and_differ():
    assert len(set(SYMBOLS)) == len(SYMBOLS) >= 60


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_symbol_around_a_sentence_hardly_counts(symbol):
    for sentence in SENTENCES:
        assert fuzzbow.similarity(sentence, f"{symbol} {sentence} {symbol}") >= 0.97


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_symbol_on_both_sides_changes_nothing_between_different_texts(symbol):
    left, right = SENTENCES[:2]
    marked = fuzzbow.similarity(f"{symbol} {left} {symbol}", f"{symbol} {right} {symbol}")
    assert abs(marked - fuzzbow.similarity(left, right)) <= 0.035


@pytest.mark.parametrize("tag", TAGS)
def test_tag_counts_nothing_with_clean_web(tag):
    model = load_model("web")
    for sentence in SENTENCES:
        words = sentence.split()
        halves = " ".join(words[:4]), " ".join(words[4:])
        assert model.similarity(sentence, f"{tag}{sentence}{tag}") == pytest.approx(1, abs=1e-6)
        assert model.similarity(sentence, f"{tag} {sentence} {tag}") == pytest.approx(1, abs=1e-6)
        assert model.similarity(sentence, tag.join(halves)) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("purpose", ["sentences", "web"])
@pytest.mark.parametrize("character", INVISIBLE.values(), ids=INVISIBLE)
def test_invisible_character_counts_nothing(character, purpose):
    model = load_model(purpose)
    for sentence in SENTENCES:
        within = f"{sentence[:6]}{character}{sentence[6:]}"
        around = f"{character}{sentence}{character}"
        apart = f"{character} {sentence} {character}"
        for text in (within, around, apart):
            assert model.similarity(sentence, text) == pytest.approx(1, abs=1e-6)
