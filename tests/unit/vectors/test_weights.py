"""Probabilities, weights and whitening of words."""

from __future__ import annotations

import numpy as np
import pytest

from fuzzbow import InputError, WordVectors
from fuzzbow.arrays import runs_of
from fuzzbow.vectors.weights import (
    Weights,
    fit_whitening,
    read_counts,
    scaling_of,
    sif_weights,
    word_probabilities,
    zipf_probabilities,
)


@pytest.fixture
def vectors():
    return WordVectors.from_words([".", "the", "cat", "zyzzyva"], np.eye(4))


def test_rank_gives_zipf_probabilities(vectors):
    odds = 1 / (np.arange(1, 5) + 2.7)
    np.testing.assert_allclose(word_probabilities(vectors), odds / odds.sum())


def test_a_frequency_list_without_punctuation_does_not_make_the_full_stop_rare(vectors):
    probabilities = word_probabilities(vectors, {"the": 900, "cat": 99, "zyzzyva": 1})
    assert probabilities[0] == zipf_probabilities(4)[0]
    assert probabilities[1:].tolist() == [0.9, 0.099, 0.001]


def test_counts_of_words_outside_the_vocabulary_are_part_of_the_total(vectors):
    assert word_probabilities(vectors, {"the": 1, "elsewhere": 3})[1] == 0.25


def test_counts_that_came_with_the_vectors_are_used_unless_others_are_given():
    vectors = WordVectors.from_words(["a", "b"], np.eye(2), counts=[1, 3])
    assert word_probabilities(vectors).tolist() == [0.25, 0.75]
    assert word_probabilities(vectors, "rank").tolist() == zipf_probabilities(2).tolist()


def test_wordfreq_knows_that_the_is_common(vectors):
    pytest.importorskip("wordfreq")
    probabilities = word_probabilities(vectors, "wordfreq")
    assert 0.03 < probabilities[1] < 0.1
    assert probabilities[0] == zipf_probabilities(4)[0]


def test_counts_file_is_read_and_the_first_of_equal_words_wins(tmp_path):
    path = tmp_path / "counts.txt"
    path.write_text("the 10\ncat\t3.5\n\nthe 99\nnew york 7\n", encoding="utf-8")
    assert read_counts(path) == {"the": 10.0, "cat": 3.5, "new york": 7.0}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"the ten\n", "line 1: must be `word count` with a count >= 0"),
        (b"the 1\ncat -1\n", "line 2: must be `word count` with a count >= 0"),
        (b"the nan\n", "line 1"),
        (b"5\n", "line 1"),
        (b"the 1\n\xff\xfe 3\n", "line 2: must be UTF-8"),
        (b"\n\n", "at least one"),
        (None, "'wordfreq', 'rank' or 'collection'"),
    ],
)
def test_bad_and_missing_counts_files_are_refused(tmp_path, content, message):
    path = tmp_path / "counts.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_counts(path)


def test_counts_that_name_no_word_of_the_vocabulary_are_refused(vectors):
    with pytest.raises(InputError, match="at least one word of the vocabulary"):
        word_probabilities(vectors, {"elsewhere": 3})


def test_sif_is_a_over_a_plus_p():
    np.testing.assert_allclose(sif_weights(np.array([0.0, 1e-3])), [1.0, 0.5])


def test_usif_follows_ethayarajh():
    p = zipf_probabilities(1000)
    alpha = (p > 1 - (1 - 1 / 1000) ** 11).mean()
    a = (1 - alpha) / (alpha * 500)
    np.testing.assert_allclose(scaling_of(Weights.USIF, p), a / (a / 2 + p))


@pytest.mark.parametrize("probabilities", [np.full(10, 0.1), np.array([1.0])])
def test_usif_of_flat_frequencies_and_of_one_word_is_finite(probabilities):
    assert np.isfinite(scaling_of(Weights.USIF, probabilities)).all()


@pytest.fixture
def table():
    random = np.random.default_rng(0)
    return random.standard_normal((500, 4)) @ random.standard_normal((4, 4)) + 3


def test_whitened_words_have_mean_zero_and_unit_covariance_in_running_text(table):
    p = zipf_probabilities(500)
    whitening = fit_whitening(runs_of(table), p)
    whitened = whitening.apply(table)
    np.testing.assert_allclose(p @ whitened, np.zeros(4), atol=1e-10)
    np.testing.assert_allclose((whitened * p[:, None]).T @ whitened, np.eye(4), atol=1e-10)
    np.testing.assert_allclose(whitening.matrix, whitening.matrix.T, atol=1e-12)
    assert whitening.mean_length == pytest.approx(np.linalg.norm(whitened, axis=1).mean())


def test_a_flat_direction_is_left_out(table):
    table[:, 3] = table[:, 0]
    whitened = fit_whitening(runs_of(table), zipf_probabilities(500)).apply(table)
    assert (np.abs(whitened) < 100).all()
