"""Groups against SciPy's, which knows nothing of parts and files."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform

from fuzzbow.tasks.dedupe.complete_linkage import complete_labels
from fuzzbow.tasks.dedupe.groups import Groups, connected
from fuzzbow.tasks.dedupe.pairs import PairArrays
from tests.unit.tasks.dedupe import corpora


def partition(labels) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)}


@given(
    size=st.integers(1, 60),
    edges=st.lists(st.tuples(st.integers(0, 59), st.integers(0, 59)), max_size=90),
    parts=st.integers(1, 5),
)
def test_connected_groups_are_scipy_s_components(size, edges, parts):
    a, b = np.array([(a % size, b % size) for a, b in edges], dtype=np.int64).reshape(-1, 2).T
    split = zip(np.array_split(a, parts), np.array_split(b, parts), strict=True)
    labels = connected(np.arange(size), split)
    graph = coo_matrix((np.ones(len(a)), (a, b)), shape=(size, size))
    assert partition(labels) == partition(connected_components(graph)[1])
    assert all(labels[label] == label for label in labels)
    assert (labels <= np.arange(size)).all()


def test_a_long_chain_and_a_star_take_few_rounds():
    size = 200_000
    middle = np.random.default_rng(0).permutation(size)
    chain = connected(np.arange(size), [(middle[:-1], middle[1:])])
    star = connected(np.arange(size), [(np.full(size - 1, size - 1), np.arange(size - 1))])
    assert not chain.any()
    assert not star.any()


def complete(scores: np.ndarray, threshold: float) -> np.ndarray:
    left, right = np.nonzero(np.triu(scores >= threshold, 1))
    pairs = PairArrays(left, right, scores[left, right], np.zeros(len(left), dtype=np.bool_))
    nodes = np.arange(len(scores))
    return complete_labels(connected(nodes, [(left, right)]), nodes, lambda: iter([pairs]))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("threshold", [0.3, 0.6, 0.9])
def test_complete_groups_are_scipy_s(seed, threshold):
    random = np.random.default_rng(seed)
    points = random.standard_normal((40, 2))
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    scores = np.exp(-distances)
    np.fill_diagonal(distances, 0)
    tree = linkage(squareform(distances, checks=False), "complete")
    expected = fcluster(tree, -np.log(threshold), criterion="distance")
    assert partition(complete(scores, threshold)) == partition(expected)


@given(st.integers(0, 10_000), st.sampled_from([0.25, 0.5, 0.75]))
def test_every_two_of_a_complete_group_are_a_pair_and_no_two_groups_could_be_one(seed, threshold):
    random = np.random.default_rng(seed)
    scores = random.integers(0, 5, (12, 12)) / 4  # many ties
    scores = np.maximum(scores, scores.T)
    np.fill_diagonal(scores, 1)
    labels = complete(scores, threshold)
    alike = labels[:, None] == labels[None, :]
    assert (scores[alike] >= threshold).all()
    groups = [sorted(group) for group in partition(labels)]
    for place, group in enumerate(groups):
        for other in groups[:place]:
            assert (scores[np.ix_(group, other)] < threshold).any()


def test_complete_groups_keep_copies_together():
    model, texts = corpora.model(), corpora.corpus(150, 12)
    found = model.duplicates(texts, threshold=0.6)
    labels, single = found.groups("complete").labels, found.groups("single").labels
    assert len(found.groups("complete")) != len(found.groups("single"))
    by_text = {}
    for text, label in zip(texts, labels.tolist(), strict=True):
        assert not text or by_text.setdefault(text, label) == label
    for group in found.groups("complete"):
        distinct = sorted({texts[place] for place in group.tolist()})
        assert model.matrix(distinct).min() >= 0.6 or len(distinct) == 1
    np.testing.assert_array_equal(single[labels], single)


def test_groups_come_largest_first_and_can_be_taken_by_number():
    groups = Groups(np.array([0, 1, 1, 0, 4, 1]))
    assert groups.sizes.tolist() == [3, 2]
    assert groups[-1].tolist() == [0, 3]
    with pytest.raises(IndexError):
        groups[2]
