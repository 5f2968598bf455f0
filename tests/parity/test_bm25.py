"""Fuzzy BM25: every engine says what a plain formula says, and finds what it scores."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import fuzzbow
from fuzzbow.arrays import Ragged
from fuzzbow.engine import (
    Bags,
    Batch,
    Bm25Options,
    Bm25Weights,
    Engine,
    Queries,
    TopK,
    WordTable,
)
from tests.parity.conftest import every_two
from tests.parity.test_engines import a_table, some_texts

REFERENCE = Engine()
OPTIONS = [
    Bm25Options(),
    Bm25Options(k1=0.0),
    Bm25Options(k1=0.9, b=0.0, floor=0.0, power=1.0),
    Bm25Options(k1=3.0, b=1.0, floor=0.2, power=2.0),
    Bm25Options(floor=1.0),
]
KINDS = ["plain", "weighted", "rules"]


def unit(table: WordTable) -> WordTable:
    """The same words with vectors of length 1."""
    lengths = np.linalg.norm(table.vectors, axis=1, keepdims=True)
    return WordTable(table.vectors / lengths, table.weights, table.rules)


def a_corpus(engine, options, kind="rules"):
    """A corpus with two documents gone, its table and its documents."""
    table, texts = unit(a_table(kind)), some_texts()
    corpus = engine.bm25_corpus(Batch(table, texts), options)
    corpus.delete(np.array([2, 7]))
    return corpus, table, texts


def weights_of(corpus):
    """The weights of the corpus's own words, and the mean length of a document."""
    return corpus.weights(Queries(Bags(Ragged.from_rows([]))))


def plain_bm25(query, documents, options):
    """BM25 by its formula, normalised: one score per document."""
    count, mean = len(documents), sum(map(len, documents)) / len(documents)
    scores, total = np.zeros(count), 0.0
    for word in query:
        holding = sum(word in document for document in documents)
        weight = math.log(1 + (count - holding + 0.5) / (holding + 0.5))
        total += weight
        for place, document in enumerate(documents):
            often = document.count(word)
            norm = options.k1 * (1 - options.b + options.b * len(document) / mean)
            scores[place] += weight * often / (often + norm) if often else 0.0
    return scores / total if total else scores


@functools.cache
def pairs_and_statistics(options, kind, engine=REFERENCE):
    """Every text with every text, whatever the words weigh, and the statistics of a corpus."""
    corpus, table, texts = a_corpus(engine, options, kind)
    left, right = (part.ravel() for part in np.indices((len(texts), len(texts))))
    weights = Bm25Weights(np.random.default_rng(1).random(len(table)), 6.5, options)
    return engine.bm25_pairs(Batch(table, texts), left, right, weights), weights_of(corpus)


@every_two(options=OPTIONS, kind=KINDS)
def test_pairs_and_statistics_agree_with_the_reference(engine, options, kind):
    expected, expected_weights = pairs_and_statistics(options, kind)
    found, weights = pairs_and_statistics.__wrapped__(options, kind, engine)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)
    assert 0 <= found.min() <= found.max() <= 1
    assert weights.mean_length == expected_weights.mean_length
    np.testing.assert_allclose(weights.words, expected_weights.words, rtol=1e-5)


@every_two(options=OPTIONS, kind=KINDS)
def test_search_finds_what_pairs_score(engine, options, kind):
    corpus, table, texts = a_corpus(engine, options, kind)
    words, everything = np.arange(len(table)), np.arange(len(texts))
    weights = weights_of(corpus)
    usable = (everything % 4 != 1) & (everything != 2) & (everything != 7)
    found = corpus.search(Queries(texts, table, words), TopK(5, 0.05, everything % 4 != 1))
    for query in everything:
        left = np.full(len(texts), query)
        scores = engine.bm25_pairs(Batch(table, texts), left, everything, weights)
        order = np.argsort(-scores, kind="stable")
        order = order[usable[order] & (scores[order] >= 0.05)][:5]
        hits = found.documents[query] >= 0
        assert found.documents[query][hits].tolist() == order.tolist()
        assert found.scores[query][hits].tolist() == scores[order].tolist()


@pytest.mark.parametrize("options", OPTIONS)
def test_parts_of_a_collection_score_as_the_whole(engine, options):
    whole, table, texts = a_corpus(engine, options)
    nothing = table.take(np.zeros(0, dtype=np.int64))
    half = len(texts) // 2

    def all_scores(corpus):
        hits = corpus.search(Queries(texts), TopK(len(texts)))
        there, scores = hits.documents >= 0, np.zeros((len(texts), len(corpus)))
        scores[np.nonzero(there)[0], hits.documents[there]] = hits.scores[there]
        return scores

    found = []
    for part, gone in ((np.arange(half), [2, 7]), (np.arange(half, len(texts)), [])):
        corpus = engine.bm25_corpus(Batch(table, Bags(texts.rows.take(part))), options)
        corpus.delete(np.array(gone, dtype=np.int64))
        corpus.with_frequencies(nothing, whole.statistics())
        assert weights_of(corpus).mean_length == weights_of(whole).mean_length
        found.append(all_scores(corpus))
    np.testing.assert_array_equal(np.concatenate(found, axis=1), all_scores(whole))


def test_queries_may_bring_words_that_the_corpus_lacks(engine):
    table, texts = unit(a_table("rules")), some_texts()
    inside = Bags(texts.rows.keep(texts.rows.values < 30))
    own = np.where(np.arange(40) < 30, np.arange(40), -1)
    found, expected = (
        one.bm25_corpus(Batch(table.take(np.arange(30)), inside), Bm25Options()).search(
            Queries(texts, table, own), TopK(4)
        )
        for one in (engine, REFERENCE)
    )
    np.testing.assert_allclose(found.scores, expected.scores, rtol=0, atol=1e-5)


def test_appended_and_deleted_documents_leave_the_statistics_of_those_that_live(engine):
    table, texts = unit(a_table("rules")), some_texts()
    first = Bags(texts.rows.keep(texts.rows.values < 30)).take(np.arange(10))
    grown = engine.bm25_corpus(Batch(table.take(np.arange(30)), first), Bm25Options())
    grown.append(Batch(table.take(np.arange(30, 40)), texts))
    grown.delete(np.arange(10))
    fresh = engine.bm25_corpus(Batch(table, texts), Bm25Options())
    assert weights_of(grown).mean_length == weights_of(fresh).mean_length
    np.testing.assert_allclose(weights_of(grown).words, weights_of(fresh).words, rtol=1e-12)
    of_grown, of_fresh = (one.search(Queries(texts), TopK(6)) for one in (grown, fresh))
    np.testing.assert_array_equal(of_grown.documents - 10, of_fresh.documents)
    np.testing.assert_allclose(of_grown.scores, of_fresh.scores, rtol=1e-12)


@pytest.mark.parametrize("options", [OPTIONS[-1], Bm25Options(k1=0.7, b=0.3, floor=1.0)], ids=str)
def test_equality_is_plain_bm25(engine, options):
    table, texts = WordTable(unit(a_table("plain")).vectors), some_texts()
    found = engine.bm25_corpus(Batch(table, texts), options).search(
        Queries(texts), TopK(len(texts))
    )
    rows = [row.tolist() for row in texts.rows]
    for query, row in enumerate(rows):
        expected = plain_bm25(row, rows, options)[found.documents[query]]
        np.testing.assert_allclose(found.scores[query], expected, rtol=0, atol=1e-6)


def test_zero_is_a_hit_unless_a_score_is_asked_for(engine):
    table = WordTable(np.eye(4))
    texts = Bags(Ragged.from_rows([[0], [], [1], [2]]))
    corpus = engine.bm25_corpus(Batch(table, texts), Bm25Options())
    query = Bags(Ragged.from_rows([[2], [3], []]))
    found = corpus.search(Queries(query), TopK(3))
    assert found.documents.tolist() == [[3, 0, 1], [0, 1, 2], [0, 1, 2]]
    asked = corpus.search(Queries(query), TopK(3, 1e-9))
    assert asked.documents.tolist() == [[3, -1, -1], [-1, -1, -1], [-1, -1, -1]]


def test_no_documents_are_no_hits(engine):
    empty = Bags(Ragged.from_rows([]))
    corpus = engine.bm25_corpus(Batch(WordTable(np.eye(3)), empty), Bm25Options())
    found = corpus.search(Queries(Bags(Ragged.from_rows([[1], []]))), TopK(3))
    assert found.documents.tolist() == [[-1], [-1]]
    assert (len(corpus), weights_of(corpus).mean_length) == (0, 0.0)
    np.testing.assert_allclose(weights_of(corpus).words, math.log(2))


def test_texts_without_words_score_zero(engine):
    texts = Bags(Ragged.from_rows([[], [0]]))
    left, right = np.array([0, 0, 1]), np.array([0, 1, 0])
    weights = Bm25Weights(np.ones(1), 0.0, Bm25Options())
    scores = engine.bm25_pairs(Batch(WordTable(np.eye(1)), texts), left, right, weights)
    assert scores.tolist() == [0.0, 0.0, 0.0]


def test_bag_counts_are_refused(engine):
    with pytest.raises(fuzzbow.InputError, match="without bag counts"):
        engine.bm25_corpus(Batch(a_table("plain"), some_texts(counted=True)), Bm25Options())
