"""Long texts: each word is met once, unknown ones through their letters; scores are the same."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from tests.kernel import calls, corpora
from tests.kernel.oracle import JACCARD, SIMILARITIES, Similarity, Words, ragged, score

_kernel = pytest.importorskip("fuzzbow._kernel")

SORTS = ("raw", "rules", "unit-rules")


@functools.cache
def similarities(sort: str) -> np.ndarray:
    """Every word with every word, by the naive formulas: (250, 250)."""
    return corpora.words(sort, 250, 7, seed=5).block(np.arange(250), np.arange(250))


def naive_words(sort: str) -> Words:
    """The words of a sort, whose similarities are looked up."""
    words, cells = corpora.words(sort, 250, 7, seed=5), similarities(sort)
    words.block = lambda rows, columns: cells[np.ix_(rows, columns)]
    return words


def long_texts(vocabulary: int) -> list[list[int]]:
    random = np.random.default_rng(8)
    lengths = (700, 300, 181, 20)  # products on both sides of the limit, 2^15
    return [random.integers(0, vocabulary, length).tolist() for length in lengths]


def counts_of(texts: list[list[int]]) -> list[list[float]]:
    return [[0.5 + word % 4 for word in text] for text in texts]


@functools.cache
def expected_scores(sort: str, similarity: Similarity, counted: bool) -> list[float]:
    """Every long text with every one by the formulas, once for all instruction sets."""
    words, texts = naive_words(sort), long_texts(250)
    counts = counts_of(texts) if counted else [None] * len(texts)
    return [
        score(words, a, b, similarity, a_counts, b_counts)
        for a, a_counts in zip(texts, counts, strict=True)
        for b, b_counts in zip(texts, counts, strict=True)
    ]


@calls.every_two(sort=SORTS, similarity=SIMILARITIES, counted=[False, True])
def test_pairs_of_long_texts_agree_with_the_formulas(simd, sort, similarity, counted):
    words, texts = naive_words(sort), long_texts(250)
    left, right = (part.ravel() for part in np.indices((len(texts), len(texts))))
    found = _kernel.pairs(
        _kernel.Table(**words.arguments()),
        ragged(texts, counts_of(texts) if counted else None),
        left,
        right,
        calls.compiled(similarity),
    )
    np.testing.assert_allclose(found, expected_scores(sort, similarity, counted), atol=1e-5)


@calls.every_two(sort=SORTS, similarity=SIMILARITIES)
def test_pairs_matrix_and_search_of_long_texts_are_the_same_numbers(simd, sort, similarity):
    words = corpora.words(sort, 250, 7, seed=5)
    table = _kernel.Table(**words.arguments())
    texts = [*long_texts(250), *corpora.texts(60, 250, 4)]
    given, everything, kind = ragged(texts), np.arange(len(texts)), calls.compiled(similarity)
    matrix = _kernel.matrix(table, given, everything, everything, kind)
    left, right = np.repeat(everything, len(texts)), np.tile(everything, len(texts))
    pairs = _kernel.pairs(table, given, left, right, kind).reshape(matrix.shape)
    np.testing.assert_array_equal(pairs, matrix)
    order = np.argsort(-matrix, axis=1, kind="stable")[:, :4]
    for k in (4, len(texts)):  # by bounds, and by looking at everything
        scores, found, _ = _kernel.Corpus(table, given, kind).search(given, k)
        np.testing.assert_array_equal(found[:, :4], order)
        np.testing.assert_array_equal(scores[:, :4], np.take_along_axis(matrix, order, axis=1))


def test_a_query_with_a_table_of_its_own_knows_unknown_words_of_the_corpus():
    """The same unknown word in both tables is 1, also where it has no trigrams."""
    kinds, trigrams = np.full(400, 2, np.uint8), np.zeros(401, np.int64)
    table = _kernel.Table(
        np.zeros((400, 3), np.float32), None, kinds, trigrams, np.zeros(0, np.uint32), unit=True
    )
    everything = np.arange(400, dtype=np.uint32), np.array([0, 400])
    index = _kernel.Corpus(table, everything, calls.compiled(JACCARD))
    own = _kernel.Table(
        np.zeros((400, 3), np.float32), None, kinds, trigrams, np.zeros(0, np.uint32), unit=True
    )
    places = np.arange(400)
    places[200:] = -1
    scores, _, _ = index.search(everything, 1, table=own, corpus_ids=places)
    assert scores.tolist() == [[0.5]]
