"""Limits of a search, and any index against brute force."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fuzzbow
from fuzzbow.engine import current_threads, limited_threads
from fuzzbow.errors import InputError
from tests.unit.index.brute import Brute

NOT_COUNTS = [0, -1, -(2**70), 1.5, "3", None, True, np.float64(2), float("nan"), [1], b"1", 2j]
HUGE = [2**31, 2**63, 2**64, 2**70, pytest.param(10**5000, id="5001 digits")]


@pytest.fixture(scope="module")
def index() -> fuzzbow.Index:
    return fuzzbow.load("default").index(["a cat", "a dog", "a house"])


@pytest.mark.parametrize("value", NOT_COUNTS)
def test_counts_must_be_whole_numbers_from_1(index, tmp_path, value):
    calls = {"k": lambda: index.search("a cat", k=value)}
    if value is not None:
        calls["threads"] = lambda: index.search("a cat", threads=value)
        calls["keep_versions"] = lambda: index.compact(keep_versions=value)
        calls["version"] = lambda: index.restore(value)
    for name, call in calls.items():
        with pytest.raises(InputError, match=f"{name} must be a whole number of at least 1; got"):
            call()


@pytest.mark.parametrize("k", [*HUGE, np.int64(2**40), np.uint8(200)])
def test_a_k_beyond_the_texts_finds_them_all(index, k):
    assert index.search("a cat", k=k).ids == index.search("a cat", k=3).ids
    assert [hits.ids for hits in index.search(["a cat"] * 9, k=k)] == [[0, 1, 2]] * 9


@pytest.mark.parametrize("threads", [20_000, *HUGE, np.int32(9)])
def test_too_many_threads_are_four_for_each_core(index, threads):
    with limited_threads(threads):
        assert current_threads() == min(int(threads), 4 * (os.cpu_count() or 1))
    assert index.search(["a cat"] * 99, threads=threads)[0].ids == [0, 1, 2]
    assert index.model.pairs(["a cat"] * 99, ["a cat"] * 99, threads=threads).tolist() == [1.0] * 99


def test_the_kernels_themselves_cap_threads():
    kernel = pytest.importorskip("fuzzbow._kernel")
    table = kernel.Table(np.eye(3, dtype=np.float32))
    texts = np.zeros(300_000, np.uint32), np.arange(300_001)
    everything, jaccard = np.arange(300_000), kernel.SetSimilarity("jaccard")
    found = kernel.pairs(table, texts, everything, everything, jaccard, threads=2**62)
    assert found.tolist() == [1.0] * 300_000


@pytest.mark.parametrize("version", [0, True, "1", *HUGE[1:]])
def test_a_version_must_be_one_that_can_be(index, tmp_path, version):
    folder = index.save(tmp_path / "index")
    with pytest.raises(InputError, match="version must be"):
        fuzzbow.open_index(folder, version=version)
    with pytest.raises(InputError, match="version must be"):
        fuzzbow.open_index(folder).restore(version)


def test_more_versions_than_there_are_may_be_kept(index, tmp_path):
    opened = fuzzbow.open_index(index.save(tmp_path / "index"))
    opened.add(["a bird"])
    for keep in (2**31, 2**63, 2**70, 10**5000):
        opened.compact(keep_versions=keep)
        assert len(opened.versions()) >= 2


@pytest.mark.parametrize("score", ["0.5", None, True, float("nan"), float("inf"), 10**400, 2j])
def test_a_least_score_must_be_a_finite_number(index, score):
    with pytest.raises(InputError, match="min_score must be a"):
        index.search("a cat", min_score=score)


WORDS = ["a", "he", "has", "cat", "dog", "plane", "flew", "cats", "dgo", "12", "13", "zyx", "é"]
MEASURES = [
    "weighted-jaccard", "dynamax-jaccard", "dynamax-otsuka", "dynamax-dice", "dynamax-cosine",
    "max-jaccard", "max-cosine", "avg-cosine", "sum-jaccard", "min-dice", "pcamax-jaccard",
    "randommax-otsuka", "kmeansmax-dice", "vocabmax-jaccard", "dynaavg-jaccard", "dynasum-cosine",
    "fuzzy-bm25",
]  # fmt: skip

texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), max_size=6)


@pytest.fixture(scope="module")
def vectors() -> fuzzbow.WordVectors:
    """Vectors of some of the words, more words than dimensions."""
    random = np.random.default_rng(3)
    words = [*WORDS[:8], *WORDS[9:11], *(f"w{n}" for n in range(10))]
    return fuzzbow.WordVectors.from_words(words, random.standard_normal((20, 4)))


def assert_same_throughout(index, brute, plan, query, k, min_score) -> None:
    """Add, delete and compact as planned, and compare after each step."""
    for name, some in plan:
        if name == "add":
            brute.rows.update(zip(index.add(some), some, strict=True))
        elif name == "delete":
            gone = list(brute.rows)[:: 1 + len(some)]
            assert index.delete(gone) == len(gone)
            for number in gone:
                del brute.rows[number]
        else:
            index.compact()
        assert index.ids == list(brute.rows)
        brute.assert_same(index.search(query, k, min_score), query, k, min_score)
    several = index.search([query, "", "a cat"], k)
    brute.assert_same(several[2], "a cat", k)


plans = st.lists(st.tuples(st.sampled_from(["add", "add", "delete", "compact"]), texts), max_size=4)
queries = st.lists(st.sampled_from([*WORDS, "kat", "w3", "14"]), max_size=5).map(" ".join)
cuts = st.sampled_from([0.0, 0.0, 0.3, -1.0])


@pytest.mark.parametrize("measure", MEASURES)
@given(first=texts, plan=plans, query=queries, k=st.integers(1, 8), min_score=cuts)
@settings(max_examples=15)
def test_an_index_agrees_with_brute_force(vectors, measure, first, plan, query, k, min_score):
    model = fuzzbow.load(vectors, measure=measure)
    brute = Brute(model)
    brute.rows.update(enumerate(first))
    assert_same_throughout(model.index(first), brute, plan, query, k, min_score)
