"""Fuzzy BM25: search equals a brute-force scan through pairs, the same ids, order and scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fuzzbow
from fuzzbow import _kernel
from tests.kernel import calls, corpora
from tests.kernel.oracle import Words, ragged

DEFAULTS = {"k1": 1.5, "b": 0.75, "floor": 0.45, "power": 1.5}
EQUALITY = {**DEFAULTS, "floor": 1.0}
SORTS = ("unit", "unit-rules", "clustered")


def words_of(sort: str, count: int, dimension: int, seed: int) -> Words:
    """Words of a unit table; clustered ones have similar words above any floor."""
    words = corpora.words("unit" if sort == "clustered" else sort, count, dimension, seed)
    if sort == "clustered":
        vectors = words.vectors[np.arange(count) // 7]
        noise = np.random.default_rng(seed).standard_normal(vectors.shape) * 0.25
        mixed = vectors + noise / np.sqrt(dimension)
        words.vectors = (mixed / np.linalg.norm(mixed, axis=1, keepdims=True)).astype(np.float32)
    words.unit = True
    return words


def table_of(words: Words) -> _kernel.Table:
    return _kernel.Table(**words.arguments())


def gain(words: Words, u: int, v: int, options: dict) -> float:
    if options["floor"] == 1.0:
        return float(u == v)
    above = max(words.similarity(u, v) - options["floor"], 0.0) / (1 - options["floor"])
    return above ** options["power"]


def naive_score(words: Words, query, document, weights, mean_length, options) -> float:
    """The formula, word by word."""
    norm = options["k1"] * (1 - options["b"] + options["b"] * len(document) / mean_length)
    total = score = 0.0
    for u in query:
        often = sum(gain(words, u, v, options) for v in document)
        total += weights[u]
        score += weights[u] * often / (often + norm) if often > 0 else 0.0
    return score / total if total > 0 else 0.0


class Grown:
    """A corpus, and the documents that it should hold."""

    def __init__(self, table, documents, options, **threads):
        self.table, self.documents, self.options = table, list(documents), options
        self.alive = np.ones(len(documents), np.bool_)
        self.corpus = _kernel.Bm25Corpus(table, ragged(documents), **options, **threads)

    def append(self, documents):
        self.corpus.append(ragged(documents))
        self.documents += documents
        self.alive = np.concatenate([self.alive, np.ones(len(documents), np.bool_)])

    def delete(self, documents):
        self.corpus.delete(np.array(documents, np.int64))
        self.alive[documents] = False

    def scores(self, queries) -> np.ndarray:
        """Every query with every document, by pairs: (q, n)"""
        weights = self.corpus.word_weights(np.arange(len(self.table), dtype=np.uint32))
        shape = len(queries), len(self.documents)
        left, right = (part.ravel() for part in np.indices(shape))
        scores = _kernel.bm25_pairs(
            self.table,
            ragged([*queries, *self.documents]),
            left,
            right + len(queries),
            weights,
            self.corpus.mean_length,
            **self.options,
        )
        return scores.reshape(shape)

    def check(self, queries, k=10, min_score=0.0, allowed=None, grid=None, **threads):
        """Search finds what pairs score; `grid` is their scores, where they are known."""
        mask = None if allowed is None else allowed.astype(np.uint8)
        found = self.corpus.search(ragged(queries), k, min_score, allowed=mask, **threads)
        usable = self.alive if allowed is None else self.alive & allowed
        grid = self.scores(queries) if grid is None else grid
        for row, scores, ids, count in zip(grid, *found, strict=True):
            order = np.lexsort((np.arange(len(row)), -row))
            kept = order[usable[order] & (row[order] >= min_score)][:k]
            assert ids[:count].tolist() == kept.tolist()
            np.testing.assert_array_equal(scores[:count], row[kept])
            assert (ids[count:] == -1).all()


@st.composite
def options_of(draw):
    return {
        "k1": draw(st.sampled_from([0.0, 0.3, 1.5, 20.0])),
        "b": draw(st.sampled_from([0.0, 0.75, 1.0])),
        "floor": draw(st.sampled_from([0.0, 0.3, 0.4, 0.8, 1.0])),
        "power": draw(st.sampled_from([0.5, 1.0, 1.5, 4.0])),
    }


@st.composite
def cases(draw):
    seed = draw(st.integers(0, 10_000))
    vocabulary = draw(st.sampled_from([1, 3, 40, 300]))
    longest = draw(st.sampled_from([3, 14, 80, 600]))
    sort, dimension = draw(st.sampled_from(SORTS)), draw(st.sampled_from([1, 4, 25]))
    return {
        "words": words_of(sort, vocabulary, dimension, seed),
        "documents": corpora.texts(draw(st.sampled_from([1, 30, 150])), vocabulary, seed, longest),
        "queries": corpora.texts(draw(st.sampled_from([1, 3, 9])), vocabulary, seed + 5, 14),
        "options": draw(options_of()),
        "steps": draw(
            st.lists(st.tuples(st.booleans(), st.integers(1, 40), st.integers(0, 99)), max_size=5)
        ),
        "k": draw(st.sampled_from([1, 3, 10, 1000])),
        "min_score": draw(st.sampled_from([-1.0, 0.0, 1e-6, 0.2, 0.5, 1.0])),
        "simd": draw(st.sampled_from(_kernel.info()["available"])),
        "threads": draw(st.sampled_from([1, 2])),
        "filtered": draw(st.booleans()),
    }


@given(case=cases())
def test_search_equals_brute_force_whatever_was_added_and_deleted(case):
    with calls.instruction_set(case["simd"]):
        table = table_of(case["words"])
        grown = Grown(table, case["documents"], case["options"])
        for number, (adds, size, seed) in enumerate(case["steps"]):
            if adds:
                grown.append(corpora.texts(size, len(table), seed, 14))
            else:
                random = np.random.default_rng(seed)
                grown.delete(random.integers(0, len(grown.documents), size).tolist())
            if number % 2:  # a search between two changes remembers words
                grown.corpus.search(ragged(case["queries"]), threads=1)
        random = np.random.default_rng(1)
        allowed = random.random(len(grown.documents)) < 0.5 if case["filtered"] else None
        grown.check(case["queries"], case["k"], case["min_score"], allowed, threads=case["threads"])


@calls.every_case(("options",), (DEFAULTS,), (EQUALITY,), ({**DEFAULTS, "k1": 0.0},))
def test_larger_corpora(simd, options):
    words = words_of("clustered", 900, 24, 1)
    grown = Grown(table_of(words), corpora.texts(40_000, 900, 2, 12), options)
    grown.delete(list(range(0, 40_000, 3)))
    grown.append(corpora.texts(2_000, 900, 4, 12))
    queries = [*corpora.texts(8, 900, 3, 12), [5] * 30 + list(range(40)), []]
    allowed = np.random.default_rng(2).random(42_000) < 0.2
    grid = grown.scores(queries)
    for threads in (1, 2):
        for number, query in enumerate(queries):  # alone, on both workers
            grown.check([query], 10, grid=grid[number : number + 1], threads=threads)
        grown.check(queries, 10, 0.1, allowed, grid, threads=threads)


def test_statistics_do_not_depend_on_how_the_documents_came():
    words = words_of("unit-rules", 200, 8, 5)
    table, documents = table_of(words), corpora.texts(300, 200, 6, 14)
    at_once = Grown(table, documents, DEFAULTS)
    grown = Grown(table, [], DEFAULTS)
    for start in range(0, 300, 7):
        grown.append(documents[start : start + 7])
    everything = np.arange(200, dtype=np.uint32)
    np.testing.assert_array_equal(
        at_once.corpus.word_weights(everything), grown.corpus.word_weights(everything)
    )
    np.testing.assert_array_equal(at_once.scores(documents[:5]), grown.scores(documents[:5]))


@pytest.mark.parametrize("often", [254, 255, 256, 600, 5000])
def test_a_word_may_occur_any_number_of_times(often):
    words = words_of("clustered", 30, 8, 1)
    documents = [[3] * often, [3, 4], [3] * (often // 2) + [9], [], [1] * 70_000]
    grown = Grown(table_of(words), documents, DEFAULTS)
    grown.check([[3], [3, 9], [1, 3, 3]], 3)


def test_long_texts(simd):
    words = words_of("unit-rules", 3000, 8, 2)
    random = np.random.default_rng(3)
    documents = [random.integers(0, 3000, 2000).tolist() for _ in range(4)]
    documents += corpora.texts(50, 3000, 4, 20)
    grown = Grown(table_of(words), documents, DEFAULTS)
    grown.check([random.integers(0, 3000, 2000).tolist(), documents[7]], 5)


def test_query_words_may_lie_about_who_they_are(simd):
    """What is remembered of a word is not used for another that claims its place."""
    words = words_of("clustered", 40, 8, 1)
    documents = corpora.texts(100, 40, 2, 10)
    grown = Grown(table_of(words), documents, DEFAULTS)
    everything = np.arange(40, dtype=np.uint32)
    first = grown.corpus.word_weights(everything)
    arguments = {**words.arguments(), "vectors": np.roll(words.vectors, 7, axis=0)}
    other, ids = _kernel.Table(**arguments), np.arange(40)
    fresh = Grown(table_of(words), documents, DEFAULTS)
    expected = fresh.corpus.word_weights(everything, table=other, corpus_ids=ids)
    found = grown.corpus.word_weights(everything, table=other, corpus_ids=ids)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(grown.corpus.word_weights(everything), first)


@calls.every_two(
    sort=SORTS,
    options=[DEFAULTS, EQUALITY, {"k1": 0.4, "b": 0.2, "floor": 0.1, "power": 1.0}],
)
def test_scores_and_weights_of_words_are_the_formula(simd, sort, options):
    words = words_of(sort, 60, 12, 3)
    documents, queries = corpora.texts(40, 60, 1, 14), corpora.texts(8, 60, 2, 14)
    grown = Grown(table_of(words), documents, options)
    grown.delete([3, 3, 8])
    live = [set(d) for d, alive in zip(documents, grown.alive, strict=True) if alive]
    weights = grown.corpus.word_weights(np.arange(60, dtype=np.uint32))
    for u, found in enumerate(weights):
        held = sum(gain(words, u, v, options) * sum(v in d for d in live) for v in range(60))
        held = min(len(live), held)
        expected = words.weights[u] * np.log(1 + (len(live) - held + 0.5) / (held + 0.5))
        assert found == pytest.approx(expected, rel=1e-5)
    length = grown.corpus.mean_length
    expected = [
        [naive_score(words, query, document, weights, length, options) for document in documents]
        for query in queries
    ]
    np.testing.assert_allclose(grown.scores(queries), expected, rtol=0, atol=1e-5)


TABLE = table_of(words_of("unit", 3, 4, 1))
ONE = ragged([[1]])
NO = np.zeros(1, np.int64)


def corpus_of(table=TABLE, **options):
    return _kernel.Bm25Corpus(table, ONE, **{**DEFAULTS, **options})


def pairs_by(weights, mean_length=1.0):
    return _kernel.bm25_pairs(TABLE, ONE, NO, NO, weights, mean_length, **DEFAULTS)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: corpus_of(k1=-1.0), "k1 must be"),
        (lambda: corpus_of(k1=np.inf), "k1 must be"),
        (lambda: corpus_of(b=1.5), "b must be"),
        (lambda: corpus_of(floor=-0.1), "floor must be"),
        (lambda: corpus_of(power=0.0), "power must be"),
        (lambda: corpus_of(power=np.nan), "power must be"),
        (lambda: corpus_of(_kernel.Table(np.ones((3, 4), np.float32))), "unit"),
        (lambda: corpus_of().append(ragged([[1]], [[2.0]])), "without bag counts"),
        (lambda: corpus_of().word_weights(np.array([3], np.uint32)), "words must be"),
        (lambda: corpus_of().delete(np.array([1])), "documents must be"),
        (lambda: pairs_by(np.ones(2)), "must be"),
        (lambda: pairs_by(np.array([1.0, np.nan, 1.0])), "must be"),
        (lambda: pairs_by(np.array([1.0, -1.0, 1.0])), "must be"),
        (lambda: pairs_by(np.ones(3, np.float32)), "must be"),
        (lambda: pairs_by(np.ones(3), -1.0), "must be"),
        (lambda: pairs_by(np.ones(3), np.nan), "must be"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(call, message):
    with pytest.raises(fuzzbow.InputError, match=message):
        call()
