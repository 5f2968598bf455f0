from __future__ import annotations

from dataclasses import dataclass

import pytest

import fuzzbow
from fuzzbow import InputError, WordVectors
from fuzzbow.text import is_contrasted, is_number, parse_tokenizer, trigrams
from fuzzbow.text.registry import TOKENIZERS
from fuzzbow.text.tokenizers import align

TEXTS = [
    "Don't pay $1,650.50: it's U.S. money!",
    "They’re “here” – at 3.5 km…  naïve café 東京 😀",
    "  tabs\tand\nlines ",
    "",
    "\ud800 lone surrogate",
]


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


@pytest.mark.parametrize("text", TEXTS)
def test_spans_point_at_the_words(text):
    tokenizer = parse_tokenizer("whitespace")
    assert [text[start:end] for start, end in tokenizer.spans(text)] == tokenizer.words(text)


def test_spans_of_words_in_another_form_point_at_what_was_written():
    text = "ﬁrst don’t pay $1,650.50 on 2024-01-05 at\u00ad 64GB"
    tokenizer = parse_tokenizer("words")
    spans = [text[start:end] for start, end in tokenizer.spans(text)]
    date = ["2024-01-05"] * 3
    assert spans == [
        "ﬁrst",
        "do",
        "n’t",
        "pay",
        "$1,650.50",
        "$1,650.50",
        "on",
        *date,
        "at\u00ad",
        "64GB",
        "64GB",
    ]
    assert len(tokenizer.words(text)) == len(spans)


def test_a_megabyte_of_awkward_digits_takes_linear_time():
    assert len(parse_tokenizer("words").words("1." * 500_000 + "a")) == 500_001


def test_moses_splits_and_lower_cases():
    pytest.importorskip("sacremoses")
    tokenizer = parse_tokenizer("moses")
    assert tokenizer.words("Don't stop, it's <b> 3.5!") == [
        "don", "'t", "stop", ",", "it", "'s", "<", "b", ">", "3.5", "!",
    ]  # fmt: skip


def test_moses_spans_point_at_the_original_text():
    pytest.importorskip("sacremoses")
    text = "The End, said Ann."
    spans = parse_tokenizer("moses").spans(text)
    assert [text[start:end] for start, end in spans] == ["The", "End", ",", "said", "Ann", "."]


def test_any_callable_is_a_tokenizer_with_spans():
    tokenizer = parse_tokenizer(lambda text: text.split(","))
    assert tokenizer.words("a,b") == ["a", "b"]
    assert tokenizer.spans("a,b") == [(0, 1), (2, 3)]


def test_a_word_that_is_not_in_the_text_has_an_empty_span():
    assert parse_tokenizer(lambda text: ["cat", "dogs"]).spans("cat dog") == [(0, 3), (3, 3)]


def test_a_tokenizer_that_returns_a_string_is_refused():
    with pytest.raises(InputError, match="must return a list of strings"):
        parse_tokenizer(str.lower).words("a b")


def test_unknown_tokenizer_suggests_the_nearest():
    with pytest.raises(InputError, match="did you mean 'whitespace'"):
        parse_tokenizer("whitespaces")


def test_a_tokenizer_must_be_callable():
    with pytest.raises(InputError, match="must be a name or callable"):
        parse_tokenizer(3)


def test_numbers_are_digits_and_what_stands_between_them():
    numbers = ("7", "1,650", ".5", "5.", "-3", "10:30", "5/1")
    assert all(map(is_number, numbers))
    assert not any(map(is_number, ("5pm", ".", "five", "-", "a1")))


@pytest.mark.parametrize(("first", "second"), [("may", "march"), ("july", "may")])
def test_words_with_other_meanings_contrast_with_nothing(first, second):
    assert not (is_contrasted(first) and is_contrasted(second))


def test_months_and_currencies_contrast():
    assert all(map(is_contrasted, ("July", "monday", "euros", "GB", "second", "12")))


def test_trigrams_of_a_short_word():
    assert trigrams("a") == {"<a>"}


@dataclass(frozen=True)
class HyphenTokenizer:
    """A toy: words are what hyphens separate."""

    name: str = "hyphens"

    def words(self, text):
        return text.split("-")

    def spans(self, text):
        return list(align(text, self.words(text)))


def test_a_model_is_loaded_with_a_new_tokenizer_by_its_name(monkeypatch):
    monkeypatch.setitem(TOKENIZERS, "hyphens", HyphenTokenizer)
    vectors = WordVectors.from_words(["black cat", "dog"], [[1.0, 0.0], [0.6, 0.8]])
    model = fuzzbow.load(vectors, measure="avg-cosine", tokenizer="hyphens")
    assert model.similarity("black cat", "dog") == pytest.approx(0.6)
    assert model.similarity("black cat-dog", "dog-black cat") == pytest.approx(1.0)
