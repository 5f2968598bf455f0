"""Scores and search by cached words: those of a batch, and of comparing with every text."""

from __future__ import annotations

import functools
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fuzzbow
from fuzzbow.encoding import WordCache, check_texts
from fuzzbow.engine import load_kernel
from fuzzbow.measures import MEASURES, Ability, compose
from fuzzbow.vectors import save_vectors
from tests.hostile.texts import FIXED, LONG, TEXTS, WORDS, small_vectors

KERNEL, _ = load_kernel()
pytestmark = pytest.mark.skipif(KERNEL is None, reason="needs the compiled kernels")
SIMD = list(KERNEL.info()["available"]) if KERNEL else []
TOKENIZERS = ["words", "whitespace", "records", "names", str.split]
SEARCHABLE = [
    name
    for name, made in MEASURES.items()
    if Ability.SEARCH in made.abilities and name.startswith(("weighted", "dynamax", "records"))
]
K = 4
PAIRS = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=5)


@functools.cache
def loaded(**options) -> fuzzbow.Model:
    """One model for all examples, so that they find words that others added."""
    return fuzzbow.load(small_vectors(), **options)


def fresh(**options) -> fuzzbow.Model:
    return fuzzbow.load(small_vectors(), **options)


def has_lexicon(name: str) -> bool:
    cache = loaded(measure=name, engine="compiled")._cache
    return cache is not None and cache.score("cat", "dog") is not None


CACHED = [name for name in MEASURES if has_lexicon(name)] if KERNEL else []


def by_batch(model, lefts, rights):
    """The scores of one batch, without the cache."""
    batch, which = model.encoder.encode(check_texts([*lefts, *rights], "texts"))
    return model.measure.pairs(batch, which[: len(lefts)], which[len(lefts) :])


def some_documents(count: int = 120) -> list[str]:
    """Short texts that share words, so that bounds serve them."""
    random = np.random.default_rng(8)
    return [" ".join(random.choice(WORDS, random.integers(1, 9))) for _ in range(count)]


def brute_force(model, query, texts, gone=()):
    """The best documents by comparing the query with every one."""
    scores = model.pairs([query] * len(texts), texts)
    order = [place for place in np.argsort(-scores, kind="stable").tolist() if place not in gone]
    return [(place, scores[place]) for place in order[:K]]


def found(index, query):
    hits = index.search(query, k=K)
    return list(zip(hits.ids, hits.scores.tolist(), strict=True))


def by_many_threads(work, items, threads=8):
    """The results of a function for all items, by threads that take them in orders of their own."""
    seen: dict[int, list] = {}
    together = threading.Barrier(threads)

    def run(number: int) -> None:
        order = np.random.default_rng(number).permutation(len(items)).tolist()
        together.wait()
        results = {place: work(items[place]) for place in order}
        seen[number] = [results[place] for place in range(len(items))]

    running = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return [seen[number] for number in range(threads)]


@pytest.fixture(params=SIMD)
def simd(request):
    before = KERNEL.info()["simd"]
    KERNEL.set_simd(request.param)
    yield request.param
    KERNEL.set_simd(before)


def test_every_measure_that_has_kernels_for_pairs_has_a_lexicon():
    wanted = {name for name in MEASURES if name.startswith(("weighted-", "dynamax-", "records-"))}
    assert wanted <= set(CACHED)


@pytest.mark.parametrize("name", CACHED)
def test_a_call_has_the_bits_of_a_batch(name, simd):
    model = fresh(measure=name)
    lefts = [*FIXED, LONG[0][:3000], FIXED[9]]
    rights = [*reversed(FIXED), FIXED[10], LONG[1][:2000]]
    expected = by_batch(model, lefts, rights)
    alone = [model.similarity(a, b) for a, b in zip(lefts, rights, strict=True)]
    np.testing.assert_array_equal(alone, expected)
    for threads in (None, 1):
        np.testing.assert_array_equal(model.pairs(lefts, rights, threads=threads), expected)


@pytest.mark.parametrize(
    ("measure", "tokenizer", "weights"),
    [("dynamax-jaccard", made, kind) for made in TOKENIZERS for kind in ("none", "sif", "whitened")]
    + [("weighted-jaccard", "words", "none")],
    ids=str,
)
@given(PAIRS)
def test_a_call_agrees_with_the_reference_whoever_splits(measure, tokenizer, weights, texts):
    options = {"measure": measure, "weights": weights, "tokenizer": tokenizer}
    model, reference = (loaded(engine=engine, **options) for engine in ("compiled", "reference"))
    lefts, rights = map(list, zip(*texts, strict=True))
    scores = [model.similarity(a, b) for a, b in texts]
    assert [model.cached_similarity(a, b) for a, b in texts] == scores
    np.testing.assert_array_equal(scores, by_batch(model, lefts, rights))
    np.testing.assert_array_equal(scores, model.pairs(lefts, rights))
    np.testing.assert_allclose(scores, reference.pairs(lefts, rights), atol=1e-5)


PIECES = [
    *("a", "cat", "Cat", "CAT", "caT", "anti", "Non", "twenty", "five", "july", "mid", "qzx"),
    *("-", "-", "/", "_", "'", "'s", "'LL", "n't", ".", ",", "&", "$", "%", "é", "猫"),
    *("1", "12", "650", "0", "00", "2024", "1234567", "GB", "x"),
]
CHUNK = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join)
CHUNKS = st.lists(CHUNK, max_size=4).map(" ".join)


@functools.cache
def embedded(**options) -> fuzzbow.Model:
    return fuzzbow.load(**options)


@pytest.mark.parametrize(
    "options",
    [{}, {"purpose": "records"}, {"tokenizer": "whitespace"}, {"measure": "dynamax-jaccard"}],
    ids=str,
)
@given(st.lists(st.tuples(CHUNKS, CHUNKS), min_size=1, max_size=6))
def test_the_kernels_split_chunks_as_the_tokenizer_does(options, texts):
    model = embedded(**options)
    scores = [model.similarity(a, b) for a, b in texts]
    np.testing.assert_array_equal(scores, by_batch(model, *map(list, zip(*texts, strict=True))))


@pytest.mark.parametrize(
    ("options", "step"),
    [({}, 1), ({"purpose": "records"}, 5), ({"measure": "dynamax-jaccard"}, 5)],
)
def test_the_kernels_give_every_embedded_word_the_row_that_the_measure_does(options, step):
    model = fuzzbow.load(**options)
    words = np.random.default_rng(1).permutation(list(model.encoder.vectors.words))[::step].tolist()
    texts = [" ".join(words[first : first + 6]) for first in range(0, len(words), 6)]
    others = [*texts[1:], texts[0]]
    np.testing.assert_array_equal(model.pairs(texts, others), by_batch(model, texts, others))
    assert model._cache._contents.rows is None  # the kernels made them


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "int4"])
@pytest.mark.parametrize("measure", ["weighted-jaccard", "dynamax-jaccard"])
def test_rows_of_stored_vectors_are_those_of_a_batch(dtype, measure, tmp_path):
    words = [*WORDS, "ß" * 300, "long" * 40, *(f"other{number}" for number in range(200))]
    words = list(dict.fromkeys(words))
    rows = np.random.default_rng(2).normal(size=(len(words), 33)).astype(np.float32)
    stored = tmp_path / "v.safetensors"
    save_vectors(fuzzbow.WordVectors.from_words(words, rows), stored, dtype=dtype)
    model = fuzzbow.load(stored, measure=measure)
    others = [*words[1:], "unknown"]
    np.testing.assert_array_equal(model.pairs(words, others), by_batch(model, words, others))


def test_a_score_without_the_cache_is_none():
    assert fresh(engine="reference")._cache.score("cat", "dog") is None
    assert fresh(engine="reference").similarity("a cat", "a cat") == 1.0
    assert fresh(measure="soft-cosine").cached_similarity("a cat", "a dog") is None
    for counting in ("set", "bag"):
        model = fresh(measure=compose(counting=counting))
        assert model._cache is None
        lefts, rights = FIXED[:9], FIXED[1:10]
        np.testing.assert_array_equal(model.pairs(lefts, rights), by_batch(model, lefts, rights))


def test_cached_words_are_not_looked_up_again(monkeypatch):
    model = fresh()
    assert model.cached_similarity("He has a cat.", "a zzyzx 東京") is None
    first = model.similarity("He has a cat.", "a zzyzx 東京")
    monkeypatch.setattr("fuzzbow.encoding.Encoder.find", None)
    assert model.similarity("He has a cat.", "a zzyzx 東京") == first
    monkeypatch.setattr("fuzzbow.measures.text_measure.warn_of_language", lambda *given: None)
    assert model.pairs(["He has a cat."], ["a zzyzx 東京"]).tolist() == [first]


def test_a_cached_score_does_not_wait_for_a_thread_that_adds_words():
    model = fresh()
    expected = model.similarity("a cat", "a dog")
    with model._cache._lock:
        assert model.cached_similarity("a cat", "a dog") == expected
        assert model.cached_similarity("missing vwqqz", "a dog") is None


def test_many_threads_share_a_fresh_model():
    lefts, rights = [*FIXED, *FIXED[3:]], [*FIXED[3:], *FIXED]
    model = fresh()
    expected = by_batch(model, lefts, rights).tolist()
    pairs = list(zip(lefts, rights, strict=True))
    assert by_many_threads(lambda pair: model.similarity(*pair), pairs) == [expected] * 8


def test_a_full_cache_is_emptied(monkeypatch):
    monkeypatch.setattr("fuzzbow.encoding.word_cache.PAIR_BYTES", 40_000)
    model, made, sizes = fresh(), WordCache._add, []

    def add(self, *arguments):
        added = made(self, *arguments)
        sizes.append(self.memory_bytes())
        return added

    monkeypatch.setattr(WordCache, "_add", add)
    lefts = [f"cat word{n} unheard{n}" for n in range(300)]
    scores = [model.similarity(text, "a dog unheard7") for text in lefts]
    np.testing.assert_array_equal(scores, by_batch(model, lefts, ["a dog unheard7"] * 300))
    assert len(sizes) > 300  # some words were added again
    assert max(sizes) < 80_000  # buffers grow by halves


def test_more_words_than_the_cache_may_have_need_a_batch(monkeypatch):
    monkeypatch.setattr("fuzzbow.encoding.word_cache.PAIR_BYTES", 10_000)
    monkeypatch.setattr("fuzzbow.encoding.word_cache.QUERY_BYTES", 3_000)
    model, texts = fresh(), some_documents()
    assert model._cache.score(LONG[0], LONG[1]) is None
    assert model.similarity(LONG[0], LONG[1]) == by_batch(model, LONG[:1], LONG[1:2])[0]
    index = model.index(texts)
    for query in [LONG[0][:2000], "cat dog", *texts[:30]]:
        assert found(index, query) == brute_force(model, query, texts)


def test_vectors_of_all_lengths_need_a_batch():
    lengths = np.array([1.0, 1e-30, 1e-30, 1e-31])[:, None]
    rows = np.array([[1.0, 0.0], [0.6, 0.8], [0.8, 0.6], [0.0, 1.0]]) * lengths
    vectors = fuzzbow.WordVectors.from_words(["one", "tiny", "small", "least"], rows)
    model = fuzzbow.load(vectors, measure="dynamax-jaccard")
    assert model.similarity("one", "one") == 1.0
    expected = by_batch(model, ["tiny"], ["small least"])[0]
    assert 0 < expected < 1
    assert model.similarity("tiny", "small least") == expected


@pytest.mark.parametrize(
    ("measure", "owner", "method"),
    [
        ("weighted-jaccard", "fuzzbow.encoding.Encoder", "written_words"),
        ("letters-jaccard", "fuzzbow.measures.words.LetterWords", "prepare"),
    ],
)
def test_a_failure_while_words_are_added_leaves_a_model_that_works(
    monkeypatch, measure, owner, method
):
    model = fresh(measure=measure)
    model.similarity("a cat", "a dog")

    def interrupted(*arguments):
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(f"{owner}.{method}", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.similarity("a bird", "3 fishes of 12kg")
    lefts, rights = ["a bird", "a cat"], ["3 fishes of 12kg", "a dog"]
    np.testing.assert_array_equal(model.pairs(lefts, rights), by_batch(model, lefts, rights))


@pytest.mark.parametrize("measure", ["weighted-jaccard", "dynamax-jaccard", "weighted-coverage"])
def test_small_matrices_are_those_of_a_batch(monkeypatch, measure):
    model = fresh(measure=measure)
    rows, columns = ["a cat", "", "cat word3 unheard", "a cat"], ["dog", "word3 naïve 猫犬", "…"]
    whole, square = model.matrix(rows, columns), model.matrix(rows)
    assert model.matrix([], columns).shape == (0, 3)
    assert model.matrix(rows, []).shape == (4, 0)
    monkeypatch.setattr("fuzzbow.measures.text_measure.CACHED_TEXTS", -1)
    np.testing.assert_array_equal(whole, model.matrix(rows, columns))
    np.testing.assert_array_equal(square, model.matrix(rows))


@pytest.mark.parametrize("measure", SEARCHABLE)
def test_queries_find_the_same_again_and_again(measure, simd):
    model, texts = fresh(measure=measure), some_documents()
    index = model.index(texts)
    for query in ["cat dog word7", "a qwxyz cat", "a cat, dog!", "qwxyz", "", "東京 cat", "1999 7"]:
        expected = brute_force(model, query, texts)
        for _ in range(4):  # new, come again and kept, found among those kept
            assert found(index, query) == expected


@given(st.lists(TEXTS, min_size=1, max_size=3), st.lists(TEXTS, max_size=3))
def test_texts_that_are_added_are_found_by_cached_words(queries, added):
    model, texts = loaded(), some_documents(40)
    index = model.index(texts)
    for new in ([], added, ["the cat qwxyz", "zzyzx 12345"]):
        if new:
            index.add(new)
            texts = texts + new
        for query in [*queries, "qwxyz zzyzx cat"]:
            expected = brute_force(model, query, texts)
            assert [found(index, query) for _ in range(3)] == [expected] * 3


def test_deleted_texts_are_not_found_by_cached_words():
    model, texts = loaded(), some_documents()
    index = model.index(texts)
    best = [number for number, _ in found(index, "cat dog word7")]
    index.delete(best[:2])
    assert found(index, "cat dog word7") == brute_force(model, "cat dog word7", texts, best[:2])


def test_many_queries_together_are_the_same_as_one_by_one():
    model, texts = loaded(), some_documents(400)
    index = model.index(texts)
    queries = [*FIXED, *some_documents(40), LONG[0][:2000]]
    together = [hits.scores.tolist() for hits in index.search(queries, k=K)]
    assert together == [index.search(query, k=K).scores.tolist() for query in queries]
    assert together == [[score for _, score in brute_force(model, q, texts)] for q in queries]


@pytest.mark.parametrize("tokenizer", TOKENIZERS[1:], ids=str)
def test_any_tokenizer_may_split_queries(tokenizer):
    model = loaded(tokenizer=tokenizer)
    texts = [*some_documents(), "64GB kx-tga450b", "10 64 GB cats"]
    index = model.index(texts)
    for query in ["64GB", "cat KX-TGA450B", "a cat, dog!"]:
        assert [found(index, query)] * 2 == [brute_force(model, query, texts) for _ in range(2)]


def test_fuzzy_bm25_finds_the_same_by_cached_words():
    model, texts = loaded(measure="fuzzy-bm25"), some_documents()
    index, fitted = model.index(texts), model.fit(texts)
    for query in ["cat dog word7", "a qwxyz cat", "cat dog word7"]:
        assert found(index, query) == brute_force(fitted, query, texts)


def test_many_threads_share_a_fresh_index():
    model, texts = fresh(), some_documents()
    index, queries = model.index(texts), some_documents(30) + FIXED[:20]
    expected = [brute_force(model, query, texts) for query in queries]
    assert by_many_threads(lambda query: found(index, query), queries, 6) == [expected] * 6
