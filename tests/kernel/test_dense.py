"""Fixed universes: membership rows against the float64 oracle."""

import numpy as np
import pytest

import fuzzbow
from fuzzbow import _kernel
from tests.kernel import calls, oracle


@pytest.mark.parametrize("similarity", oracle.DYNAMIC, ids=str)
@pytest.mark.parametrize("width", [1, 7, 64, 300, 5000])
@pytest.mark.parametrize("weighted", [False, True])
def test_rows_equal_the_oracle(simd, similarity, width, weighted):
    random = np.random.default_rng(width)
    left = np.maximum(random.standard_normal((9, width)), 0).astype(np.float32)
    right = np.maximum(random.standard_normal((5, width)), 0).astype(np.float32)
    left[0] = 0
    weights = (
        random.uniform(0, 2, width).astype(np.float32) if weighted else np.ones(width, np.float32)
    )
    expected = np.array([[oracle.combine(a, b, weights, similarity) for b in right] for a in left])
    passed = weights if weighted else None
    got = _kernel.dense_matrix(left, right, calls.compiled(similarity), weights=passed)
    np.testing.assert_allclose(got, expected, atol=1e-5, rtol=1e-5)
    got = _kernel.dense_pairs(
        left[:5], right, calls.compiled(similarity), weights=passed, threads=2
    )
    np.testing.assert_allclose(got, np.diag(expected), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("similarity", oracle.DYNAMIC, ids=str)
def test_a_row_with_itself_is_exactly_one(simd, similarity):
    rows = np.abs(np.random.default_rng(3).standard_normal((20, 333))).astype(np.float32)
    np.testing.assert_array_equal(
        _kernel.dense_pairs(rows, rows, calls.compiled(similarity)), np.ones(20)
    )


def test_rows_have_no_query_universe():
    rows = np.ones((1, 3), np.float32)
    with pytest.raises(fuzzbow.InputError, match="must be one of the dynamic universe"):
        _kernel.dense_pairs(rows, rows, calls.compiled(oracle.QUERY_COVERAGE))


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
