"""Files of word2vec (text and binary), GloVe and fastText, and errors that name bad lines."""

from __future__ import annotations

import gzip
import io
import zipfile

import numpy as np
import pytest

from fuzzbow.errors import InputError
from fuzzbow.vectors import open_vectors
from fuzzbow.vectors.formats import text as text_reader
from tests.hostile.input_files import compressed

from ..samples import WORDS, Write, binary_of, text_of


def zipped(*members: tuple[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in members:
            archive.writestr(name, content)
    return target.getvalue()


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("separator", [" ", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", " \n", " \r\n"])
def test_text_is_read_whatever_separates(write, matrix, header, separator, end):
    text = text_of(WORDS, matrix, header=header, separator=separator).replace("\n", end)
    vectors = open_vectors(write("x.vec", text))
    assert list(vectors.words) == WORDS
    np.testing.assert_allclose(vectors.matrix, matrix, rtol=1e-6)


@pytest.mark.parametrize("ending", ["", " ", "\r"])
def test_the_last_line_needs_no_newline(write, ending: str):
    assert open_vectors(write("x.txt", f"a 1 2\nb 3 4{ending}"))["b"].tolist() == [3.0, 4.0]


@pytest.mark.parametrize("kind", [".gz", ".zip"])
def test_compressed_vectors_are_read(write, matrix, kind):
    text = text_of(WORDS, matrix, header=False).encode()
    for name, data in {
        "x.vec": text,
        "y.vec": b"5 4\n" + text,
        "x.bin": binary_of(WORDS, matrix),
    }.items():
        vectors = open_vectors(write(name + kind, compressed(kind, data)))
        assert list(vectors.words) == WORDS
        np.testing.assert_allclose(vectors.matrix, matrix, rtol=1e-6)


def test_a_zip_takes_the_member_named_like_vectors_and_lists_several(write):
    path = write("x.zip", zipped(("README.md", b"hello"), ("deep/x.vec", b"a 1 2\nb 3 4\n")))
    assert len(open_vectors(path)) == 2
    path = write("glove.zip", zipped(("g.50d.txt", b"a 1 2\n"), ("g.100d.txt", b"a 1 2\n")))
    with pytest.raises(InputError, match=r"holds g\.50d\.txt, g\.100d\.txt"):
        open_vectors(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the 1 2 3\n. . . 4 5 6\nat a@b.com 7 8 9\n", ["the", ". . .", "at a@b.com"]),
        ("2 2\n\ufeffcat 1 2\ndog 3 4\n", ["\ufeffcat", "dog"]),  # a mark of the word
        ("\ufeffcat 1 2\ndog 3 4\n", ["cat", "dog"]),  # a mark of the file
        ("a 1 2\n\n  \nb 3 4\n", ["a", "b"]),
    ],
)
def test_words_with_spaces_marks_and_blank_lines(write, text, words):
    assert list(open_vectors(write("x.txt", text), limit=9).words) == words


def test_words_with_odd_spaces_and_quotes_are_kept(write: Write):
    words = ["a\u00a0b", '"', "\u2028", "\\", "nan", "inf", "NULL", "", "-1"]
    kept = [word for word in words if word]
    text = "".join(f"{word} 1.5 2\n" for word in kept)
    assert list(open_vectors(write("x.vec", f"{len(kept)} 2\n{text}")).words) == kept


@pytest.mark.parametrize("number", ["+1.5", "1.5e0", "15E-1", "1.50000000000000000000"])
def test_every_way_to_write_a_number_is_read(write, number: str):
    assert open_vectors(write("x.txt", f"a {number} 2\nb 1 2\n"))["a"][0] == 1.5


def test_another_encoding_can_be_given(write: Write):
    path = write("x.txt", "naïve 1 2\nb 3 4\n".encode("latin-1"))
    assert "naïve" in open_vectors(path, encoding="latin-1")


def test_the_first_of_equal_words_wins_and_is_counted(write: Write):
    rows = np.array([[1, 2], [3, 4], [5, 6]], dtype=np.float32)
    for content in (text_of(["a", "b", "a"], rows, header=False), binary_of(["a", "b", "a"], rows)):
        vectors = open_vectors(write("x.bin", content))
        assert (vectors["a"].tolist(), vectors.report.duplicates) == ([1.0, 2.0], 1)


def test_blocks_are_joined_in_order_and_lines_counted_over_them(write, monkeypatch):
    monkeypatch.setattr(text_reader, "BLOCK", 64)
    rows = np.arange(600, dtype=np.float32).reshape(200, 3)
    words = [f"word{number}" for number in range(200)]
    text = text_of(words, rows, header=False)
    vectors = open_vectors(write("x.txt", text))
    assert list(vectors.words) == words
    np.testing.assert_array_equal(vectors.matrix, rows)
    path = write("x.txt", text + "broken\n" * 1000)
    with pytest.raises(InputError, match="line 201:"):
        open_vectors(path)
    assert len(open_vectors(path, limit=200)) == 200  # which reads no further


def test_fast_and_slow_ways_agree(write, monkeypatch: pytest.MonkeyPatch):
    generator = np.random.default_rng(11)
    words = [f"wörd{number}" for number in range(300)]
    path = write("x.txt", text_of(words, generator.normal(size=(300, 20)), header=False))
    fast = open_vectors(path)
    monkeypatch.setattr(text_reader, "_parse_fast", lambda *block: None)
    slow = open_vectors(path)
    assert list(fast.words) == list(slow.words) == words
    np.testing.assert_allclose(fast.matrix, slow.matrix, rtol=1e-6)


def test_progress_ends_at_the_size_of_the_file(write, matrix: np.ndarray):
    told: list[tuple[int, int]] = []
    path = write("x.txt", text_of(WORDS, matrix, header=False))
    open_vectors(path, progress=lambda *step: told.append(step))
    assert told[-1] == (path.stat().st_size, path.stat().st_size)


BAD_LINES = {
    "too few fields": ("cat 1", "must have 4 fields (a word and 3 numbers); got 2"),
    "too many fields": ("cat 1 2 3 4", "must have 4 fields (a word and 3 numbers); got 5"),
    "no word": (" 1 2 3", "must have 4 fields"),
    "not a number": ("cat 1 x2 3", "number 2 of 'cat' must be a number; got b'x2'"),
    "not a number by underscore": ("cat 1 2_0 3", "number 2 of 'cat' must be a number"),
    "nan": ("cat 1 nan 3", "the vector of 'cat' must be finite; got nan"),
    "inf": ("cat 1 2 -inf", "the vector of 'cat' must be finite; got -inf"),
    "overflow": ("cat 1 2 1e99", "the vector of 'cat' must be finite; got 1e99"),
    "undecodable": (b"c\xe4t 1 2 3", "is not utf-8; give its encoding"),
}


def with_bad_line(bad: str | bytes, *, header: bool) -> bytes:
    line = bad if isinstance(bad, bytes) else bad.encode()
    first = b"4 3\n" if header else b""
    return first + b"the 1 2 3\non 4 5 6\n" + line + b"\nmat 7 8 9\n"


@pytest.mark.parametrize("kind", BAD_LINES)
@pytest.mark.parametrize("header", [True, False])
def test_a_bad_line_is_named_with_file_and_number_or_is_counted(write, kind, header: bool):
    bad, message = BAD_LINES[kind]
    path = write("glove.txt", with_bad_line(bad, header=header))
    with pytest.raises(InputError) as caught:
        open_vectors(path)
    assert f"glove.txt, line {4 if header else 3}: " in str(caught.value)
    assert message in str(caught.value)
    vectors = open_vectors(path, skip_bad=True)
    assert (list(vectors.words), vectors.report.skipped) == (["the", "on", "mat"], 1)


@pytest.mark.parametrize(
    ("announced", "options", "message"),
    [
        (5, {}, "truncated; its first line says 5 words, but 2 follow"),
        (5, {"limit": 4}, "truncated"),
        (1, {}, "its first line says 1 word, but 2 follow"),
        (5, {"skip_bad": True}, None),
        (2, {"limit": 9}, None),
    ],
)
def test_announced_words_are_counted(write, announced, options, message):
    path = write("x.vec", f"{announced} 2\na 1 2\nb 3 4\n")
    if message is None:
        assert len(open_vectors(path, **options)) == 2
    else:
        with pytest.raises(InputError, match=message):
            open_vectors(path, **options)


def test_a_header_that_announces_far_too_much_takes_no_memory(write: Write):
    path = write("x.vec", f"{10**15} 300\na " + "1 " * 300 + "\n")
    with pytest.raises(InputError, match="truncated"):
        open_vectors(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        ("\n\n", "the vocabulary is empty"),
        ("0 300\n", "first line says 0 words"),
        ("3 0\n", "dimension must be at least 1"),
        ("hello\nworld\n", "its lines hold no numbers"),
        (b"\x00\x01\x02\x03 binary \x00", "any known format"),
        ("a 1 x\nb 2 y\n", "the vocabulary is empty"),
    ],
)
def test_a_file_without_words_is_refused(write, content, message: str):
    with pytest.raises(InputError, match=f"x.txt: .*{message}"):
        open_vectors(write("x.txt", content), skip_bad=True)


@pytest.mark.parametrize("source", ["newlines", "no newlines", "gensim"])
def test_word2vec_binary_is_read(write, matrix, source):
    path = write("x.bin", binary_of(WORDS, matrix, newline=source == "newlines"))
    if source == "gensim":
        keyed = pytest.importorskip("gensim.models").KeyedVectors(vector_size=4)
        keyed.add_vectors(WORDS, matrix)
        keyed.save_word2vec_format(str(path), binary=True)
    vectors = open_vectors(path)
    assert list(vectors.words) == WORDS
    np.testing.assert_array_equal(vectors.matrix, matrix)


def test_word2vec_binary_longer_than_a_block_is_read_up_to_the_limit(write):
    rows = np.random.default_rng(2).normal(size=(20_000, 64)).astype(np.float32)
    path = write("x.bin", binary_of([f"w{number}" for number in range(len(rows))], rows))
    np.testing.assert_array_equal(open_vectors(path).matrix, rows)
    assert list(open_vectors(path, limit=2).words) == ["w0", "w1"]


@pytest.mark.parametrize("compress", [gzip.compress, bytes])
def test_truncated_word2vec_binary_is_named(write, matrix, compress):
    path = write("x.bin", compress(binary_of(WORDS, matrix)[:-9]))
    with pytest.raises(InputError, match=r"x\.bin: truncated; its first line says 5 words"):
        open_vectors(path)


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_a_number_that_is_not_finite_names_the_word_or_is_counted(write, matrix, number):
    matrix[1, 2] = number
    path = write("x.bin", binary_of(WORDS, matrix))
    with pytest.raises(InputError, match=r"x\.bin: the vector of 'cat' must be finite"):
        open_vectors(path)
    vectors = open_vectors(path, skip_bad=True)
    assert ("cat" in vectors, len(vectors), vectors.report.skipped) == (False, 4, 1)


def test_an_undecodable_word_names_its_number_or_is_counted(write, matrix):
    path = write("x.bin", binary_of(WORDS, matrix).replace(b"cat ", b"c\xe4t "))
    with pytest.raises(InputError, match=r"x\.bin, word 2: .* is not utf-8"):
        open_vectors(path)
    vectors = open_vectors(path, skip_bad=True)
    assert (len(vectors), vectors.report.skipped) == (4, 1)
    np.testing.assert_array_equal(vectors["sat"], matrix[2])
