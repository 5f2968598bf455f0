from __future__ import annotations

import numpy as np

from fuzzbow.vectors.weights import sif_weights, usif_weights, zipf_probabilities


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
