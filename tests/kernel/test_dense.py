"""Fixed universes: membership rows against the float64 oracle."""

import numpy as np
import pytest

from fuzzbow import _kernel
from tests.kernel import oracle


@pytest.mark.parametrize("measure", [*oracle.MEASURES, "dot"])
@pytest.mark.parametrize("width", [1, 7, 64, 300, 5000])
@pytest.mark.parametrize("weighted", [False, True])
def test_rows_equal_the_oracle(simd, measure, width, weighted):
    random = np.random.default_rng(width)
    left = np.maximum(random.standard_normal((9, width)), 0).astype(np.float32)
    right = np.maximum(random.standard_normal((5, width)), 0).astype(np.float32)
    left[0] = 0
    weights = (
        random.uniform(0, 2, width).astype(np.float32) if weighted else np.ones(width, np.float32)
    )
    expected = np.array([[oracle.combine(a, b, weights, measure) for b in right] for a in left])
    passed = weights if weighted else None
    got = _kernel.dense_matrix(left, right, measure, weights=passed)
    np.testing.assert_allclose(got, expected, atol=1e-5, rtol=1e-5)
    got = _kernel.dense_pairs(left[:5], right, measure, weights=passed, threads=2)
    np.testing.assert_allclose(got, np.diag(expected), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("measure", oracle.MEASURES)
def test_a_row_with_itself_is_exactly_one(simd, measure):
    rows = np.abs(np.random.default_rng(3).standard_normal((20, 333))).astype(np.float32)
    np.testing.assert_array_equal(_kernel.dense_pairs(rows, rows, measure), np.ones(20))


@pytest.mark.parametrize("counted", [False, True])
def test_memberships_pool_with_zero(simd, counted):
    random = np.random.default_rng(4)
    rows = random.standard_normal((12, 37)).astype(np.float32)
    texts = [[], [3], [1, 2, 3], [11, 0, 0]]
    counts = [[], [2], [1, 2, 3], [1, 1, 4]]
    expected = np.stack(
        [
            (rows[t] * np.array(c if counted else [1] * len(t), np.float32)[:, None]).max(
                axis=0, initial=0.0
            )
            for t, c in zip(texts, counts, strict=False)
        ]
    )
    got = _kernel.memberships(oracle.ragged(texts, counts if counted else None), rows)
    np.testing.assert_array_equal(got, expected)
