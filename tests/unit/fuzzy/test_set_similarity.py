from __future__ import annotations

import numpy as np
import pytest

import fuzzbow
from fuzzbow import InputError
from fuzzbow.fuzzy import (
    SET_SIMILARITIES,
    compare,
    kmeans_centroids,
    parse_set_similarity,
    principal_axes,
    random_universe,
    tversky,
)

A, B = np.array([1.0, 0.5, 0.0]), np.array([0.5, 0.5, 0.25])
SIMILARITIES = [*SET_SIMILARITIES.values(), tversky(0.3, 0.8)]


@pytest.mark.parametrize(
    ("similarity", "expected"),
    [
        ("jaccard", 1.0 / 1.75),
        ("otsuka", 1.0 / np.sqrt(1.5 * 1.25)),
        ("dice", 2.0 / 2.75),
        ("cosine", 0.75 / np.sqrt(1.25 * 0.5625)),
        ("coverage", 1.0 / 1.5),
        ("overlap", 1.0 / 1.25),
        ("tversky(1, 1)", 1.0 / 1.75),
        ("tversky(0.5, 0.5)", 2.0 / 2.75),
        ("tversky(0.3, 0.8)", 1.0 / (1.0 + 0.3 * 0.5 + 0.8 * 0.25)),
    ],
)
def test_formula(similarity, expected):
    assert compare(A, B, parse_set_similarity(similarity)) == pytest.approx(expected)


@pytest.mark.parametrize("similarity", SIMILARITIES, ids=str)
def test_every_similarity_has_the_properties_of_a_ratio(similarity):
    weights = np.array([1.0, 1.0, 0.0])  # 0 removes an element
    assert compare(A, B, similarity, weights) == pytest.approx(compare(A[:2], B[:2], similarity))
    assert compare(np.zeros(3), np.zeros(3), similarity) == 0.0
    assert (compare(A, B, similarity) == compare(B, A, similarity)) == similarity.symmetric
    row = np.random.default_rng(0).random(50)
    assert compare(row, row, similarity) == 1.0


@pytest.mark.parametrize(
    "name", ["tversky(0, 0)", "tversky(-1, 1)", "tversky(nan, 1)", "tversky(1)", "tversky(a, 1)"]
)
def test_parameters_that_make_no_ratio_are_refused(name):
    with pytest.raises(fuzzbow.InputError, match="tversky"):
        parse_set_similarity(name)


def test_the_query_universe_is_the_first_set():
    random = np.random.default_rng(2)
    X, Y = random.standard_normal((4, 6)), random.standard_normal((3, 6))
    found = fuzzbow.set_similarity(X, Y, universe="query", similarity="coverage")
    assert found == fuzzbow.set_similarity(X, Y, universe=X, similarity="coverage")
    assert found != fuzzbow.set_similarity(Y, X, universe="query", similarity="coverage")


def test_negative_sizes_have_no_root_and_score_zero():
    assert compare(-A, B, SET_SIMILARITIES["otsuka"]) == 0.0


def dynamax_jaccard(X, Y):
    """Algorithm 1 of the paper, line by line."""
    U = np.vstack([X, Y])
    z = np.zeros(len(U))
    x = np.max(np.vstack([X @ U.T, z]), axis=0)
    y = np.max(np.vstack([Y @ U.T, z]), axis=0)
    return np.minimum(x, y).sum() / np.maximum(x, y).sum()


def test_default_is_algorithm_1_of_the_paper():
    random = np.random.default_rng(1)
    X, Y = random.standard_normal((4, 6)), random.standard_normal((3, 6))
    assert fuzzbow.set_similarity(X, Y) == pytest.approx(dynamax_jaccard(X, Y), abs=1e-12)


def test_average_pooling_with_cosine_is_the_averaged_word_vector():
    random = np.random.default_rng(3)
    X, Y = random.standard_normal((4, 6)), random.standard_normal((3, 6))
    a, b = X.mean(axis=0), Y.mean(axis=0)
    expected = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    found = fuzzbow.set_similarity(X, Y, universe="identity", pooling="avg", similarity="cosine")
    assert found == pytest.approx(expected)


def test_counts_multiply_memberships_of_a_bag():
    X, Y = [[1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]
    # μ_X = 2·[1, 1, 0] over U = [x, y1, y2], μ_Y = [1, 1, 1]
    assert fuzzbow.set_similarity(X, Y, counts_x=[2.0]) == pytest.approx(2 / 5)


def test_clipped_cosine_equals_dot_product_of_unit_vectors():
    random = np.random.default_rng(4)
    X, Y = random.standard_normal((4, 6)), random.standard_normal((3, 6))
    unit_x = X / np.linalg.norm(X, axis=1, keepdims=True)
    unit_y = Y / np.linalg.norm(Y, axis=1, keepdims=True)
    clipped = fuzzbow.set_similarity(X, Y, word_similarity="clipped-cosine")
    assert clipped == pytest.approx(fuzzbow.set_similarity(unit_x, unit_y))


def test_an_empty_set_scores_zero():
    assert fuzzbow.set_similarity(np.zeros((0, 2)), [[1.0, 0.0]]) == 0.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"universe": "dinamic"}, "did you mean 'dynamic'"),
        ({"universe": "vocabulary"}, "pass its rows"),
        ({"universe": [[1.0]]}, "dimension of X, 2; got 1"),
        ({"pooling": "mean"}, "must be one of max, avg, sum, min"),
        ({"similarity": "jacard"}, "did you mean 'jaccard'"),
        ({"word_similarity": 3}, "word_similarity must be one of"),
        ({"weights": [1.0]}, r"must have shape \(2,\)"),
        ({"weights": [1.0, -1.0]}, "not negative"),
        ({"counts_x": [1.0, 1.0]}, r"counts_x must have shape \(1,\)"),
        ({"X": [[1.0]]}, "same dimension; got 1 and 2"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(fuzzbow.InputError, match=message):
        fuzzbow.set_similarity(**{"X": [[1.0, 0.0]], "Y": [[0.0, 1.0]], **options})


CLOUD = np.random.default_rng(0).standard_normal((400, 3)) * [5.0, 1.0, 0.1] + 7


def test_principal_axes_are_orthonormal_by_variance_and_point_to_their_largest_part():
    axes = principal_axes(CLOUD)
    assert (np.diff(((CLOUD - CLOUD.mean(axis=0)) @ axes.T).var(axis=0)) < 0).all()
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    assert (np.take_along_axis(axes, np.abs(axes).argmax(axis=1)[:, None], axis=1) > 0).all()


def test_kmeans_finds_well_separated_clusters():
    random = np.random.default_rng(1)
    centres = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])
    points = np.repeat(centres, 40, axis=0) + 0.1 * random.standard_normal((120, 2))
    found = kmeans_centroids(points, size=3, seed=0)
    order = np.lexsort(found.round().T)
    np.testing.assert_allclose(found[order], centres[np.lexsort(centres.T)], atol=0.1)


def test_kmeans_keeps_as_many_centroids_as_asked_among_equal_points():
    assert kmeans_centroids(np.ones((5, 2)), size=4).shape == (4, 2)


def test_seeds_decide_random_rows():
    assert (random_universe(3, seed=5) == random_universe(3, seed=5)).all()
    assert (random_universe(3, seed=5) != random_universe(3, seed=6)).any()


@pytest.mark.parametrize("make", [principal_axes, kmeans_centroids])
def test_a_universe_larger_than_its_source_is_refused(make):
    with pytest.raises(InputError, match="size must be at most"):
        make(CLOUD[:3], size=4)
