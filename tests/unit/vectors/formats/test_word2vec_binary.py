"""word2vec binary: against gensim, and damage."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from fuzzbow.errors import InputError
from fuzzbow.vectors import open_vectors

from ..samples import WORDS, Write, binary_of


@pytest.mark.parametrize("newline", [True, False])
def test_word2vec_binary_is_read_with_and_without_newlines(
    write: Write, matrix: np.ndarray, newline: bool
) -> None:
    vectors = open_vectors(write("x.bin", binary_of(WORDS, matrix, newline=newline)))
    assert list(vectors.words) == WORDS
    np.testing.assert_array_equal(vectors.matrix, matrix)


def test_word2vec_binary_of_gensim_is_read(tmp_path: Path, matrix: np.ndarray) -> None:
    gensim = pytest.importorskip("gensim.models")
    source = gensim.KeyedVectors(vector_size=4)
    source.add_vectors(WORDS, matrix)
    source.save_word2vec_format(str(tmp_path / "g.bin"), binary=True)
    np.testing.assert_array_equal(open_vectors(tmp_path / "g.bin").matrix, matrix)


def test_word2vec_binary_longer_than_a_block_is_read(write: Write) -> None:
    rows = np.random.default_rng(2).normal(size=(20_000, 64)).astype(np.float32)
    words = [f"w{number}" for number in range(len(rows))]
    np.testing.assert_array_equal(open_vectors(write("x.bin", binary_of(words, rows))).matrix, rows)


def test_word2vec_binary_stops_at_the_limit(write: Write, matrix: np.ndarray) -> None:
    assert list(open_vectors(write("x.bin", binary_of(WORDS, matrix)), limit=2).words) == WORDS[:2]


def test_first_of_equal_words_wins_in_binary(write: Write) -> None:
    rows = np.array([[1.25], [2.25], [3.25]], dtype=np.float32)
    vectors = open_vectors(write("x.bin", binary_of(["a", "b", "a"], rows)))
    assert (vectors["a"].tolist(), vectors.report.duplicates) == ([1.25], 1)


@pytest.mark.parametrize("compressed", [True, False])
def test_truncated_word2vec_binary_is_named(
    write: Write, matrix: np.ndarray, compressed: bool
) -> None:
    data = binary_of(WORDS, matrix)[:-9]
    path = write("x.bin", gzip.compress(data) if compressed else data)
    with pytest.raises(InputError, match=r"x\.bin: truncated; its first line says 5 words"):
        open_vectors(path)


def test_nan_in_word2vec_binary_names_the_word(write: Write, matrix: np.ndarray) -> None:
    matrix[1, 2] = np.nan
    with pytest.raises(InputError, match=r"x\.bin: the vector of 'cat' must be finite"):
        open_vectors(write("x.bin", binary_of(WORDS, matrix)))


def test_nan_in_word2vec_binary_is_counted_when_skipped(write: Write, matrix: np.ndarray) -> None:
    matrix[1, 2] = np.inf
    vectors = open_vectors(write("x.bin", binary_of(WORDS, matrix)), skip_bad=True)
    assert ("cat" in vectors, vectors.report.skipped) == (False, 1)


def test_undecodable_word_in_binary_names_its_number(write: Write, matrix: np.ndarray) -> None:
    data = binary_of(WORDS, matrix).replace(b"cat ", b"c\xe4t ")
    with pytest.raises(InputError, match=r"x\.bin, word 2: .* is not utf-8"):
        open_vectors(write("x.bin", data))


def test_undecodable_word_in_binary_is_counted_when_skipped(
    write: Write, matrix: np.ndarray
) -> None:
    data = binary_of(WORDS, matrix).replace(b"cat ", b"c\xe4t ")
    vectors = open_vectors(write("x.bin", data), skip_bad=True)
    assert (len(vectors), vectors.report.skipped) == (4, 1)
