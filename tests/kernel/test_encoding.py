"""Texts to ids in the kernels: the same words as the tokenizers in Python."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fuzzbow
from fuzzbow import _kernel
from fuzzbow.arrays import Ragged
from fuzzbow.encoding import Encoder
from fuzzbow.text import parse_language, parse_tokenizer, whole_text

WORDS = [
    *("the", "cat", "n't", "'s", "1,650", "u.s.", ".", "...", "do", "NASA", "Zürich", "'", "-"),
    *(
        "東京",
        "東京都",
        "大学",
        "ไทย",
        "ที่",
        "ภาษาไทย",
        "ភាសា",
        "москва",
        "σας",
        "ΣΑΣ",
        "i\u0307",
        "straße",
    ),
]
ODD = (
    "Cat don't CAN'T it's they’re “quote” isn'tx n' 've 'VEx 3.5 1. ,5 5.30pm a.b a.b. U.S.A -- _a_"
)
PIECES = st.sampled_from(
    [
        *WORDS,
        *ODD.split(),
        *("é", "e\u0301", "東京", "x\u2028y", "\x00", "\x1f", "\x85", "😀", "ſ", "'ſ"),
        *("\ud800", "\udc00", "\ud83d\ude00", "\ufffd", "\ufe0f", "\u200d", "²", "½", "٣", "߂"),
        *("Москва", "ΣΑΣ", "Σ", "ΌΣ\u0301", "İ", "ı", "ß", "ẞ", "ﬁ", "Ǆ", "हिन्दी", "한국어"),
        *(
            "l'homme",
            "QU’il",
            "aujourd'hui",
            "Aujourd’huis",
            "puiſqu'on",
            "s'ı",
            "t'1",
            "d'É",
            "n't",
        ),
        *("東京都大学", "ภาษาไทย", "ที่", "ี", "ភាសាខ្មែរ", "ລາວ", "မြန်မာ", "カタカナ", "2020年", "々"),
        *(" ", "  ", "\t", "\n", "nasa", "zürich"),
    ]
)
# what the rules of chunks look for, in any order
SIGNS = [
    *("555", "123", "4567", "1", "0044", "44", "20", "7946", "05", "2024", "3.5", "1,650", ".5"),
    *(" ", "  ", "(", ")", ") ", "-", ".", "+", "/", ",", ":", "'", "@", "&", "_", "#", "++", "%"),
    *("$", "€", "£", "°", " %", "\n", "<", ">", '"', "...", "--", "**", "!!", "🇩", "🇪🇺", "😀"),
    *(
        "a",
        "C",
        "U.S",
        "p.m.",
        "http://",
        "HTTPS://",
        "www.",
        "x",
        "é",
        "東京",
        "٣",
        "\u0301",
        "\x07",
    ),
]
TEXTS = st.one_of(
    st.lists(PIECES, max_size=12).map("".join),
    st.lists(PIECES, max_size=12).map(" ".join),
    st.text(alphabet=st.sampled_from("abnNtT'.,-_ 019\n’"), max_size=25),
    st.text(alphabet=st.sampled_from("東京都大学ไทยที่ภาษ\u0301aΣσς'.1年 "), max_size=25),
    st.lists(st.sampled_from(SIGNS), max_size=14).map("".join),
    st.text(alphabet=st.sampled_from("05 ().-+,:/$%°€aT"), max_size=25),
    st.text(max_size=20),
    st.text(st.characters(codec=None), max_size=12),
)

WHOLE = TEXTS.map(whole_text)
SPLIT = {"splitting": "chunks", "lowercase": True}


def encoder(tokenizer: str, words: list[str], language: str = "en") -> Encoder:
    vectors = fuzzbow.WordVectors.from_words(words, np.ones((len(words), 2)))
    split = parse_tokenizer(tokenizer).adapted(parse_language(language), vectors)
    return Encoder(split, vectors)


def words_by(encode, made: Encoder, texts: list[str]) -> list[list[str]]:
    """The words that ids stand for, text by text."""
    tokens = encode(texts)
    names = [*made.vectors.words, *tokens.unknown]
    return [[names[word] for word in row.tolist()] for row in tokens.rows]


def words_by_kernel(made: Encoder, texts: list[str]) -> list[list[str]]:
    def encode(texts):
        ids, offsets, chunks = made._kernel_encode(made.folded(texts))
        return made._in_words(Ragged(ids, offsets), chunks)

    return words_by(encode, made, texts)


def words_by_python(made: Encoder, texts: list[str]) -> list[list[str]]:
    return words_by(made._encode_by_python, made, texts)


@pytest.mark.parametrize("tokenizer", ["words", "unsegmented", "whitespace"])
@pytest.mark.parametrize("language", ["en", "de", "fr"])
@pytest.mark.parametrize("cased", [False, True])
@given(st.lists(TEXTS, min_size=1, max_size=8))
def test_kernel_and_python_find_the_same_words(tokenizer, language, cased, texts):
    words = (
        [*WORDS, "The", "Cat", "London"] if cased else [*WORDS, *(f"w{n}x" for n in range(2000))]
    )
    made = encoder(tokenizer, words, language)
    assert words_by_kernel(made, texts) == words_by_python(made, texts)


def test_ids_do_not_depend_on_the_number_of_threads():
    texts = [f"the cat number {n} saw x{n % 977} and y{n % 31}" for n in range(20_000)]
    data = b"".join(word.encode() for word in WORDS)
    offsets = np.cumsum([0, *(len(word.encode()) for word in WORDS)])
    vocabulary = _kernel.Vocabulary(data, offsets)
    one, many = (
        _kernel.encode(vocabulary, texts, "chunks", True, threads=threads) for threads in (1, 4)
    )
    np.testing.assert_array_equal(one[0], many[0])
    np.testing.assert_array_equal(one[1], many[1])
    assert one[2] == many[2]


def test_a_text_of_one_script_without_spaces_may_be_long():
    made = encoder("words", ["天气", "今天", "天气预报"])
    texts = ["今天天气预报" * 1000, "天" * 5000, "", "天"]
    assert words_by_kernel(made, texts) == words_by_python(made, texts)
    assert words_by_kernel(made, texts)[0][:3] == ["今天", "天气预报", "今天"]


def test_the_first_of_repeated_words_is_found():
    words = ["cat", "dog", "cat", "", "Zürich", "a" * 1000, *(f"word{i}" for i in range(50_000))]
    encoded = [word.encode() for word in words]
    vocabulary = _kernel.Vocabulary(b"".join(encoded), np.cumsum([0, *map(len, encoded)]))
    ids, _, unknown = _kernel.encode(
        vocabulary, ["dog", "cat", "mouse", "Zürich", *words[5:], "a" * 999], "whitespace", False
    )
    size = len(words)
    assert ids.tolist() == [1, 0, size, 4, *range(5, size), size + 1]
    assert unknown == ["mouse", "a" * 999]


def test_a_word_of_more_than_twenty_characters_is_no_segment():
    made = encoder("words", ["天" * 20, "地" * 21])
    assert words_by_kernel(made, ["天" * 20, "地" * 21]) == [["天" * 20], ["地"] * 21]


@given(st.lists(st.text(st.characters(codec=None), max_size=12) | st.sampled_from(["", "a", "ab"])))
def test_distinct_texts_keep_their_order(texts):
    numbers: dict[str, int] = {}
    which = [numbers.setdefault(text, len(numbers)) for text in texts]
    firsts, found = _kernel.distinct(texts)
    assert found.tolist() == which
    assert [texts[place] for place in firsts.tolist()] == list(numbers)


class Chunks:
    """Texts as bytes, and where in them they start and end."""

    def __init__(self, *chunks):
        self.chunks = chunks

    def utf8_chunks(self):
        return list(self.chunks)


def chunk(texts: list[str], before: str = "", behind: str = ""):
    """The bytes of texts between others, and where those in the middle are."""
    ends = np.cumsum([len(text.encode()) for text in [before, *texts]])
    data = np.frombuffer((before + "".join(texts) + behind).encode(), np.uint8)
    return data, ends[:-1], ends[1:]


@given(st.lists(st.lists(WHOLE, max_size=5), max_size=4), st.text(max_size=3), st.text(max_size=3))
def test_bytes_are_read_as_strings_are(parts, before, behind):
    chunks = Chunks(*(chunk(part, before, behind) for part in parts))
    texts = [text for part in parts for text in part]
    vocabulary = encoder("words", WORDS)._kernel_encode.args[0]
    for function in (_kernel.distinct, partial(_kernel.encode, vocabulary, **SPLIT)):
        for found, wanted in zip(function(texts=chunks), function(texts=texts), strict=True):
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    ("starts", "ends", "said"),
    [
        ([0, 2], [2, 1], "a part of the bytes, 0 to 3; got 2 to 1 at position 1"),
        ([0], [4], "a part of the bytes, 0 to 3; got 0 to 4 at position 0"),
        ([-1], [2], "got -1 to 2 at position 0"),
        ([0, 1], [1], "the length of ends must be that of starts, 2; got 1"),
    ],
)
def test_texts_outside_of_the_bytes_are_refused(starts, ends, said):
    chunks = Chunks((np.zeros(3, np.uint8), np.array(starts), np.array(ends)))
    with pytest.raises(fuzzbow.InputError, match=said):
        _kernel.distinct(chunks)


def test_a_lexicon_reads_bytes_as_it_reads_strings():
    table = _kernel.Table(np.eye(3, dtype=np.float32), np.ones(3, np.float32))
    lexicon = _kernel.Lexicon(table, "chunks")
    texts = ["cat Zürich", "", "x cat\0dog"]
    found = lexicon.read(Chunks(chunk(texts[:2]), chunk(texts[2:])))
    assert len(found) == 3
    assert found.missing_words() == lexicon.read(texts).missing_words() != []


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda known: _kernel.encode(known, ["cat", 3], "chunks", True), "a str; got int"),
        (lambda known: _kernel.encode(known, ["cat"], "moses", True), "splitting must be chunks"),
        (lambda known: _kernel.distinct(["a", 3]), "str"),
        (lambda known: _kernel.distinct(("a", "b")), "str, or have utf8_chunks; got tuple"),
        (lambda known: _kernel.distinct(Chunks(b"ab")), "a chunk must be a tuple of bytes, starts"),
    ],
)
def test_what_is_no_text_is_refused(call, said):
    with pytest.raises(fuzzbow.InputError, match=said):
        call(_kernel.Vocabulary(b"cat", np.array([0, 3])))
