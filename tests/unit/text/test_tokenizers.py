from __future__ import annotations

from dataclasses import dataclass

import pytest

import fuzzbow
from fuzzbow import InputError, WordVectors
from fuzzbow.text import is_number, parse_tokenizer, trigrams
from fuzzbow.text.registry import TOKENIZERS
from fuzzbow.text.tokenizers import align
from fuzzbow.text.words import PLAIN_QUOTES

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
        ("He has 1,650 cats.", ["He", "has", "1,650", "cats", "."]),
        ("3.5 and .5", ["3.5", "and", ".", "5"]),
        ("isn't it's we'll", ["is", "n't", "it", "'s", "we", "'ll"]),
        ("the U.S. at 5 p.m.", ["the", "U.S.", "at", "5", "p.m."]),
        ("can’t", ["ca", "n't"]),
        ("wait... what--no", ["wait", "...", "what", "--", "no"]),
        ("well-known 1990s", ["well", "-", "known", "1990s"]),
        ("Ærøskøbing 東京", ["Ærøskøbing", "東", "京"]),
        ("हिन्दी cafe\u0301 e\u0301.u\u0301.", ["हिन्दी", "cafe\u0301", "e\u0301.u\u0301."]),
        ("I ❤\ufe0f it", ["I", "❤", "\ufe0f", "it"]),
        ("٣٫٥ ٣.٥", ["٣", "٫", "٥", "٣.٥"]),
        ("😀!", ["😀", "!"]),
    ],
)
def test_default_words(text, words):
    assert parse_tokenizer("words").words(text) == words


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("name", ["words", "whitespace"])
def test_spans_point_at_the_words(name, text):
    tokenizer = parse_tokenizer(name)
    plain = text.translate(PLAIN_QUOTES) if name == "words" else text
    assert [plain[start:end] for start, end in tokenizer.spans(text)] == tokenizer.words(text)


def test_a_megabyte_of_awkward_digits_takes_linear_time():
    assert len(parse_tokenizer("words").words("1." * 500_000 + "a")) < 500_000


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


def test_numbers_are_digits_with_points_and_commas():
    assert [is_number(word) for word in ("7", "1,650", ".5", "5.", "5pm", ".", "five")] == [
        True, True, True, True, False, False, False,
    ]  # fmt: skip


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
