"""WordVectors: what it checks and what it answers."""

from __future__ import annotations

import numpy as np
import pytest

from fuzzbow.errors import InputError
from fuzzbow.vectors import LoadReport, WordVectors

from .samples import WORDS


def test_known_word_gives_its_row(vectors: WordVectors, matrix: np.ndarray) -> None:
    np.testing.assert_array_equal(vectors["cat"], matrix[1])


def test_unknown_word_is_a_key_error(vectors: WordVectors) -> None:
    with pytest.raises(KeyError, match="dog"):
        vectors["dog"]


def test_ids_are_minus_one_for_unknown_words(vectors: WordVectors) -> None:
    assert vectors.ids(["日本", "dog", "the", "Cat"]).tolist() == [4, -1, 0, -1]


def test_ids_of_nothing_are_empty(vectors: WordVectors) -> None:
    assert vectors.ids([]).shape == (0,)


def test_a_single_text_is_not_taken_for_words(vectors: WordVectors) -> None:
    with pytest.raises(InputError, match="must be a sequence of words; got the single text 'cat'"):
        vectors.ids("cat")


def test_rows_of_nothing_are_empty(vectors: WordVectors) -> None:
    assert vectors.rows([]).shape == (0, 4)


@pytest.mark.parametrize("wrong", [-1, 5])
def test_rows_refuse_ids_outside_the_vocabulary(vectors: WordVectors, wrong: int) -> None:
    with pytest.raises(InputError, match=f"from 0 to 4; got {wrong}"):
        vectors.rows([0, wrong])


def test_contains_only_known_words(vectors: WordVectors) -> None:
    assert ("cat" in vectors, "dog" in vectors, 3 in vectors) == (True, False, False)


def test_matrix_cannot_be_written(vectors: WordVectors) -> None:
    with pytest.raises(ValueError, match="read-only"):
        vectors.matrix[0, 0] = 1.0


def test_matrix_is_float32_whatever_came(matrix: np.ndarray) -> None:
    assert WordVectors.from_words(WORDS, matrix.astype(np.float64)).matrix.dtype == np.float32


def test_first_of_equal_words_wins_and_the_rest_are_counted() -> None:
    vectors = WordVectors.from_words(["a", "b", "a"], [[1.0], [2.0], [3.0]], counts=[9, 8, 7])
    assert (vectors["a"].tolist(), list(vectors.words)) == ([1.0], ["a", "b"])
    assert vectors.counts is not None
    assert vectors.counts.tolist() == [9, 8]
    assert vectors.report == LoadReport(duplicates=1, skipped=0)


def test_infer_makes_nothing_without_sub_words(vectors: WordVectors) -> None:
    made, known = vectors.infer(["dog", "house"])
    assert (made.shape, known.tolist()) == ((2, 4), [False, False])


def test_first_keeps_words_vectors_and_counts(vectors: WordVectors, matrix: np.ndarray) -> None:
    first = vectors.first(2)
    assert list(first.words) == ["the", "cat"]
    np.testing.assert_array_equal(first.matrix, matrix[:2])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["the", "cat", "3.5", "日本"], True),
        (["the", "Cat"], False),
        (["x" * n for n in range(1, 3001)] + ["NATO"], True),
    ],
)
def test_lowercase_tolerates_one_upper_case_word_in_thousands(
    words: list[str], expected: bool
) -> None:
    vectors = WordVectors.from_words(words, np.ones((len(words), 1)))
    assert vectors.lowercase is expected


def test_fingerprint_depends_on_words(matrix: np.ndarray, vectors: WordVectors) -> None:
    other = WordVectors.from_words(["tha", *WORDS[1:]], matrix)
    assert other.fingerprint != vectors.fingerprint


def test_fingerprint_depends_on_vectors(matrix: np.ndarray, vectors: WordVectors) -> None:
    assert WordVectors.from_words(WORDS, matrix + 1).fingerprint != vectors.fingerprint


@pytest.mark.parametrize(
    ("words", "rows", "message"),
    [
        ([], np.ones((0, 2)), "empty"),
        (["a"], [1.0, 2.0], "2-D"),
        (["a"], np.ones((1, 0)), "2-D"),
        (["a", "b"], [[1.0, 2.0]], "got 2 and 1"),
        (["a", 3], np.ones((2, 2)), "word 1 is"),
        (["a", "b"], [[1.0, 2.0], [np.nan, 1.0]], "'b' must be finite"),
        (["a", "b"], [[1.0, 2.0], [1.0, np.inf]], "'b' must be finite"),
        (["a"], [[1e300]], "'a' must be finite"),
        (["a"], [["x"]], "numbers"),
    ],
)
def test_from_words_refuses(words: list[str], rows: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        WordVectors.from_words(words, rows)  # type: ignore[arg-type]


@pytest.mark.parametrize("counts", [[1, 2], [1.5] * 5, [-1] * 5])
def test_from_words_refuses_counts_that_are_not_whole_and_one_each(
    matrix: np.ndarray, counts: list[float]
) -> None:
    with pytest.raises(InputError, match="counts must"):
        WordVectors.from_words(WORDS, matrix, counts=counts)
