"""Ranges of scores for every pair of messy texts, and texts of symbols."""

from __future__ import annotations

import pytest

import fuzzbow
from tests.messy.pairs import (
    DIFFERENT,
    SAME,
    TABLE,
    Pair,
    decode_escapes,
    load_model,
    read_pairs,
    score,
    score_if_possible,
)

# rows that do not hold: `python -m tests.messy.report --known > tests/messy/known.txt`
KNOWN = TABLE.with_name("known.txt").read_text(encoding="utf-8").split()

PAIRS = read_pairs()
# number of rows whose score may be embarrassing
BUDGET = 90


def parameter(pair: Pair):
    marks = ()
    if pair.name in KNOWN:
        marks = (pytest.mark.xfail(strict=True, reason="a known limit"),)
    return pytest.param(pair, id=pair.name, marks=marks)


@pytest.mark.parametrize("pair", [parameter(pair) for pair in PAIRS])
def test_pair_scores_in_its_range(pair: Pair):
    value = score(pair)
    texts = f"{pair.left!a} and {pair.right!a}"
    assert pair.holds(value), f"{value:.3f} for {texts}: {pair.note or pair.kind}"


def test_embarrassing_rows_stay_within_the_budget():
    scores = [(pair, score_if_possible(pair)) for pair in PAIRS]
    embarrassing = [pair for pair, value in scores if value is not None and pair.embarrasses(value)]
    assert len(embarrassing) <= BUDGET


@pytest.mark.filterwarnings("error")
def test_numbers_and_symbols_alone_are_no_other_language():
    model = fuzzbow.load()
    assert model.similarity("1,650.00 ★", "$5 (555) 123-4567") == 0.0
    assert model.pairs(["1,650 ™"] * 3, ["1650"] * 3).min() > 0.9


def test_rows_of_the_table_differ_and_ask_for_something():
    assert set(KNOWN) <= {pair.name for pair in PAIRS}
    assert len(set(KNOWN)) == len(KNOWN)
    assert len({(pair.purpose, pair.left, pair.right) for pair in PAIRS}) == len(PAIRS)
    assert all(0 <= pair.lowest <= pair.highest <= 1 for pair in PAIRS)
    assert all(pair.lowest > 0 or pair.highest < 1 for pair in PAIRS)
    assert sum(pair.lowest >= SAME for pair in PAIRS) >= 75
    assert sum(pair.highest <= DIFFERENT for pair in PAIRS) >= 75


@pytest.mark.parametrize(
    ("written", "decoded"),
    [(r"a\u200bb", "a\u200bb"), (r"\U0001f44d", "\U0001f44d"), (r"a\tb\\n", "a\tb\\n")],
)
def test_escapes_are_decoded(written, decoded):
    assert decode_escapes(written) == decoded


SENTENCES = [
    "The committee approved the budget for next year",
    "I would like to change my delivery address",
    "A man is playing a guitar on stage",
]
SYMBOLS = [
    *"•™®©€£¥§¶†‡▪▫●○■□◆→←↑↓⇒✓✗✔★☆♥♪",
    *"°±×÷≈…¿¡«»“”‘’–—#|~^_=+<>/\\*",
    *("😀", "🔥", "👍", "❤️", "🎉", "👨‍👩‍👧", "🇫🇷"),
    *("**", "##", "###", "--", "---", "==", "...", "!!!", "***", "~~", "||", ">>", "=>", "->"),
    ":)",
]
TAGS = ["<b>", "</b>", "<br>", "<br/>", '<p class="x">', "<div>", "</div>", "<span style='a: b'>"]
# byte order mark, zero-width space, non-joiner and joiner, word joiner, soft hyphen
INVISIBLE = "\ufeff\u200b\u200c\u200d\u2060\u00ad"


def test_symbols_are_at_least_60_and_differ():
    assert len(set(SYMBOLS)) == len(SYMBOLS) >= 60


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_symbol_around_sentences_hardly_counts(symbol):
    marked = [f"{symbol} {sentence} {symbol}" for sentence in SENTENCES]
    assert load_model("sentences").pairs(SENTENCES, marked).min() >= 0.97
    different = fuzzbow.similarity(*marked[:2])  # is as similar as without the symbol
    assert abs(different - fuzzbow.similarity(*SENTENCES[:2])) <= 0.035


@pytest.mark.parametrize("tag", TAGS)
def test_tag_counts_nothing_with_clean_web(tag):
    for sentence in SENTENCES:
        words = sentence.split()
        within = tag.join([" ".join(words[:4]), " ".join(words[4:])])
        for text in (f"{tag}{sentence}{tag}", f"{tag} {sentence} {tag}", within):
            assert load_model("web").similarity(sentence, text) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("purpose", ["sentences", "web"])
@pytest.mark.parametrize("character", INVISIBLE, ids=lambda character: f"{ord(character):x}")
def test_invisible_character_counts_nothing(character, purpose):
    for sentence in SENTENCES:
        within = f"{sentence[:6]}{character}{sentence[6:]}"
        around, apart = (f"{character}{gap}{sentence}{gap}{character}" for gap in ("", " "))
        for text in (within, around, apart):
            assert load_model(purpose).similarity(sentence, text) == pytest.approx(1, abs=1e-6)
