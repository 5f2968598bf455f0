"""Pairs, matrix, query scores and self memberships against the float64 oracle."""

import numpy as np
import pytest

from fuzzbow import _kernel
from tests.kernel import corpora, oracle

TOLERANCE = 1e-5


def build(sort, seed=1, count=60, dimension=21, texts=40, longest=14):
    words = corpora.words(sort, count, dimension, seed)
    left = corpora.texts(texts, count, seed, longest)
    right = corpora.texts(texts, count, seed + 7, longest)
    return words, left, right, _kernel.Table(**words.arguments())


@pytest.mark.parametrize("sort", corpora.SORTS)
@pytest.mark.parametrize("measure", oracle.MEASURES)
def test_pairs_equal_the_oracle(simd, sort, measure):
    words, left, right, table = build(sort)
    got = _kernel.pairs(table, oracle.ragged(left), oracle.ragged(right), measure)
    expected = [oracle.score(words, a, b, measure) for a, b in zip(left, right, strict=False)]
    np.testing.assert_allclose(got, expected, atol=TOLERANCE)


@pytest.mark.parametrize("dimension", [1, 3, 16, 17, 300])
def test_any_dimension(simd, dimension):
    words, left, right, table = build("centred", dimension=dimension)
    got = _kernel.pairs(table, oracle.ragged(left), oracle.ragged(right), "jaccard")
    np.testing.assert_allclose(
        got,
        [oracle.score(words, a, b, "jaccard") for a, b in zip(left, right, strict=False)],
        atol=TOLERANCE,
    )


@pytest.mark.parametrize("sort", ["raw", "unit-rules"])
def test_long_texts_equal_the_oracle(simd, sort):
    words = corpora.words(sort, 80, 16, 3)
    random = np.random.default_rng(0)
    left = [random.integers(0, 80, n).tolist() for n in (300, 65, 64, 1, 129)]
    right = [random.integers(0, 80, n).tolist() for n in (200, 63, 128, 300, 1)]
    table = _kernel.Table(**words.arguments())
    for measure in oracle.MEASURES:
        got = _kernel.pairs(table, oracle.ragged(left), oracle.ragged(right), measure)
        expected = [oracle.score(words, a, b, measure) for a, b in zip(left, right, strict=False)]
        np.testing.assert_allclose(got, expected, atol=TOLERANCE)


@pytest.mark.parametrize("sort", ["raw", "rules", "unit-rules"])
@pytest.mark.parametrize("measure", oracle.MEASURES)
def test_bag_counts_equal_the_oracle(simd, sort, measure):
    words, left, right, table = build(sort)
    left, right = [sorted(set(t)) for t in left], [sorted(set(t)) for t in right]
    random = np.random.default_rng(5)
    left_counts = [random.integers(1, 5, len(t)).tolist() for t in left]
    right_counts = [random.integers(1, 5, len(t)).tolist() for t in right]
    a, b = oracle.ragged(left, left_counts), oracle.ragged(right, right_counts)
    expected = [
        oracle.score(words, x, y, measure, c, d)
        for x, y, c, d in zip(left, right, left_counts, right_counts, strict=False)
    ]
    np.testing.assert_allclose(_kernel.pairs(table, a, b, measure), expected, atol=TOLERANCE)
    np.testing.assert_allclose(
        np.diag(_kernel.matrix(table, a, b, measure)), expected, atol=TOLERANCE
    )


@pytest.mark.parametrize("sort", corpora.SORTS)
@pytest.mark.parametrize("measure", oracle.MEASURES)
def test_matrix_and_query_scores_equal_pairs_bit_for_bit(simd, sort, measure):
    _words, left, right, table = build(sort, texts=20)
    grid = _kernel.matrix(table, oracle.ragged(left), oracle.ragged(right), measure)
    assert grid.shape == (20, 20)
    for i, text in enumerate(left):
        row = _kernel.pairs(table, oracle.ragged([text] * 20), oracle.ragged(right), measure)
        np.testing.assert_array_equal(grid[i], row)
        query = np.array(text, dtype=np.uint32)
        np.testing.assert_array_equal(
            _kernel.query_scores(table, query, oracle.ragged(right), measure), row
        )


@pytest.mark.parametrize("sort", corpora.SORTS)
@pytest.mark.parametrize("measure", oracle.MEASURES)
def test_a_text_with_itself_is_exactly_one(simd, sort, measure):
    _words, left, _, table = build(sort, dimension=300, longest=90)
    texts = oracle.ragged(left)
    got = _kernel.pairs(table, texts, texts, measure)
    np.testing.assert_array_equal(got, [1.0 if t else 0.0 for t in left])


@pytest.mark.parametrize("sort", corpora.SORTS)
@pytest.mark.parametrize("measure", oracle.MEASURES)
def test_scores_are_symmetric_bit_for_bit(simd, sort, measure):
    _, left, right, table = build(sort)
    a, b = oracle.ragged(left), oracle.ragged(right)
    np.testing.assert_array_equal(
        _kernel.pairs(table, a, b, measure), _kernel.pairs(table, b, a, measure)
    )


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_do_not_change_results(simd, threads):
    _, left, right, table = build("raw", texts=700)
    a, b = oracle.ragged(left), oracle.ragged(right)
    np.testing.assert_array_equal(
        _kernel.pairs(table, a, b, "jaccard", threads=threads),
        _kernel.pairs(table, a, b, "jaccard", threads=1),
    )


@pytest.mark.parametrize("sort", corpora.SORTS)
def test_self_memberships_equal_the_oracle(simd, sort):
    words, left, _, table = build(sort, longest=100)
    got = _kernel.self_memberships(table, oracle.ragged(left))
    expected = np.concatenate([oracle.membership(words, t, t) if t else np.zeros(0) for t in left])
    np.testing.assert_allclose(
        got, expected, rtol=2e-4 if sort == "tiny" else 1e-5, atol=1e-44 if sort == "tiny" else 1e-6
    )
    if "rules" not in sort and not words.unit and sort != "tiny":
        given = _kernel.pairs(
            table, oracle.ragged(left), oracle.ragged(left[::-1]), "jaccard", left_self=got
        )
        np.testing.assert_array_equal(
            given, _kernel.pairs(table, oracle.ragged(left), oracle.ragged(left[::-1]), "jaccard")
        )


def test_negative_similarities_do_not_lose_to_padding(simd):
    table = _kernel.Table(np.array([[1.0], [-1.0]], np.float32))
    assert _kernel.pairs(table, oracle.ragged([[0]]), oracle.ragged([[1]]), "jaccard")[0] == 0.0


def test_no_texts_give_no_scores(simd):
    table = _kernel.Table(np.ones((1, 4), np.float32))
    none = oracle.ragged([])
    assert _kernel.pairs(table, none, none, "dice").shape == (0,)
    assert _kernel.matrix(table, none, oracle.ragged([[0]]), "dice").shape == (0, 1)
