from __future__ import annotations

import numpy as np
import pytest

from fuzzbow.arrays import Ragged, matrix_of_vectors, moments, runs_of
from fuzzbow.errors import InputError

TEXTS = Ragged.from_rows([[4, 2], [], [7, 7, 1]])


def test_rows_are_slices_of_the_values_and_can_be_kept_taken_and_mapped():
    for changed, rows in (
        (TEXTS, [[4, 2], [], [7, 7, 1]]),
        (TEXTS.keep(TEXTS.values != 7), [[4, 2], [], [1]]),
        (TEXTS.take(np.array([2, 1, 2])), [[7, 7, 1], [], [7, 7, 1]]),
        (TEXTS.take(np.array([], dtype=np.int64)), []),
        (TEXTS.map(np.arange(8) * 10), [[40, 20], [], [70, 70, 10]]),
    ):
        assert [row.tolist() for row in changed] == rows


def test_values_cannot_be_written():
    with pytest.raises(ValueError, match="read-only"):
        TEXTS.values[0] = 1


def test_moments_agree_with_numpy():
    random = np.random.default_rng(0)
    matrix, weights = random.standard_normal((50, 3)), random.random(50)
    mean, covariance = moments(runs_of(matrix), weights)
    np.testing.assert_allclose(mean, np.average(matrix, axis=0, weights=weights))
    np.testing.assert_allclose(covariance, np.cov(matrix.T, aweights=weights, ddof=0))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([1.0, 2.0], "2-D"),
        ([["a"]], "numbers"),
        ([[1.0], [1.0, 2.0]], "numbers"),
        ([[float("nan")]], "finite"),
        ([[float("inf")]], "finite"),
    ],
)
def test_vectors_that_cannot_be_used_are_refused(data, message):
    with pytest.raises(InputError, match=message):
        matrix_of_vectors(data, "X")
