"""Search equals brute force for every measure that is offered, whatever happened before."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fuzzbow
from fuzzbow.measures import compose
from tests.unit.tasks.index.brute import Brute

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
        elif name == "compact":
            index.compact()
        elif index.path is not None:
            index = fuzzbow.open_index(index.path, index.model)
        assert index.ids == list(brute.rows)
        brute.assert_same(index.search(query, k, min_score), query, k, min_score)
    several = index.search([query, "", "a cat"], k)
    brute.assert_same(several[2], "a cat", k)


plans = st.lists(
    st.tuples(st.sampled_from(["add", "add", "delete", "compact", "reopen"]), texts), max_size=4
)
queries = st.lists(st.sampled_from([*WORDS, "kat", "w3", "14"]), max_size=5).map(" ".join)
cuts = st.sampled_from([0.0, 0.0, 0.3, -1.0])


@pytest.mark.parametrize("measure", MEASURES)
@given(first=texts, plan=plans, query=queries, k=st.integers(1, 8), min_score=cuts)
@settings(max_examples=15)
def test_in_memory(vectors, measure, first, plan, query, k, min_score):
    model = fuzzbow.load(vectors, measure=measure)
    brute = Brute(model)
    brute.rows.update(enumerate(first))
    assert_same_throughout(model.index(first), brute, plan, query, k, min_score)


@pytest.mark.parametrize("measure", MEASURES[:2] + MEASURES[7:8] + MEASURES[13:14])
@given(first=texts, plan=plans, query=queries, k=st.integers(1, 8), min_score=cuts)
@settings(max_examples=12)
def test_on_disk_and_opened_again(vectors, measure, first, plan, query, k, min_score):
    model = fuzzbow.load(vectors, measure=measure)
    brute = Brute(model)
    brute.rows.update(enumerate(first))
    folder = Path(tempfile.mkdtemp())
    try:
        index = model.index(first, path=folder / "index")
        assert_same_throughout(index, brute, [*plan, ("reopen", [])], query, k, min_score)
    finally:
        shutil.rmtree(folder)


@pytest.mark.parametrize("counting", ["set", "bag"])
@given(first=texts, more=texts, query=queries)
@settings(max_examples=15)
def test_sets_and_bags_of_words(vectors, counting, first, more, query):
    model = fuzzbow.load(vectors, measure=compose(counting=counting))
    brute = Brute(model)
    index = model.index(first)
    brute.rows.update(enumerate(first + more))
    index.add(more)
    brute.assert_same(index.search(query), query, 10)


@given(first=texts, query=queries)
@settings(max_examples=10)
def test_the_reference_engine(vectors, first, query):
    model = fuzzbow.load(vectors, measure="avg-cosine", engine="reference")
    brute = Brute(model)
    brute.rows.update(enumerate(first))
    brute.assert_same(model.index(first).search(query, min_score=-1), query, 10, -1.0)
