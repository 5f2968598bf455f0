from __future__ import annotations

import numpy as np
import pytest

from fuzzbow import InputError
from fuzzbow.fuzzy import kmeans_centroids, principal_axes, random_universe

CLOUD = np.random.default_rng(0).standard_normal((400, 3)) * [5.0, 1.0, 0.1] + 7


def test_principal_axes_come_in_order_of_variance():
    variances = (CLOUD - CLOUD.mean(axis=0)) @ principal_axes(CLOUD).T
    assert (np.diff(variances.var(axis=0)) < 0).all()


def test_principal_axes_are_orthonormal_and_point_to_their_largest_part():
    axes = principal_axes(CLOUD)
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
