from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fuzzbow
from fuzzbow import InputError, WordVectors
from fuzzbow.text import is_contrasted, is_number, parse_tokenizer, trigrams
from fuzzbow.text.folding import fold, fold_offsets, plain_letters
from fuzzbow.text.tokenizer import Tokenizer
from fuzzbow.text.tokenizers import TOKENIZERS


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("He has 1,650 cats.", ["He", "has", "1650", "cats", "."]),
        ("3.5 and .5", ["3.5", "and", "0.5"]),
        ("isn't it's we'll", ["is", "n't", "it", "'s", "we", "'ll"]),
        ("the U.S. at 5 p.m.", ["the", "US", "at", "5", "pm"]),
        ("can’t", ["can", "n't"]),
        ("wait... what--no", ["wait", ".", "what", "-", "no"]),
        ("well-known 1990s", ["well", "known", "1990s"]),
        ("Ærøskøbing 東京", ["Aeroskobing", "東", "京"]),
        ("हिन्दी cafe\u0301", ["हिन्दी", "cafe"]),
        ("I ❤\ufe0f it", ["I", "❤", "it"]),
        ("٣٫٥ ٣.٥", ["٣", "٫", "٥", "٣.٥"]),
        ("😀!", ["😀", "!"]),
        ("-5 (+5) a-5 5-10", ["-5", "(", "5", ")", "a", "5", "5", "10"]),
        ("call +1 (555) 123-4567 now", ["call", "5551234567", "now"]),
        ("C++, C# and 6 %", ["C++", ",", "C#", "and", "6", "percent"]),
    ],
)
def test_default_words(text, words):
    assert parse_tokenizer("words").words(text) == words


@given(st.text())
def test_spans_point_at_the_words(text):
    tokenizer = parse_tokenizer("whitespace")
    assert [text[start:end] for start, end in tokenizer.spans(text)] == tokenizer.words(text)


def test_spans_of_words_in_another_form_point_at_what_was_written():
    text = "ﬁrst don’t pay $1,650.50 on 2024-01-05 at\u00ad 64GB"
    tokenizer = parse_tokenizer("words")
    spans = "|".join(text[start:end] for start, end in tokenizer.spans(text))
    amounts = "$1,650.50|$1,650.50|on|2024-01-05|2024-01-05|2024-01-05"
    assert spans == f"ﬁrst|do|n’t|pay|{amounts}|at\u00ad|64GB|64GB"
    assert len(tokenizer.words(text)) == spans.count("|") + 1


def test_a_megabyte_of_awkward_digits_takes_linear_time():
    assert len(parse_tokenizer("words").words("1." * 500_000 + "a")) == 500_001


def test_moses_splits_and_lower_cases_and_has_spans():
    pytest.importorskip("sacremoses")
    moses = parse_tokenizer("moses")
    assert " ".join(moses.words("Don't stop, it's <b> 3.5!")) == "don 't stop , it 's < b > 3.5 !"
    text = "The End, said Ann."
    spans = [text[start:end] for start, end in moses.spans(text)]
    assert spans == ["The", "End", ",", "said", "Ann", "."]


def test_any_function_is_a_tokenizer_with_spans():
    tokenizer = parse_tokenizer(lambda text: text.split(","))
    assert (tokenizer.words("a,b"), tokenizer.spans("a,b")) == (["a", "b"], [(0, 1), (2, 3)])
    missing = parse_tokenizer(lambda text: ["cat", "dogs"])  # a word that is not in the text
    assert missing.spans("cat dog") == [(0, 3), (3, 3)]


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (str.lower, "must return a list of strings"),
        ("whitespaces", "did you mean 'whitespace'"),
        (3, "must be a name, a Tokenizer or callable"),
    ],
)
def test_what_is_no_tokenizer_is_refused(choice, message):
    with pytest.raises(InputError, match=message):
        parse_tokenizer(choice).words("a b")


def test_numbers_contrast_and_so_do_months_and_currencies_without_other_meanings():
    numbers = ("7", "1,650", ".5", "5.", "-3", "10:30", "5/1")
    assert all(map(is_number, numbers))
    assert not any(map(is_number, ("5pm", ".", "five", "-", "a1")))
    assert all(map(is_contrasted, ("July", "monday", "euros", "GB", "second", *numbers)))
    assert not any(map(is_contrasted, ("may", "march")))
    assert trigrams("a") == {"<a>"}


@dataclass(frozen=True)
class HyphenTokenizer(Tokenizer):
    """A toy: words are what hyphens separate."""

    name: str = "hyphens"

    def words(self, text):
        return text.split("-")


def test_a_model_is_loaded_with_a_new_tokenizer_by_its_name(monkeypatch):
    monkeypatch.setitem(TOKENIZERS, "hyphens", HyphenTokenizer)
    vectors = WordVectors.from_words(["black cat", "dog"], [[1.0, 0.0], [0.6, 0.8]])
    model = fuzzbow.load(vectors, measure="avg-cosine", tokenizer="hyphens")
    assert model.similarity("black cat", "dog") == pytest.approx(0.6)
    assert model.similarity("black cat-dog", "dog-black cat") == pytest.approx(1.0)


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


@given(
    st.text(max_size=12)
    | st.text(st.sampled_from("aé\u0301ﬁ—\u200b한\u1112\u1161½👨\u200d👩 "), max_size=12)
)
def test_folding_keeps_ascii_and_has_offsets_in_order(text):
    folded, offsets = fold(text), fold_offsets(text)
    assert folded is text or not text.isascii()
    assert len(offsets) == len(folded) + 1
    assert offsets == sorted(offsets)
    assert offsets[-1] == len(text)


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
