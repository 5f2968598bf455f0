"""Search by queries whose words stay in the kernels: what comparing with every text finds."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fuzzbow
from fuzzbow.engine import load_kernel
from fuzzbow.measures import MEASURES, Ability, abilities_of
from tests.hostile.texts import FIXED, LONG, TEXTS, WORDS, small_vectors

KERNEL, _ = load_kernel()
pytestmark = pytest.mark.skipif(KERNEL is None, reason="needs the compiled kernels")
SIMD = list(KERNEL.info()["available"]) if KERNEL else []
SEARCHABLE = [
    name
    for name, made in MEASURES.items()
    if Ability.SEARCH in abilities_of(made) and name.startswith(("weighted", "dynamax", "records"))
]
K = 4
MODEL = fuzzbow.load(small_vectors())


def some_documents(count: int = 120) -> list[str]:
    """Short texts that share words, so that bounds serve them."""
    random = np.random.default_rng(8)
    return [" ".join(random.choice(WORDS, random.integers(1, 9))) for _ in range(count)]


def brute_force(model, query, texts, gone=()):
    """The best k documents by comparing the query with every one."""
    scores = model.pairs([query] * len(texts), texts)
    order = [place for place in np.argsort(-scores, kind="stable").tolist() if place not in gone]
    return [(place, scores[place]) for place in order[:K]]


def found(index, query):
    hits = index.search(query, k=K)
    return list(zip(hits.ids, hits.scores.tolist(), strict=True))


@pytest.fixture(params=SIMD)
def simd(request):
    before = KERNEL.info()["simd"]
    KERNEL.set_simd(request.param)
    yield request.param
    KERNEL.set_simd(before)


@pytest.mark.parametrize("measure", SEARCHABLE)
def test_queries_find_the_same_again_and_again(measure, simd):
    model, texts = fuzzbow.load(small_vectors(), measure=measure), some_documents()
    index = model.index(texts)
    for query in ["cat dog word7", "a qwxyz cat", "a cat, dog!", "qwxyz", "", "東京 cat", "1999 7"]:
        expected = brute_force(model, query, texts)
        for _ in range(4):  # met, come again and kept, found among what was kept
            assert found(index, query) == expected


@given(st.lists(TEXTS, min_size=1, max_size=3), st.lists(TEXTS, max_size=3))
def test_texts_that_are_added_are_found_by_words_met_before(queries, added):
    model, texts = MODEL, some_documents(40)
    index = model.index(texts)
    for new in ([], added, ["the cat qwxyz", "zzyzx 12345"]):
        if new:
            index.add(new)
            texts = texts + new
        for query in [*queries, "qwxyz zzyzx cat"]:
            expected = brute_force(model, query, texts)
            assert [found(index, query) for _ in range(3)] == [expected] * 3


def test_deleted_texts_are_not_found_by_words_met_before():
    model, texts = fuzzbow.load(small_vectors()), some_documents()
    index = model.index(texts)
    best = [number for number, _ in found(index, "cat dog word7")]
    index.delete(best[:2])
    assert found(index, "cat dog word7") == brute_force(model, "cat dog word7", texts, best[:2])


def test_many_queries_at_once_are_the_same_as_one_by_one():
    model, texts = fuzzbow.load(small_vectors()), some_documents(400)
    index = model.index(texts)
    queries = [*FIXED, *some_documents(40), LONG[0][:2000]]
    together = [hits.scores.tolist() for hits in index.search(queries, k=K)]
    assert together == [index.search(query, k=K).scores.tolist() for query in queries]
    assert together == [[score for _, score in brute_force(model, q, texts)] for q in queries]


def test_words_beyond_the_memory_of_queries_go_by_a_batch(monkeypatch):
    monkeypatch.setattr("fuzzbow.measures.corpus_searcher.QUERY_BYTES", 3_000)
    model, texts = fuzzbow.load(small_vectors()), some_documents()
    index = model.index(texts)
    for query in [LONG[0][:2000], "cat dog", *texts[:30]]:
        assert found(index, query) == brute_force(model, query, texts)


@pytest.mark.parametrize("tokenizer", ["whitespace", "records", "names", str.split], ids=str)
def test_any_tokenizer_may_split_queries(tokenizer):
    model = fuzzbow.load(small_vectors(), tokenizer=tokenizer)
    texts = [*some_documents(), "64GB kx-tga450b", "10 64 GB cats"]
    index = model.index(texts)
    for query in ["64GB", "cat KX-TGA450B", "a cat, dog!"]:
        assert [found(index, query)] * 2 == [brute_force(model, query, texts) for _ in range(2)]


def test_weights_of_a_collection_change_with_its_texts():
    model = fuzzbow.load(small_vectors(), counts="collection")
    texts = some_documents()
    index = model.index(texts)
    for new in (["cat cat dog"] * 30, ["word7 bird"] * 30):
        before = found(index, "cat dog word7")
        index.add(new)
        texts = texts + new
        after = found(index, "cat dog word7")
        assert after != before
        assert after == brute_force(model.fit(texts), "cat dog word7", texts)


def test_fuzzy_bm25_finds_the_same_by_words_met_before():
    model, texts = fuzzbow.load(small_vectors(), measure="fuzzy-bm25"), some_documents()
    index = model.index(texts)
    fitted = model.fit(texts)
    for query in ["cat dog word7", "a qwxyz cat", "cat dog word7"]:
        assert found(index, query) == brute_force(fitted, query, texts)


def test_many_threads_share_a_fresh_index():
    model, texts = fuzzbow.load(small_vectors()), some_documents()
    index = model.index(texts)
    queries = some_documents(30) + FIXED[:20]
    expected = [brute_force(model, query, texts) for query in queries]
    seen: dict[int, list] = {}
    together = threading.Barrier(6)

    def work(number: int) -> None:
        order = np.random.default_rng(number).permutation(len(queries)).tolist()
        together.wait()
        hits = {place: found(index, queries[place]) for place in order}
        seen[number] = [hits[place] for place in range(len(queries))]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [seen[number] for number in range(6)] == [expected] * 6
