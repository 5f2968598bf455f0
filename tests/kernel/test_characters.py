"""Characters and letters in the kernels against Python: splitting, lower case, misspelt words."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import fuzzbow
from fuzzbow import _kernel
from fuzzbow.arrays import Ragged
from fuzzbow.engine import letters_of
from fuzzbow.engine.letters import MOST_LETTERS, edit_distances
from fuzzbow.text import ENGLISH, parse_tokenizer
from fuzzbow.text.characters import (
    CASED_PLANES,
    CODES,
    PLANE,
    PLANES,
    character_table,
    marks,
    table_instead_of,
)
from fuzzbow.text.unicode import whole_text
from fuzzbow.vectors.vocabulary import pack
from tests.kernel import oracle
from tests.kernel.oracle import edit_distance

CHUNK = 512
WORDS = fuzzbow.WordVectors.from_words(["東京", "ไทย"], np.eye(2))


def characters(planes=PLANES) -> list[str]:
    return [chr(plane * PLANE + code) for plane in planes for code in range(PLANE)]


def chunks(texts: list[str]) -> list[str]:
    """The same texts, some hundred in one: few calls of Python are fast."""
    return [" ".join(texts[start : start + CHUNK]) for start in range(0, len(texts), CHUNK)]


def words_by_kernel(
    texts: list[str], known: list[str] = WORDS.words, lowercase: bool = False, *, splitting: str
) -> list[list[str]]:
    data, offsets = pack(known)
    vocabulary = _kernel.Vocabulary(data.tobytes(), np.ascontiguousarray(offsets))
    ids, offsets, unknown = _kernel.encode(vocabulary, texts, splitting, lowercase)
    names = [*known, *unknown]
    words = [names[word] for word in ids.tolist()]
    return [words[start:end] for start, end in pairwise(offsets)]


def check(tokenizer: str, texts: list[str]) -> None:
    """Compare what the kernels split with what the tokenizer does, without folding."""
    split = parse_tokenizer(tokenizer).adapted(ENGLISH, WORDS)
    by_kernel = words_by_kernel(texts, splitting=split.kernel_splitting(WORDS))
    spans_of = getattr(split, "_chunk_spans", split.spans)
    wrong = []
    for words, text in zip(by_kernel, map(whole_text, texts), strict=True):
        expected = [text[start:end] for start, end in spans_of(text)]
        if words != expected:
            wrong.append((words, expected))
    assert wrong == []


def check_lower_case(words: list[str]) -> None:
    """Look all words up among those that Python has in lower case."""
    lowered = [word.lower() for word in words]
    found = words_by_kernel(
        words, list(dict.fromkeys(lowered)), lowercase=True, splitting="whitespace"
    )
    assert found == [[word] for word in lowered]


def test_every_character_is_part_of_a_word_or_not_as_in_python():
    check("unsegmented", chunks([f"A{c}b {c}.{c}. 1.{c} n't{c}" for c in characters((0, 1))]))
    check("unsegmented", chunks([f"A{c}b" for c in characters((2, 3, 14))]))


def test_every_character_is_space_or_not_as_in_python():
    check("whitespace", chunks([f"a{c}b" for c in characters()]))


def test_every_character_is_cut_from_a_word_or_not_as_in_python():
    check("words", chunks([f"a{c}1" for c in characters()]))


def test_characters_of_empty_and_private_planes_are_signs():
    others = [plane for plane in range(CODES // PLANE) if plane not in PLANES]
    for plane in others:
        text = "".join(characters((plane,)))
        assert words_by_kernel([text], splitting="chunks") == [list(text)]


def test_every_character_has_the_lower_case_of_python():
    words = [word for c in characters(CASED_PLANES) if (word := whole_text(c)).split()]
    check_lower_case(words)


@pytest.mark.parametrize("pattern", ["{}Σ", "a{}Σ", "aΣ{}", "aΣ{}b"])
def test_every_character_decides_the_final_sigma_as_in_python(pattern):
    words = [pattern.format(c) for c in map(whole_text, characters(CASED_PLANES)) if c.split()]
    check_lower_case(words)


def test_marks_are_those_of_unicode_but_for_selectors_of_pictures():
    expected = [c for c in characters() if unicodedata.category(c) in ("Mn", "Mc")]
    missing = sorted(set(expected) - set(marks()))
    assert set(marks()) <= set(expected)
    assert "".join(missing) == "".join(map(chr, [*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]))


@pytest.fixture
def table():
    """The table of this Python, which is in use again afterwards."""
    yield character_table()
    _kernel.use_characters(character_table())


def test_a_table_is_made_where_python_has_another_unicode():
    assert table_instead_of(unicodedata.unidata_version) is None
    assert table_instead_of("1.0.0").version == unicodedata.unidata_version


def test_the_kernels_agree_with_python_on_unicode():
    words_by_kernel(["é"], splitting="chunks")
    assert _kernel.characters_version() == unicodedata.unidata_version


def test_the_kernels_split_by_the_table_they_are_given(table):
    record = table.blocks[table.index[ord("é") // 128] * 128 + ord("é") % 128]
    classes = table.classes.copy()
    classes[record] = 0
    _kernel.use_characters(replace(table, classes=classes))
    assert words_by_kernel(["aéb"], splitting="chunks") == [["a", "é", "b"]]


@pytest.mark.parametrize(
    ("part", "wrong"),
    [
        ("index", np.zeros(3, dtype=np.uint16)),
        ("index", np.full(CODES // 128, 60_000, dtype=np.uint16)),
        ("blocks", np.zeros(128, dtype=np.uint8)),
        ("classes", np.zeros(1, dtype=np.uint8)),
        ("lower", np.zeros(0, dtype=np.int32)),
        ("lower", character_table().lower + CODES),
    ],
)
def test_a_broken_table_is_refused(table, part, wrong):
    with pytest.raises(fuzzbow.InputError, match="must be"):
        _kernel.use_characters(replace(table, **{part: wrong}))


def test_the_built_in_table_is_the_one_that_the_tool_writes():
    source = Path(__file__).parents[2] / "cpp" / "text" / "character_table.inl"
    version = source.read_text(encoding="utf-8").split('kVersion[] = "')[1].split('"')[0]
    if version != unicodedata.unidata_version:
        pytest.skip(f"written by a Python with Unicode {version}")
    from tools.build_character_table import to_source

    assert source.read_text(encoding="utf-8") == to_source(character_table())


UNKNOWN = 2  # kind of a word without a vector
ALPHABETS = ("ab", "abcdefgh", "aäßяжфクツ語", "".join(map(chr, range(0x4E00, 0x4E80))))


@st.composite
def spellings(draw, longest=80):
    """A word and another that is some edits away, of one of several alphabets."""
    alphabet = draw(st.sampled_from(ALPHABETS))
    letters = st.sampled_from(alphabet)
    word = draw(st.lists(letters, max_size=longest))
    other = list(word)
    for _ in range(draw(st.integers(0, 30))):
        place = draw(st.integers(0, len(other)))
        edit = draw(st.sampled_from(["insert", "replace", "delete", "swap", "shuffle"]))
        if edit == "insert" and len(other) < longest:
            other.insert(place, draw(letters))
        elif edit == "replace":
            other[place : place + 1] = [draw(letters)] if place < len(other) else []
        elif edit == "delete":
            del other[place : place + 1]
        elif edit == "swap":
            other[place : place + 2] = reversed(other[place : place + 2])
        else:
            other[place : place + 4] = draw(st.permutations(other[place : place + 4]))
    return "".join(word), "".join(other)


def codes(word):
    return list(map(ord, word))


@given(spellings())
@example(("ca", "abc"))  # 3, as no letter is edited twice
@example(("", ""))
@example(("", "abc"))
@example(("abcdef", "badcfe"))
def test_edit_distances_of_the_reference(pair):
    sides = [pair, pair[::-1], (pair[0], ""), ("", pair[1])]
    words, others = (Ragged.from_rows(map(codes, side)) for side in zip(*sides, strict=True))
    expected = [edit_distance(*map(tuple, side)) for side in sides]
    assert edit_distances(words, others).tolist() == expected


def similarity_in_the_kernel(word, other):
    """Similarity of two unknown words that share one of a hundred trigrams."""
    trigrams = np.concatenate([np.arange(100), 99 + np.arange(100)]).astype(np.uint32)
    table = _kernel.Table(
        np.zeros((2, 4), np.float32),
        None,
        np.full(2, UNKNOWN, np.uint8),
        np.array([0, 100, 200]),
        trigrams,
        np.cumsum([0, len(word), len(other)]),
        np.array(codes(word) + codes(other), np.uint32),
        unit=True,
    )
    texts = oracle.ragged([[0], [1]])
    jaccard = _kernel.SetSimilarity("jaccard")
    return float(_kernel.pairs(table, texts, np.array([0]), np.array([1]), jaccard)[0])


@given(spellings(MOST_LETTERS))
@example(("a" * 64, "a" * 63 + "b"))
@example(("ab" * 32, "ba" * 32))
@example(("abcdefghij", "bacdfeghji"))
@example(("idée", "idie"))  # code points that are equal modulo 32 and 64
@example(("aabbccddee", "aabbccdeee"))
def test_similarity_in_the_kernel(pair):
    word, other = pair
    edits, longer = edit_distance(tuple(word), tuple(other)), max(map(len, pair))
    expected = 0.01
    if word and other and 10 * edits <= 3 * longer:
        expected = max(expected, 1 - 1.2 * (edits / longer))
    assert similarity_in_the_kernel(word, other) == np.float32(expected)


def test_words_that_are_compared_by_edits():
    words = [
        "cat",
        "cats",
        "naïve",
        "語学学校",
        "can't",
        "abc1",
        "x" * 64,
        "x" * 65,
        "\ud800abcd",
        "",
    ]
    found = ["".join(map(chr, row.tolist())) for row in letters_of(words)]
    assert found == ["", "cats", "naïve", "語学学校", "", "", "x" * 64, "", "", ""]
