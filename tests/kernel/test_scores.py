"""Scores of pairs, matrices, dense rows and set similarities against the float64 oracle."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import fuzzbow
from fuzzbow import _kernel
from tests.kernel import calls, corpora, oracle

TOLERANCE = 1e-5
every_similarity = pytest.mark.parametrize("similarity", oracle.SIMILARITIES, ids=str)


every_case = calls.every_two(sort=corpora.SORTS, similarity=oracle.SIMILARITIES)


def build(sort, seed=1, count=60, dimension=21, texts=40, longest=14):
    words = corpora.words(sort, count, dimension, seed)
    left = corpora.texts(texts, count, seed, longest)
    right = corpora.texts(texts, count, seed + 7, longest)
    return words, left, right, _kernel.Table(**words.arguments())


def bags(sort):
    words, left, right, table = build(sort)
    left, right = [sorted(set(t)) for t in left], [sorted(set(t)) for t in right]
    random = np.random.default_rng(5)
    counts = [[random.integers(1, 5, len(t)).tolist() for t in side] for side in (left, right)]
    return words, left, right, counts, table


@functools.lru_cache(maxsize=1000)
def expected_scores(sort, similarity, counted=False):
    """Of `build` or `bags`, once for all instruction sets."""
    if not counted:
        words, left, right, _ = build(sort)
        counts = [[None] * len(left)] * 2
    else:
        words, left, right, counts, _ = bags(sort)
    return [
        oracle.score(words, a, b, similarity, c, d)
        for a, b, c, d in zip(left, right, *counts, strict=True)
    ]


@every_case
def test_pairs_equal_the_oracle(simd, sort, similarity):
    _words, left, right, table = build(sort)
    got = calls.pairs(table, left, right, similarity)
    np.testing.assert_allclose(got, expected_scores(sort, similarity), atol=TOLERANCE)


@pytest.mark.parametrize("dimension", [1, 3, 16, 17, 300])
def test_any_dimension(simd, dimension):
    words, left, right, table = build("centred", dimension=dimension)
    got = calls.pairs(table, left, right, oracle.JACCARD)
    np.testing.assert_allclose(
        got,
        [oracle.score(words, a, b, oracle.JACCARD) for a, b in zip(left, right, strict=True)],
        atol=TOLERANCE,
    )


@calls.every_two(sort=["raw", "rules", "unit-rules"], similarity=oracle.SIMILARITIES)
def test_bag_counts_equal_the_oracle(simd, sort, similarity):
    _words, left, right, counts, table = bags(sort)
    expected = expected_scores(sort, similarity, counted=True)
    np.testing.assert_allclose(
        calls.pairs(table, left, right, similarity, counts), expected, atol=TOLERANCE
    )
    np.testing.assert_allclose(
        np.diag(calls.matrix(table, left, right, similarity, counts)), expected, atol=TOLERANCE
    )


@every_case
def test_matrix_equals_pairs_bit_for_bit(simd, sort, similarity):
    _words, left, right, table = build(sort, texts=20)
    grid = calls.matrix(table, left, right, similarity)
    assert grid.shape == (20, 20)
    for i, text in enumerate(left):
        np.testing.assert_array_equal(grid[i], calls.pairs(table, [text] * 20, right, similarity))


@every_case
def test_a_text_with_itself_is_exactly_one(simd, sort, similarity):
    _words, left, _, table = build(sort, dimension=300, longest=90)
    got = calls.pairs(table, left, left, similarity)
    np.testing.assert_array_equal(got, [1.0 if t else 0.0 for t in left])


@calls.every_two(sort=corpora.SORTS, similarity=oracle.SYMMETRIC)
def test_symmetric_scores_are_so_bit_for_bit(simd, sort, similarity):
    _, left, right, table = build(sort)
    assert calls.compiled(similarity).symmetric
    np.testing.assert_array_equal(
        calls.pairs(table, left, right, similarity), calls.pairs(table, right, left, similarity)
    )


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_do_not_change_results(simd, threads):
    _, left, right, table = build("raw", texts=700)
    np.testing.assert_array_equal(
        calls.pairs(table, left, right, oracle.JACCARD, threads=threads),
        calls.pairs(table, left, right, oracle.JACCARD, threads=1),
    )


@pytest.mark.parametrize("sort", corpora.SORTS)
@pytest.mark.parametrize("similarity", [oracle.JACCARD, oracle.QUERY_COVERAGE], ids=str)
def test_texts_in_many_pairs_score_as_in_one(simd, sort, similarity):
    """Self memberships are computed once per text, or once per pair."""
    _, left, right, table = build(sort, texts=20, longest=100)
    texts, a, b = calls.batch(left, right)
    first, second = np.repeat(a, len(b)), np.tile(b, len(a))
    many = _kernel.pairs(table, texts, first, second, calls.compiled(similarity))
    for i in range(0, len(many), 20):
        some = slice(i, i + 20)
        one = _kernel.pairs(table, texts, first[some], second[some], calls.compiled(similarity))
        np.testing.assert_array_equal(many[some], one)


def test_negative_similarities_do_not_lose_to_padding(simd):
    table = _kernel.Table(np.array([[1.0], [-1.0]], np.float32))
    assert calls.pairs(table, [[0]], [[1]], oracle.JACCARD)[0] == 0.0


@every_similarity
def test_words_without_weight_or_vector_equal_the_oracle(simd, similarity):
    vectors = np.array([[1.0, 0.0], [0.0, 0.0], [0.5, 0.5]], np.float32)
    table = _kernel.Table(vectors, np.array([0.0, 1.0, 1.0], np.float32))
    texts = [[0], [1], [0, 1], []]
    grid = calls.matrix(table, texts, [*texts, [2]], similarity)
    words = oracle.Words(vectors, [0.0, 1.0, 1.0])
    expected = [[oracle.score(words, a, b, similarity) for b in [*texts, [2]]] for a in texts]
    np.testing.assert_allclose(grid, expected, atol=1e-7)


@pytest.mark.parametrize("similarity", oracle.SIMILARITIES, ids=str)
def test_it_knows_whether_it_is_symmetric(similarity):
    assert calls.compiled(similarity).symmetric == similarity.symmetric


@pytest.mark.parametrize(
    ("name", "parameters", "universe"),
    [
        ("cosinus", (), "dynamic"),
        ("jaccard", (), "identity"),
        ("jaccard", (1.0,), "dynamic"),
        ("tversky", (), "dynamic"),
        ("tversky", (1.0,), "dynamic"),
        ("tversky", (1.0, 1.0, 1.0), "dynamic"),
        ("tversky", (0.0, 0.0), "dynamic"),
        ("tversky", (-0.1, 1.0), "dynamic"),
        ("tversky", (1.0, float("nan")), "dynamic"),
        ("tversky", (1.0, float("inf")), "query"),
    ],
)
def test_it_is_refused(name, parameters, universe):
    with pytest.raises(fuzzbow.InputError, match="must be"):
        _kernel.SetSimilarity(name, parameters, universe=universe)


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
