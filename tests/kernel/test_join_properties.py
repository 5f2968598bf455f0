"""The join equals brute force through the pair kernel."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fuzzbow
from fuzzbow import _kernel
from tests.kernel import calls, corpora, oracle


def brute_force(table, texts, similarity, threshold, boundary=None, counts=None):
    grid = calls.matrix(table, texts, texts, similarity, (counts, counts))
    return pairs_of(grid, threshold, boundary)


def pairs_of(grid, threshold, boundary=None):
    """Pairs at or above the threshold, and their scores, of every text with every text."""
    found = np.argwhere(grid >= np.float32(threshold))
    left, right = found[:, 0], found[:, 1]
    wanted = left < right if boundary is None else (left < boundary) & (right >= boundary)
    return found[wanted], grid[left[wanted], right[wanted]]


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
    documents = corpora.texts(count, vocabulary, seed, longest)
    boundary = None
    if draw(st.booleans()):
        boundary = len(documents)
        others = draw(st.sampled_from([0, 1, 60]))
        documents += corpora.texts(others, vocabulary, seed + 5, longest)
    counted = draw(st.sampled_from([False, False, False, True]))
    return {
        "words": corpora.words(sort, vocabulary, draw(st.sampled_from([1, 4, 25, 100])), seed),
        "documents": documents,
        "boundary": boundary,
        "counts": [[1 + (seed + w) % 3 for w in t] for t in documents] if counted else None,
        "similarity": draw(st.sampled_from(oracle.SYMMETRIC)),
        "threshold": draw(st.sampled_from([0.05, 0.3, 0.55, 0.71, 0.85, 0.93, 1.0])),
        "simd": draw(st.sampled_from(_kernel.info()["available"])),
        "threads": draw(st.sampled_from([1, 2])),
    }


@given(cases())
def test_join_equals_brute_force(case):
    with calls.instruction_set(case["simd"]):
        table = _kernel.Table(**case["words"].arguments())
        common = (table, case["documents"], case["similarity"], case["threshold"])
        ways = {"boundary": case["boundary"], "counts": case["counts"]}
        found = calls.joined(*common, **ways, threads=case["threads"])
        assert_same(found, brute_force(*common, **ways))


@calls.every_case(
    ("sort", "similarity"),
    ("raw", oracle.JACCARD),
    ("centred", oracle.OTSUKA),
    ("unit", oracle.DICE),
    ("unit-rules", oracle.JACCARD),
    ("centred", oracle.Similarity("tversky", (0.7, 0.7))),
    ("unit-rules", oracle.Similarity("tversky", (3.0, 3.0))),
    ("unit-rules", oracle.OVERLAP),
)
def test_larger_joins(simd, sort, similarity):
    words = corpora.words(sort, 2000, 100, 1)
    documents = corpora.texts(600, 2000, 2, 12)
    table = _kernel.Table(**words.arguments())
    grid = calls.matrix(table, documents, documents, similarity)
    for threshold in (0.8, 0.9):
        assert_same(
            calls.joined(table, documents, similarity, threshold), pairs_of(grid, threshold)
        )


def test_ranges_of_rows_give_every_pair_once():
    words = corpora.words("centred", 300, 50, 1)
    documents = corpora.texts(800, 300, 2, 12)
    table = _kernel.Table(**words.arguments())
    join = _kernel.Join(table, oracle.ragged(documents), calls.compiled(oracle.JACCARD), 0.7)
    assert len(join) == 800
    parts = [join.rows(start, start + 100) for start in range(0, 800, 100)]
    pairs = sorted(
        (int(a), int(b), float(s)) for part in parts for a, b, s in zip(*part, strict=False)
    )
    expected, scores = brute_force(table, documents, oracle.JACCARD, 0.7)
    assert pairs == [
        (int(a), int(b), float(s)) for (a, b), s in zip(expected, scores, strict=False)
    ]


@pytest.mark.parametrize(
    "similarity", [oracle.JACCARD, oracle.Similarity("tversky", (0.7, 0.7))], ids=str
)
def test_postings_are_used_where_they_can_be(similarity):
    words = corpora.words("centred", 2000, 100, 1)
    documents = [t for t in corpora.texts(3000, 2000, 2, 12) if len(t) > 4]
    table = _kernel.Table(**words.arguments())
    join = _kernel.Join(table, oracle.ragged(documents), calls.compiled(similarity), 0.9)
    statistics = join.rows(0, len(join), statistics=True)[3]
    assert statistics["scanned_rows"] == 0
    assert statistics["candidates"] < 2 * len(documents)


@pytest.mark.parametrize(
    "options",
    [
        {"threshold": 0.0},
        {"threshold": -1.0},
        {"threshold": float("nan")},
        {"boundary": -1},
        {"boundary": 2},
        {"similarity": oracle.COVERAGE},
        {"similarity": oracle.QUERY_JACCARD},
    ],
    ids=str,
)
def test_bad_options_are_refused(options):
    table = _kernel.Table(np.ones((1, 2), np.float32))
    with pytest.raises(fuzzbow.InputError, match="must be"):
        calls.joined(table, [[0]], **{"similarity": oracle.JACCARD, "threshold": 0.5, **options})
