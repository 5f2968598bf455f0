from __future__ import annotations

import numpy as np
import pytest

from fuzzbow.arrays import runs_of
from fuzzbow.vectors.weights import fit_whitening, zipf_probabilities


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
