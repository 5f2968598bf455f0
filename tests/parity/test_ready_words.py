"""Scores of strings by words that stay in the kernels: those of a batch, to the last bit."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fuzzbow
from fuzzbow.encoding import check_texts
from fuzzbow.engine import load_kernel
from fuzzbow.measures import MEASURES, compose
from fuzzbow.measures.ready_words import ReadyWords
from tests.hostile.texts import FIXED, LONG, TEXTS, small_vectors

KERNEL, _ = load_kernel()
pytestmark = pytest.mark.skipif(KERNEL is None, reason="needs the compiled kernels")
SIMD = list(KERNEL.info()["available"]) if KERNEL else []
TOKENIZERS = ["words", "whitespace", "records", "names", str.split]


def models(**options):
    """A model of each measure that has a lexicon, by name."""
    made = {}
    for name in MEASURES:
        model = fuzzbow.load(small_vectors(), measure=name, **options)
        ready = model.measure.ready_pairs(model.encoder)
        if ready is not None and ready.score("cat", "dog") is not None:
            made[name] = model
    return made


COMPILED = models(engine="compiled") if KERNEL else {}


def by_batch(model, lefts, rights):
    """The scores of one batch, past the words that stay."""
    batch, which = model.encoder.encode(check_texts([*lefts, *rights], "texts"))
    return model.measure.pairs(batch, which[: len(lefts)], which[len(lefts) :])


@pytest.fixture(params=SIMD)
def simd(request):
    before = KERNEL.info()["simd"]
    KERNEL.set_simd(request.param)
    yield request.param
    KERNEL.set_simd(before)


def test_every_measure_that_has_kernels_for_pairs_has_a_lexicon():
    lacking = [name for name in MEASURES if name.startswith(("weighted-", "dynamax-", "records-"))]
    assert set(lacking) <= set(COMPILED)
    assert {"weighted-coverage", "records-coverage"} <= set(COMPILED)


@pytest.mark.parametrize("name", COMPILED)
def test_a_call_has_the_bits_of_a_batch(name, simd):
    model = fuzzbow.load(small_vectors(), measure=name)
    lefts = [*FIXED, LONG[0][:3000], FIXED[9]]
    rights = [*reversed(FIXED), FIXED[10], LONG[1][:2000]]
    expected = by_batch(model, lefts, rights)
    alone = [model.similarity(a, b) for a, b in zip(lefts, rights, strict=True)]
    np.testing.assert_array_equal(alone, expected)
    np.testing.assert_array_equal(model.pairs(lefts, rights), expected)
    np.testing.assert_array_equal(model.pairs(lefts, rights, threads=1), expected)


@pytest.mark.parametrize("tokenizer", TOKENIZERS, ids=str)
@pytest.mark.parametrize("weights", ["none", "sif", "whitened"])
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4))
def test_a_call_agrees_with_the_reference_whoever_splits(tokenizer, weights, texts):
    options = {"measure": "dynamax-jaccard", "weights": weights, "tokenizer": tokenizer}
    model = _loaded(engine="compiled", **options)
    reference = _loaded(engine="reference", **options)
    lefts, rights = map(list, zip(*texts, strict=True))
    found = [model.similarity(a, b) for a, b in texts]
    np.testing.assert_array_equal(found, by_batch(model, lefts, rights))
    np.testing.assert_allclose(found, reference.pairs(lefts, rights), atol=1e-5)


_LOADED: dict[tuple[object, ...], fuzzbow.Model] = {}


def _loaded(**options):
    """One model for all examples, so that they meet words that others left."""
    key = tuple(options.values())
    if key not in _LOADED:
        _LOADED[key] = fuzzbow.load(small_vectors(), **options)
    return _LOADED[key]


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6))
def test_weighted_calls_agree_with_the_reference(texts):
    model, reference = (
        _loaded(engine=engine, measure="weighted-jaccard") for engine in ("compiled", "reference")
    )
    lefts, rights = map(list, zip(*texts, strict=True))
    found = model.pairs(lefts, rights)
    np.testing.assert_array_equal(found, [model.similarity(a, b) for a, b in texts])
    np.testing.assert_allclose(found, reference.pairs(lefts, rights), atol=1e-5)


@pytest.mark.parametrize("counting", ["set", "bag"])
def test_counted_texts_go_by_a_batch(counting):
    model = fuzzbow.load(small_vectors(), measure=compose(counting=counting))
    assert model.measure.ready_pairs(model.encoder) is None
    lefts, rights = FIXED[:9], FIXED[1:10]
    np.testing.assert_array_equal(model.pairs(lefts, rights), by_batch(model, lefts, rights))


def test_the_reference_engine_goes_by_a_batch():
    model = fuzzbow.load(small_vectors(), engine="reference")
    assert model.measure.ready_pairs(model.encoder).score("cat", "dog") is None
    assert model.similarity("a cat", "a cat") == 1.0


def test_words_that_were_met_are_not_looked_up_again(monkeypatch):
    model = fuzzbow.load(small_vectors())
    first = model.similarity("He has a cat.", "a zzyzx 東京")
    monkeypatch.setattr("fuzzbow.encoding.Encoder.find", None)
    assert model.similarity("He has a cat.", "a zzyzx 東京") == first
    monkeypatch.setattr("fuzzbow.encoding.KnownWords.look_at", lambda words, texts: None)
    assert model.pairs(["He has a cat."], ["a zzyzx 東京"]).tolist() == [first]


def test_many_threads_share_a_fresh_model():
    lefts, rights = [*FIXED, *FIXED[3:]], [*FIXED[3:], *FIXED]
    model = fuzzbow.load(small_vectors())
    expected = by_batch(model, lefts, rights).tolist()
    found: dict[int, list[float]] = {}
    together = threading.Barrier(8)

    def work(number: int) -> None:
        order = np.random.default_rng(number).permutation(len(lefts)).tolist()
        together.wait()
        scores = {place: model.similarity(lefts[place], rights[place]) for place in order}
        found[number] = [scores[place] for place in range(len(lefts))]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[number] for number in range(8)] == [expected] * 8


def test_words_beyond_the_memory_begin_anew(monkeypatch):
    monkeypatch.setattr("fuzzbow.measures.ready_words.PAIR_BYTES", 40_000)
    model = fuzzbow.load(small_vectors())
    made = ReadyWords._meet
    largest = []

    def open_progress(self, stock, tokens):
        added = made(self, stock, tokens)
        largest.append(self._stock.lexicon.memory_bytes())
        return added

    monkeypatch.setattr(ReadyWords, "_meet", open_progress)
    lefts = [f"cat word{n} unheard{n}" for n in range(300)]
    found = [model.similarity(text, "a dog unheard7") for text in lefts]
    np.testing.assert_array_equal(found, by_batch(model, lefts, ["a dog unheard7"] * 300))
    assert len(largest) > 300  # some words were met again
    assert max(largest) < 80_000  # buffers grow by halves


def test_more_words_than_the_memory_holds_go_by_a_batch(monkeypatch):
    monkeypatch.setattr("fuzzbow.measures.ready_words.PAIR_BYTES", 10_000)
    model = fuzzbow.load(small_vectors())
    assert model._ready.score(LONG[0], LONG[1]) is None
    assert model.similarity(LONG[0], LONG[1]) == by_batch(model, LONG[:1], LONG[1:2])[0]


def test_vectors_of_all_lengths_go_by_a_batch():
    lengths = np.array([1.0, 1e-30, 1e-30, 1e-31])[:, None]
    rows = np.array([[1.0, 0.0], [0.6, 0.8], [0.8, 0.6], [0.0, 1.0]]) * lengths
    vectors = fuzzbow.WordVectors.from_words(["one", "tiny", "small", "least"], rows)
    model = fuzzbow.load(vectors, measure="dynamax-jaccard")
    assert model.similarity("one", "one") == 1.0
    expected = by_batch(model, ["tiny"], ["small least"])[0]
    assert 0 < expected < 1
    assert model.similarity("tiny", "small least") == expected


def test_a_failure_while_words_are_met_leaves_a_model_that_works(monkeypatch):
    model = fuzzbow.load(small_vectors())
    model.similarity("a cat", "a dog")
    made = type(model.measure.words).prepare

    def interrupted(*arguments):
        monkeypatch.setattr(type(model.measure.words), "prepare", made)
        raise KeyboardInterrupt

    monkeypatch.setattr(type(model.measure.words), "prepare", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.similarity("a bird", "a fish")
    lefts, rights = ["a bird", "a cat"], ["a fish", "a dog"]
    np.testing.assert_array_equal(model.pairs(lefts, rights), by_batch(model, lefts, rights))


@pytest.mark.parametrize("measure", ["weighted-jaccard", "dynamax-jaccard", "weighted-coverage"])
def test_small_matrices_are_those_of_a_batch(monkeypatch, measure):
    model = fuzzbow.load(small_vectors(), measure=measure)
    rows, columns = (
        ["a cat", "", "cat word3 unheard", "a cat"],
        ["dog", "word3 naïve 猫犬", "…"],
    )
    found = model.matrix(rows, columns)
    assert model.matrix([], columns).shape == (0, 3)
    assert model.matrix(rows, []).shape == (4, 0)
    square = model.matrix(rows)
    monkeypatch.setattr("fuzzbow.measures.text_measure.READY_TEXTS", -1)
    np.testing.assert_array_equal(found, model.matrix(rows, columns))
    np.testing.assert_array_equal(square, model.matrix(rows))
