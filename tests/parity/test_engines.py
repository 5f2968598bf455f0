"""One contract: what the formulas say, every engine says to 1e-5."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import fuzzbow
from fuzzbow.arrays import Ragged
from fuzzbow.engine import (
    Bags,
    Batch,
    DynamicOptions,
    Engine,
    JoinOptions,
    Queries,
    SetOptions,
    TopK,
    WordRules,
    WordTable,
    choose_engine,
)
from fuzzbow.fuzzy import SET_SIMILARITIES, Pooling, Universe, WordSimilarity, tversky
from tests.hostile.scale import in_turn
from tests.kernel.corpora import numbered_trigrams
from tests.messy.pairs import read_pairs
from tests.parity.conftest import every_two

REFERENCE = Engine()
WORD_SIMILARITIES = (WordSimilarity.DOT, WordSimilarity.CLIPPED_COSINE)
OPTIONS = [
    DynamicOptions(Pooling.MAX, similarity, words)
    for similarity in SET_SIMILARITIES.values()
    for words in WORD_SIMILARITIES
]
ABLATIONS = [  # they have no kernels
    DynamicOptions(pooling, similarity, words)
    for pooling in Pooling
    for similarity in SET_SIMILARITIES.values()
    for words in WORD_SIMILARITIES
    if pooling is not Pooling.MAX
]
SIMILARITIES = [*SET_SIMILARITIES.values(), tversky(0.3, 0.8), tversky(0.6, 0.6)]
MAX_OPTIONS = [
    DynamicOptions(Pooling.MAX, similarity, universe=universe)
    for similarity in SIMILARITIES
    for universe in (Universe.DYNAMIC, Universe.QUERY)
]
SYMMETRIC = [options for options in MAX_OPTIONS if options.symmetric]


def name(options: DynamicOptions) -> str:
    parts = options.universe, options.pooling, options.word_similarity
    return "-".join([*(part.value for part in parts), options.similarity.name])


def a_table(kind: str, words: int = 40, dimension: int = 20) -> WordTable:
    """Words with raw vectors, with weights too, or with unit vectors, weights and rules."""
    random = np.random.default_rng(3)
    vectors = random.standard_normal((words, dimension)) + 0.3
    weights = random.random(words) + 0.1
    if kind == "plain":
        return WordTable(vectors)
    if kind == "weighted":
        return WordTable(vectors, weights)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    spellings = [random.integers(97, 99, random.integers(0, 9)).tolist() for _ in range(words)]
    trigrams = [sorted(found) for found in numbered_trigrams(spellings, random)]
    rules = WordRules(
        np.arange(words) % 7 == 0,
        np.arange(words) % 5 == 0,
        Ragged.from_rows(trigrams),
        Ragged.from_rows(spellings),
    )
    return WordTable(vectors, weights, rules)


def some_texts(words: int = 40, texts: int = 25, counted: bool = False) -> Bags:
    """Texts of 0 to 40 words, repeats included."""
    random = np.random.default_rng(4)
    rows = [random.integers(0, words, random.integers(0, 12)) for _ in range(texts)]
    rows += [np.array([3, 3, 3]), random.integers(0, words, 40), rows[1], np.array([], int)]
    ragged = Ragged.from_rows(rows)
    return Bags(ragged, random.integers(1, 4, len(ragged.values)) * 1.0 if counted else None)


def a_batch(kind: str, counted: bool = False) -> Batch:
    return Batch(a_table(kind), some_texts(counted=counted))


CASES = [
    (kind, counted)
    for kind in ("plain", "weighted", "rules")
    for counted in (False, True)
    if not (kind == "rules" and counted)  # no measure has both
]


@functools.cache
def expected_matrix(options: DynamicOptions, kind: str, counted: bool) -> np.ndarray:
    """Every text with every text by the reference, once for all engines."""
    everything = np.arange(len(some_texts()))
    return REFERENCE.matrix(a_batch(kind, counted), everything, everything, options)


def some_pairs(texts: Bags) -> tuple[np.ndarray, np.ndarray]:
    """Each text with itself and with every fifth one; the reference takes one pair at a time."""
    everything = np.arange(len(texts))
    left, right = np.nonzero((everything[:, None] - everything) % 5 == 0)
    return left, right


@every_two(options=OPTIONS, case=CASES)
def test_matrix_and_pairs_agree_with_the_reference(engine, options, case):
    batch = a_batch(*case)
    everything, (left, right) = np.arange(len(batch.texts)), some_pairs(batch.texts)
    found = engine.matrix(batch, everything, everything, options)
    np.testing.assert_allclose(found, expected_matrix(options, *case), atol=1e-5)
    pairs = engine.pairs(batch, left, right, options)
    np.testing.assert_allclose(pairs, found[left, right], atol=1e-5)


@pytest.mark.parametrize(
    ("case", "options"), in_turn(CASES, [(one,) for one in ABLATIONS]), ids=str
)
def test_ablations_are_left_to_the_reference(options, case):
    """To the bit: with a kernel of their own they would belong to `OPTIONS`."""
    batch, engine = a_batch(*case), choose_engine("auto")
    everything, (left, right) = np.arange(len(batch.texts)), some_pairs(batch.texts)
    expected = expected_matrix(options, *case)
    np.testing.assert_array_equal(engine.matrix(batch, everything, everything, options), expected)
    pairs = REFERENCE.pairs(batch, left, right, options)
    np.testing.assert_allclose(pairs, expected[left, right], atol=1e-5)
    some = engine.pairs(batch, left[:5], right[:5], options)
    np.testing.assert_array_equal(some, REFERENCE.pairs(batch, left[:5], right[:5], options))


@every_two(options=MAX_OPTIONS, case=CASES)
def test_a_text_with_words_is_exactly_like_itself(engine, options, case):
    batch = a_batch(*case)
    everything = np.arange(len(batch.texts))
    same = engine.pairs(batch, everything, everything, options)
    np.testing.assert_array_equal(same, (batch.texts.rows.lengths > 0) * 1.0)


def ranked(scores: np.ndarray, k: int, min_score: float, usable: np.ndarray) -> list[int]:
    """Documents by descending score, ties by insertion."""
    order = np.argsort(-scores, kind="stable")
    return [int(i) for i in order if usable[i] and scores[i] >= min_score][:k]


@every_two(options=MAX_OPTIONS, case=CASES)
def test_search_finds_the_best_documents_in_order(engine, options, case):
    kind, counted = case
    table, texts = a_table(kind), some_texts(counted=counted)
    everything = np.arange(len(texts))
    corpus = engine.corpus(Batch(table, texts), options)
    corpus.delete(np.array([2, 7]))
    allowed = everything % 4 != 1
    usable = allowed & (everything != 2) & (everything != 7)
    queries = texts.take(np.arange(6))
    brought = Queries(queries, table, np.arange(len(table)))
    found = corpus.search(brought, TopK(5, 0.2, allowed))
    scores = engine.matrix(Batch(table, texts), np.arange(6), everything, options)
    for query in range(6):
        expected = ranked(scores[query].round(6), 5, 0.2, usable)
        hits = found.documents[query][found.documents[query] >= 0].tolist()
        np.testing.assert_allclose(found.scores[query][: len(hits)], scores[query][hits], atol=1e-6)
        assert scores[query][hits].round(6).tolist() == scores[query][expected].round(6).tolist()


@pytest.mark.parametrize("kind", ["plain", "weighted", "rules"])
def test_queries_may_bring_words_and_documents_may_come_later(engine, kind):
    table, texts = a_table(kind), some_texts()
    first = Bags(texts.rows.keep(texts.rows.values < 30))
    corpus = engine.corpus(Batch(table.take(np.arange(30)), first), DynamicOptions())
    queries, words = texts.take(np.array([3, 5, 8, 28])), np.arange(40)
    lacking = corpus.search(Queries(queries, table, np.where(words < 30, words, -1)), TopK(3))
    corpus.append(Batch(table.take(np.arange(30, 40)), texts))
    grown = [
        corpus.search(given, TopK(3))
        for given in (Queries(queries, table, words), Queries(queries))
    ]
    for found, documents in ((lacking, [first]), *((one, [first, texts]) for one in grown)):
        everything = Bags(
            Ragged.from_rows([row for some in (queries, *documents) for row in some.rows])
        )
        rows, columns = np.arange(4), np.arange(4, len(everything))
        expected = REFERENCE.matrix(Batch(table, everything), rows, columns, DynamicOptions())
        np.testing.assert_allclose(found.scores, -np.sort(-expected, axis=1)[:, :3], atol=1e-5)


@every_two(options=SYMMETRIC, case=CASES, boundary=[None, 11])
def test_join_finds_every_pair_at_or_above_the_threshold(engine, options, case, boundary):
    kind, counted = case
    table, texts = a_table(kind), some_texts(counted=counted)
    everything = np.arange(len(texts))
    scores = engine.matrix(Batch(table, texts), everything, everything, options)
    parts = engine.join(Batch(table, texts), options, JoinOptions(0.55, boundary))
    found = {
        (int(a), int(b)): score
        for part in parts
        for a, b, score in zip(part.left, part.right, part.scores, strict=True)
    }
    expected = {
        (a, b): scores[a, b]
        for a in everything[:boundary].tolist()
        for b in everything[a + 1 if boundary is None else boundary :].tolist()
        if scores[a, b] >= 0.55
    }
    assert found.keys() == expected.keys()
    assert found == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("pooling", Pooling)
def test_memberships_agree_with_the_reference(engine, pooling):
    texts, rows = some_texts(), np.random.default_rng(5).standard_normal((40, 13))
    expected = REFERENCE.memberships(rows, texts, pooling)
    np.testing.assert_allclose(engine.memberships(rows, texts, pooling), expected, atol=1e-6)


@pytest.mark.parametrize("similarity", SIMILARITIES, ids=str)
@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_rows_agree_with_the_reference(engine, similarity, signed, weighted):
    random = np.random.default_rng(6)
    a, b = random.standard_normal((2, 9, 33))
    a, b = (a, b) if signed else (np.maximum(a, 0), np.maximum(b, 0))
    weights = random.random(33) if weighted else None
    # signed Jaccard divides by sums that may be near 0; compare relatively
    close = {"rtol": 1e-5, "atol": 1e-5}
    options = SetOptions(similarity, weights, signed)
    expected = [[REFERENCE.row_pairs(x[None], y[None], options)[0] for y in b] for x in a]
    np.testing.assert_allclose(engine.row_pairs(a, b, options), np.diag(expected), **close)
    np.testing.assert_allclose(engine.row_matrix(a, b, options), expected, **close)


def test_threads_must_be_at_least_one(pets):
    with pytest.raises(
        fuzzbow.InputError, match="threads must be a whole number of at least 1; got 0"
    ):
        fuzzbow.load(pets, measure="dynamax-jaccard").pairs(["cat"], ["dog"], threads=0)


def test_an_unknown_engine_is_refused(pets):
    with pytest.raises(fuzzbow.InputError, match="did you mean 'compiled'"):
        fuzzbow.load(pets, engine="compile")


def test_engine_info_says_which_is_in_use():
    info = fuzzbow.engine.engine_info()
    assert info["engine"] in ("compiled", "reference")
    assert info["threads"] >= 1


TEXTS = list(dict.fromkeys(text for pair in read_pairs() for text in (pair.left, pair.right)))


@pytest.mark.parametrize("purpose", ["sentences", "records"])
def test_engines_single_calls_and_batches_agree(purpose):
    compiled = fuzzbow.load(purpose=purpose, counts=None, engine="compiled")
    reference = fuzzbow.load(purpose=purpose, counts=None, engine="reference")
    lefts, rights = TEXTS[:400], TEXTS[1:401]
    batch = compiled.pairs(lefts, rights)
    np.testing.assert_allclose(batch, reference.pairs(lefts, rights), atol=1e-5)
    alone = [compiled.similarity(a, b) for a, b in zip(lefts, rights, strict=True)]
    np.testing.assert_allclose(alone, batch, atol=1e-6)
