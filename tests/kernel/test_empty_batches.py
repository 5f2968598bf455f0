"""Batches without words, at every place among others: they change nothing but the numbers."""

from __future__ import annotations

import numpy as np
import pytest

from tests.hostile.scale import steps
from tests.kernel import calls, corpora
from tests.kernel.oracle import COSINE, JACCARD, SIMILARITIES, ragged

_kernel = pytest.importorskip("fuzzbow._kernel")

# each sort with each similarity, at one of the places; FUZZBOW_SLOW=1 tries all of them
PLACES = 4
CASES = [
    (sort, similarity, place)
    for first, sort in enumerate(corpora.SORTS)
    for second, similarity in enumerate(SIMILARITIES)
    for place in range(PLACES)
    if (first + second) % PLACES == place or steps(0, 1)
]


@pytest.mark.parametrize(("sort", "similarity", "place"), CASES, ids=str)
@pytest.mark.parametrize("counted", [False, True])
def test_search_is_exact_after_a_batch_without_words(sort, similarity, place, counted):
    words = corpora.words(sort, 60, 48, seed=3)  # words that are far more than 1 like themselves
    table = _kernel.Table(**words.arguments())
    batches = [corpora.texts(40, 60, seed) for seed in (1, 2, 3)]
    batches.insert(place, [[], []])
    texts = [text for batch in batches for text in batch]

    def given(some: list[list[int]]):
        counts = [[1.0 + word % 3 for word in text] for text in some]
        return ragged(some, counts if counted else None)

    corpus = _kernel.Corpus(table, given(batches[0]), calls.compiled(similarity))
    for batch in batches[1:]:
        corpus.append(given(batch))
    scores, found, _ = corpus.search(given(texts), 3)
    everything = np.arange(len(texts))
    matrix = _kernel.matrix(table, given(texts), everything, everything, calls.compiled(similarity))
    order = np.argsort(-matrix, axis=1, kind="stable")[:, :3]
    np.testing.assert_array_equal(found, order)
    np.testing.assert_array_equal(scores, np.take_along_axis(matrix, order, axis=1))


def test_no_texts_with_counts_still_mean_counts():
    table = _kernel.Table(np.eye(2, dtype=np.float32))
    corpus = _kernel.Corpus(table, ragged([], []), calls.compiled(JACCARD))
    corpus.append(ragged([[0, 1]], [[2.0, 1.0]]))
    with pytest.raises(ValueError, match="with bag counts"):
        corpus.append(ragged([[0]]))


@pytest.mark.parametrize("counts", [None, []])
def test_a_join_of_nothing_with_something_has_no_pairs(counts):
    table = _kernel.Table(np.eye(2, dtype=np.float32))
    something = ragged([[0], [0]], None if counts is None else [[1], [1]])
    for texts, boundary in [(something, 0), (something, 2), (ragged([], counts), 0)]:
        join = _kernel.Join(table, texts, calls.compiled(JACCARD), 0.5, boundary=boundary)
        found, _, _ = join.rows(0, len(join))
        assert len(found) == 0


@pytest.mark.parametrize("first", [np.zeros((0, 3)), np.zeros((2, 3))])
def test_a_query_of_huge_vectors_meets_a_corpus_without_units(first):
    corpus = _kernel.Table(first.astype(np.float32))
    documents = ragged([[0]] if len(first) else [[]])
    index = _kernel.Corpus(corpus, documents, calls.compiled(COSINE))
    queries = _kernel.Table(np.full((1, 3), 1e30, dtype=np.float32))
    scores, _, _ = index.search(ragged([[0]]), 1, table=queries)
    assert scores.tolist() == [[0.0]]
