from __future__ import annotations

import numpy as np
import pytest

from fuzzbow.arrays import runs_of
from fuzzbow.vectors.frequencies import zipf_probabilities
from fuzzbow.vectors.weights import sif_weights, usif_weights
from fuzzbow.vectors.whitening import fit_whitening


def test_sif_is_a_over_a_plus_p():
    np.testing.assert_allclose(sif_weights(np.array([0.0, 1e-3])), [1.0, 0.5])


def test_usif_follows_ethayarajh():
    p = zipf_probabilities(1000)
    threshold = 1 - (1 - 1 / 1000) ** 11
    alpha = (p > threshold).mean()
    a = (1 - alpha) / (alpha * 500)
    np.testing.assert_allclose(usif_weights(p), a / (a / 2 + p))


def test_usif_of_flat_frequencies_is_finite():
    assert np.isfinite(usif_weights(np.full(10, 0.1))).all()


def test_usif_of_one_word_is_finite():
    assert np.isfinite(usif_weights(np.array([1.0]))).all()


@pytest.fixture
def table():
    random = np.random.default_rng(0)
    return random.standard_normal((500, 4)) @ random.standard_normal((4, 4)) + 3


def test_whitened_words_have_mean_zero_and_unit_covariance_in_running_text(table):
    p = zipf_probabilities(500)
    whitened = fit_whitening(runs_of(table), p).apply(table)
    np.testing.assert_allclose(p @ whitened, np.zeros(4), atol=1e-10)
    np.testing.assert_allclose((whitened * p[:, None]).T @ whitened, np.eye(4), atol=1e-10)


def test_whitening_is_symmetric(table):
    matrix = fit_whitening(runs_of(table), zipf_probabilities(500)).matrix
    np.testing.assert_allclose(matrix, matrix.T, atol=1e-12)


def test_mean_length_is_that_of_the_vocabulary(table):
    whitening = fit_whitening(runs_of(table), zipf_probabilities(500))
    lengths = np.linalg.norm(whitening.apply(table), axis=1)
    assert whitening.mean_length == pytest.approx(lengths.mean())


def test_a_flat_direction_is_left_out(table):
    table[:, 3] = table[:, 0]
    whitened = fit_whitening(runs_of(table), zipf_probabilities(500)).apply(table)
    assert np.isfinite(whitened).all()
    assert np.abs(whitened).max() < 100
