"""Texts to ids in the kernels: the same words as the tokenizers in Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fuzzbow
from fuzzbow import _kernel
from fuzzbow.encoding import Encoder
from fuzzbow.text import parse_tokenizer

WORDS = ["the", "cat", "n't", "'s", "1,650", "u.s.", ".", "...", "do", "NASA", "Zürich", "'", "-"]
ODD = (
    "Cat don't CAN'T it's they’re “quote” isn'tx n' 've 'VEx 3.5 1. ,5 5.30pm a.b a.b. U.S.A -- _a_"
)
PIECES = st.sampled_from(
    [
        *WORDS,
        *ODD.split(),
        *("é", "東京", "x\u2028y", "\x00", "\x1f", "\x85", "\ud800", "😀", "ſ", "'ſ"),
        *(" ", "  ", "\t", "\n", "nasa", "zürich"),
    ]
)
TEXTS = st.one_of(
    st.lists(PIECES, max_size=12).map("".join),
    st.lists(PIECES, max_size=12).map(" ".join),
    st.text(alphabet=st.sampled_from("abnNtT'.,-_ 019\n’"), max_size=25),
    st.text(max_size=20),
)


def encoder(tokenizer: str, words: list[str]) -> Encoder:
    vectors = fuzzbow.WordVectors.from_words(words, np.ones((len(words), 2)))
    return Encoder(parse_tokenizer(tokenizer), vectors)


def words_of(encoding, texts: list[str]) -> list[list[str]]:
    """The words that ids stand for, text by text."""
    rows, unknown, vocabulary = encoding
    names = [*vocabulary, *unknown]
    return [[names[word] for word in row.tolist()] for row in rows]


@pytest.mark.parametrize("tokenizer", ["words", "whitespace"])
@pytest.mark.parametrize("cased", [False, True])
@given(st.lists(TEXTS, min_size=1, max_size=8))
def test_kernel_and_python_find_the_same_words(tokenizer, cased, texts):
    words = (
        [*WORDS, "The", "Cat", "London"] if cased else [*WORDS, *(f"w{n}x" for n in range(2000))]
    )
    made = encoder(tokenizer, words)
    by_kernel = made._encode_by_kernel(made._kernel_encode, texts)
    by_python = made._encode_by_python(texts)
    assert words_of((*by_kernel, words), texts) == words_of((*by_python, words), texts)


def test_ids_do_not_depend_on_the_number_of_threads():
    texts = [f"the cat number {n} saw x{n % 977} and y{n % 31}" for n in range(20_000)]
    data = b"".join(word.encode() for word in WORDS)
    offsets = np.cumsum([0, *(len(word.encode()) for word in WORDS)])
    vocabulary = _kernel.Vocabulary(data, offsets)
    one, many = (
        _kernel.encode(vocabulary, texts, "words", True, threads=threads) for threads in (1, 4)
    )
    np.testing.assert_array_equal(one[0], many[0])
    np.testing.assert_array_equal(one[1], many[1])
    assert one[2] == many[2]


def test_models_give_the_same_scores_with_and_without_the_kernel(monkeypatch):
    texts = [f"He's got {n} cats, zorblx{n % 7} or “dogs” in Zürich" for n in range(200)]
    model = fuzzbow.load("default")
    fast = model.pairs(texts, texts[::-1])
    monkeypatch.setattr("fuzzbow.encoding.encoder.KERNEL_TEXTS", 10**9)
    np.testing.assert_allclose(model.pairs(texts, texts[::-1]), fast, atol=1e-6)


def test_what_is_not_a_string_is_refused():
    vocabulary = _kernel.Vocabulary(b"cat", np.array([0, 3]))
    with pytest.raises(fuzzbow.InputError, match="every text must be a str; got int"):
        _kernel.encode(vocabulary, ["cat", 3], "words", True)


def test_an_unknown_splitting_is_refused():
    vocabulary = _kernel.Vocabulary(b"cat", np.array([0, 3]))
    with pytest.raises(fuzzbow.InputError, match="splitting must be words or whitespace"):
        _kernel.encode(vocabulary, ["cat"], "moses", True)


@pytest.mark.parametrize("tokenizer", ["words", "whitespace"])
def test_every_character_is_classed_as_in_python(tokenizer):
    letters = [chr(code) for code in range(1, 0x3000)]
    texts = [f"A{c}b {c} {c}{c}. B.{c}. 1{c}5 don{c}t {c.upper()}x'{c} n't{c}" for c in letters]
    made = encoder(
        tokenizer, ["the", "a", "b", "À", "éx", "–", "x"] + [f"w{n}q" for n in range(2000)]
    )
    by_kernel, by_python = (
        words_of((*encoding, made.vectors.words), texts)
        for encoding in (
            made._encode_by_kernel(made._kernel_encode, texts),
            made._encode_by_python(texts),
        )
    )
    wrong = [c for c, a, b in zip(letters, by_kernel, by_python, strict=True) if a != b]
    assert wrong == []


def test_western_text_needs_no_help_from_python():
    text = "“Café” – naïve résumé… it’s £5 or €6, 20 °C • Zürich™"
    data = b"".join(word.encode() for word in WORDS)
    offsets = np.cumsum([0, *(len(word.encode()) for word in WORDS)])
    *_, left = _kernel.encode(_kernel.Vocabulary(data, offsets), [text], "words", True)
    assert len(left) == 0


@given(st.lists(st.text(st.characters(codec=None), max_size=12) | st.sampled_from(["", "a", "ab"])))
def test_distinct_texts_keep_their_order(texts):
    numbers: dict[str, int] = {}
    which = [numbers.setdefault(text, len(numbers)) for text in texts]
    firsts, found = _kernel.distinct(texts)
    assert found.tolist() == which
    assert [texts[place] for place in firsts.tolist()] == list(numbers)


def test_what_is_no_text_has_no_equal():
    with pytest.raises(fuzzbow.InputError, match="str"):
        _kernel.distinct(["a", 3])
