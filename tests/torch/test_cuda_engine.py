"""The engine for GPUs against the compiled one; its code runs on the processor here."""

from __future__ import annotations

import numpy as np
import pytest

from fuzzbow.arrays import Ragged
from fuzzbow.engine import (
    Bags,
    Batch,
    DynamicOptions,
    JoinOptions,
    Queries,
    TopK,
    choose_engine,
    load_kernel,
)
from fuzzbow.errors import InputError
from fuzzbow.fuzzy import SET_SIMILARITIES, Universe
from tests.hostile.scale import covering
from tests.parity.test_engines import a_table

if load_kernel()[0] is None:
    pytest.skip("needs the compiled kernels", allow_module_level=True)

from fuzzbow.engine import cuda, device_texts
from fuzzbow.engine.cuda import CudaEngine

CPU = choose_engine("compiled")
DEVICE = CudaEngine(device="cpu")
OPTIONS = [
    DynamicOptions(similarity=SET_SIMILARITIES[name], universe=universe)
    for name in ("jaccard", "dice", "otsuka")
    for universe in (Universe.DYNAMIC, Universe.QUERY)
]
TABLES = ["plain", "weighted", "rules"]


def some_texts(count: int = 150, words: int = 40) -> Bags:
    """Short texts, many of them alike, most without words that letters decide; some are odd."""
    random = np.random.default_rng(5)
    known = np.array([word for word in range(words) if word % 5])
    rows = [random.choice(known, random.integers(1, 7)) for _ in range(count)]
    rows += [np.append(row[:-1], random.integers(0, words)) for row in rows[:60]]
    rows += [np.zeros(0, int), random.integers(0, words, 80), rows[0], rows[3], np.array([7, 14])]
    return Bags(Ragged.from_rows(rows))


def assert_same_hits(one, other) -> None:
    np.testing.assert_array_equal(one.documents, other.documents)
    np.testing.assert_array_equal(one.scores, other.scores)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    """Several pieces of each length, and search on the device from the first query on."""
    monkeypatch.setattr(device_texts, "PIECE", 50)
    monkeypatch.setattr(cuda, "FEWEST_QUERIES", 1)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_matrix_is_that_of_the_compiled_engine_to_a_thousandth(table, options):
    texts, words = some_texts(), a_table(table)
    rows, columns = np.arange(100, len(texts)), np.arange(0, len(texts), 2)
    found = DEVICE.matrix(Batch(words, texts), rows, columns, options)
    np.testing.assert_allclose(
        found, CPU.matrix(Batch(words, texts), rows, columns, options), atol=1e-3
    )


@pytest.mark.parametrize(
    ("table", "boundary", "threshold", "sets"),
    covering(TABLES, [None, 100], [0.0, 0.5, 0.8], ["jaccard", "dice"]),
)
def test_a_join_finds_the_pairs_and_scores_of_the_compiled_engine(table, boundary, threshold, sets):
    texts, words = some_texts(), a_table(table)
    options = DynamicOptions(similarity=SET_SIMILARITIES[sets])
    found, wanted = (
        [
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("left", "right", "scores")
        ]
        for engine in (DEVICE, CPU)
        for parts in (
            list(engine.join(Batch(words, texts), options, JoinOptions(threshold, boundary))),
        )
    )
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("table", "options", "hits"),
    covering(TABLES, OPTIONS, [(1, 0.0), (10, 0.0), (10, 0.6), (500, 0.0)]),
    ids=str,
)
def test_a_search_finds_the_documents_and_scores_of_the_compiled_engine(table, options, hits):
    k, least = hits
    texts, words = some_texts(), a_table(table)
    places = np.arange(len(texts))
    documents, queries = texts.take(places[:160]), texts.take(places[120:])
    allowed = np.arange(200) % 9 > 0
    found = []
    for engine in (DEVICE, CPU):
        corpus = engine.corpus(Batch(words, documents), options)
        corpus.append(Batch(words.take(places[:0]), texts.take(places[:40])))
        corpus.delete(np.array([3, 7]))
        found.append(corpus.search(Queries(queries), TopK(k, least, allowed)))
    assert_same_hits(*found)


def test_queries_may_bring_words_of_their_own():
    words, texts = a_table("rules"), some_texts()
    options, half = DynamicOptions(), np.arange(20, 40)
    documents = Bags(Ragged.from_rows([row[row < 30] for row in texts.rows]))
    queries = Bags(Ragged.from_rows([row[row >= 20] - 20 for row in texts.rows]))
    ids = np.where(half < 30, half, -1)
    found = [
        engine.corpus(Batch(words.take(np.arange(30)), documents), options).search(
            Queries(queries, words.take(half), ids), TopK(5)
        )
        for engine in (DEVICE, CPU)
    ]
    assert_same_hits(*found)


@pytest.mark.parametrize("boundary", [None, 100])
def test_a_join_tells_how_far_it_is_piece_by_piece(boundary):
    heard, texts = [], some_texts()
    join = JoinOptions(0.8, boundary, progress=lambda done, total: heard.append((done, total)))
    list(DEVICE.join(Batch(a_table("plain"), texts), DynamicOptions(), join))
    assert len(heard) > 2
    assert heard == sorted(heard)
    assert heard[-1] == (len(texts), len(texts))


def test_documents_that_came_later_are_found_among_the_odd_ones():
    words, texts = a_table("rules"), some_texts()
    others, later = np.arange(120), np.arange(150, 190)  # these are others with one word changed
    queries, found = texts.take(others), []
    for engine in (DEVICE, CPU):
        corpus = engine.corpus(Batch(words, texts.take(others)), DynamicOptions())
        corpus.search(Queries(queries), TopK(3))
        corpus.append(Batch(words.take(others[:0]), texts.take(later)))
        found.append(corpus.search(Queries(queries), TopK(3)))
        corpus.delete(np.arange(125, 140))
        found.append(corpus.search(Queries(queries), TopK(3)))
    assert (found[0].documents >= 120).any()
    for one, other in zip(found[:2], found[2:], strict=True):
        assert_same_hits(one, other)


def test_no_texts_give_no_pairs():
    nothing = Batch(a_table("rules"), Bags(Ragged.from_rows([])))
    assert list(DEVICE.join(nothing, DynamicOptions(), JoinOptions(0.5))) == []
    none = np.zeros(0, dtype=np.int64)
    assert DEVICE.matrix(nothing, none, none, DynamicOptions()).shape == (0, 0)


def test_without_a_gpu_the_error_says_so(monkeypatch):
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(InputError, match="needs a GPU that PyTorch can use"):
        choose_engine("cuda")
