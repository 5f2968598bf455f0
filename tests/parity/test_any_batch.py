"""A score is the same number, to the last bit, in whatever batch and with any number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fuzzbow
from fuzzbow.arrays import products, row_sums
from fuzzbow.engine import SetOptions, limited_threads
from fuzzbow.fuzzy import SET_SIMILARITIES, Pooling
from fuzzbow.measures import MEASURES, Ability
from tests.hostile.texts import FIXED, LONG, small_vectors
from tests.parity.test_engines import some_texts

SHAPES = [(1, 1, 1), (1, 9, 3), (2, 1, 17), (3, 5, 8), (17, 4, 33), (70, 130, 300), (5, 2, 9000)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_products_are_the_same_in_any_batch(engine, shape, threads):
    n, m, d = shape
    random = np.random.default_rng(d)
    a, b = random.standard_normal((n, d)), random.standard_normal((m, d))
    with limited_threads(threads):
        found = engine.products(a, b)
    np.testing.assert_allclose(found, a @ b.T, atol=1e-9)
    for i, j in [(0, 0), (n - 1, m - 1), (n // 2, m // 3)]:
        assert engine.products(a[i : i + 1], b[j : j + 1])[0, 0] == found[i, j]
        assert engine.products(b[j : j + 1], a[i:])[0, 0] == found[i, j]
        assert engine.products(a[: i + 1], b[j:])[i, 0] == found[i, j]


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 200), st.data())
def test_sums_are_the_same_in_any_batch(n, m, d, data):
    random = np.random.default_rng(n * m * d)
    a, b = random.standard_normal((n, d)), random.standard_normal((m, d))
    i, j = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, m - 1))
    assert products(a[i : i + 1], b[j:])[0, 0] == products(a, b)[i, j]
    assert row_sums(a[i]) == row_sums(a)[i]
    assert row_sums(np.asfortranarray(a)[i:])[0] == row_sums(a)[i]


@pytest.mark.parametrize("similarity", SET_SIMILARITIES.values(), ids=str)
@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_rows_are_the_same_in_any_batch(engine, similarity, signed, weighted):
    random = np.random.default_rng(6)
    a, b = random.standard_normal((30, 77)), random.standard_normal((90, 77))
    a[3], b[5] = np.abs(a[3]), np.abs(b[5])  # signed rows need not have a sign
    a, b = (a, b) if signed else (np.maximum(a, 0), np.maximum(b, 0))
    weights = random.random(77) if weighted else None
    options = SetOptions(similarity, weights, signed)
    whole = engine.row_matrix(a, b, options)
    for i, j in [(3, 5), (29, 89), (0, 88)]:
        left, right = a[i : i + 1], b[j : j + 1]
        assert engine.row_matrix(left, right, options) == whole[i, j]
        assert engine.row_pairs(left, right, options) == whole[i, j]
        own = engine.row_matrix(left, left, options)
        if not signed or similarity.squares:
            assert own == 1.0


@pytest.mark.parametrize("pooling", Pooling)
def test_memberships_are_the_same_in_any_batch(engine, pooling):
    texts, rows = some_texts(), np.random.default_rng(5).standard_normal((40, 13))
    whole = engine.memberships(rows, texts, pooling)
    for text in (0, 1, len(texts) - 1):
        alone = engine.memberships(rows, texts.take(np.array([text])), pooling)
        np.testing.assert_array_equal(alone[0], whole[text])


SEARCHABLE = [name for name, made in MEASURES.items() if Ability.SEARCH in made.abilities]


@pytest.mark.parametrize("engine_name", ["compiled", "reference"])
@pytest.mark.parametrize("measure", SEARCHABLE)
def test_a_matrix_is_the_same_in_any_batch(measure, engine_name):
    model = fuzzbow.load(small_vectors(), measure=measure, engine=engine_name)
    rows, columns = FIXED[4:14], [*FIXED, LONG[0][:3000]]
    if Ability.FIT in model.measure.abilities:  # else each batch is another collection
        model = model.fit(columns)
    whole = model.matrix(rows, columns, threads=2)
    np.testing.assert_array_equal(model.matrix(rows, columns, threads=1), whole)
    np.testing.assert_array_equal(model.matrix(rows[3:4], columns), whole[3:4])
    np.testing.assert_array_equal(model.matrix(rows, columns[7:9]), whole[:, 7:9])
    np.testing.assert_array_equal(model.matrix(rows[5:6], columns[-1:]), whole[5:6, -1:])
