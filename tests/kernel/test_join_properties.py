"""The join equals brute force through the pair kernel."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fuzzbow
from fuzzbow import _kernel
from tests.kernel import corpora, oracle


def brute_force(table, left, right, measure, threshold):
    same = right is None
    grid = _kernel.matrix(
        table, oracle.ragged(left), oracle.ragged(left if same else right), measure
    )
    found = np.argwhere(grid >= np.float32(threshold))
    if same:
        found = found[found[:, 0] < found[:, 1]]
    return found, grid[found[:, 0], found[:, 1]]


def assert_same(found, expected):
    pairs, scores = expected
    np.testing.assert_array_equal(np.stack([found[0], found[1]], axis=1), pairs)
    np.testing.assert_array_equal(found[2], scores)


@st.composite
def cases(draw):
    sort = draw(st.sampled_from(corpora.SORTS))
    seed = draw(st.integers(0, 10_000))
    vocabulary = draw(st.sampled_from([1, 2, 5, 40, 200, 700]))
    longest = draw(st.sampled_from([2, 8, 14, 80]))
    count = draw(st.sampled_from([1, 30, 150]))
    return {
        "words": corpora.words(sort, vocabulary, draw(st.sampled_from([1, 4, 25, 100])), seed),
        "documents": corpora.texts(count, vocabulary, seed, longest),
        "others": corpora.texts(draw(st.sampled_from([0, 1, 60])), vocabulary, seed + 5, longest)
        if draw(st.booleans())
        else None,
        "measure": draw(st.sampled_from(oracle.MEASURES)),
        "threshold": draw(st.sampled_from([0.05, 0.3, 0.55, 0.71, 0.85, 0.93, 1.0])),
        "simd": draw(st.sampled_from(_kernel.info()["available"])),
        "threads": draw(st.sampled_from([1, 2])),
    }


@given(cases())
def test_join_equals_brute_force(case):
    before = _kernel.info()["simd"]
    _kernel.set_simd(case["simd"])
    try:
        table = _kernel.Table(**case["words"].arguments())
        documents, options = oracle.ragged(case["documents"]), (case["measure"], case["threshold"])
        expected = brute_force(table, case["documents"], case["others"], *options)
        if case["others"] is None:
            assert_same(_kernel.join(table, documents, *options, threads=case["threads"]), expected)
        else:
            assert_same(
                _kernel.join_between(table, documents, oracle.ragged(case["others"]), *options),
                expected,
            )
    finally:
        _kernel.set_simd(before)


@pytest.mark.parametrize(
    ("sort", "measure"),
    [
        ("raw", "jaccard"),
        ("centred", "otsuka"),
        ("unit", "dice"),
        ("unit-rules", "jaccard"),
    ],
)
def test_larger_joins(simd, sort, measure):
    words = corpora.words(sort, 2000, 100, 1)
    documents = corpora.texts(1500, 2000, 2, 12)
    table = _kernel.Table(**words.arguments())
    for threshold in (0.8, 0.9):
        assert_same(
            _kernel.join(table, oracle.ragged(documents), measure, threshold),
            brute_force(table, documents, None, measure, threshold),
        )


def test_ranges_of_rows_give_every_pair_once():
    words = corpora.words("centred", 300, 50, 1)
    documents = corpora.texts(800, 300, 2, 12)
    table = _kernel.Table(**words.arguments())
    join = _kernel.Join(table, oracle.ragged(documents), "jaccard", 0.7)
    assert len(join) == 800
    parts = [join.rows(start, start + 100) for start in range(0, 800, 100)]
    pairs = sorted(
        (int(a), int(b), float(s)) for part in parts for a, b, s in zip(*part, strict=False)
    )
    expected, scores = brute_force(table, documents, None, "jaccard", 0.7)
    assert pairs == [
        (int(a), int(b), float(s)) for (a, b), s in zip(expected, scores, strict=False)
    ]


def test_postings_are_used_where_they_can_be():
    words = corpora.words("centred", 2000, 100, 1)
    documents = [t for t in corpora.texts(3000, 2000, 2, 12) if len(t) > 4]
    join = _kernel.Join(
        _kernel.Table(**words.arguments()), oracle.ragged(documents), "jaccard", 0.9
    )
    statistics = join.rows(0, len(join), statistics=True)[3]
    assert statistics["scanned_rows"] == 0
    assert statistics["candidates"] < 20 * len(documents)


def test_bag_counts_are_joined():
    words = corpora.words("raw", 30, 20, 1)
    documents = [sorted(set(t)) for t in corpora.texts(60, 30, 2)]
    counts = [[1 + (i + w) % 3 for w in t] for i, t in enumerate(documents)]
    table, texts = _kernel.Table(**words.arguments()), oracle.ragged(documents, counts)
    grid = np.triu(_kernel.matrix(table, texts, texts, "jaccard"), 1)
    left, right, _scores = _kernel.join(table, texts, "jaccard", 0.6)
    np.testing.assert_array_equal(np.stack([left, right], 1), np.argwhere(grid >= np.float32(0.6)))


@pytest.mark.parametrize("threshold", [0.0, -1.0, float("nan")])
def test_a_threshold_of_nothing_is_refused(threshold):
    with pytest.raises(fuzzbow.InputError, match="must be"):
        _kernel.join(
            _kernel.Table(np.ones((1, 2), np.float32)), oracle.ragged([[0]]), "jaccard", threshold
        )
