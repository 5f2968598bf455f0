"""Search equals a brute-force scan through the pair kernel: the same ids, order and scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fuzzbow
from fuzzbow import _kernel
from tests.kernel import calls, corpora, oracle


def brute_force(
    table, queries, documents, similarity, k, min_score=0.0, allowed=None, counts=(None, None)
):
    grid = calls.matrix(table, queries, documents, similarity, counts)
    expected = []
    for row in grid:
        order = np.lexsort((np.arange(len(row)), -row))
        kept = [int(i) for i in order if row[i] >= min_score and (allowed is None or allowed[i])]
        expected.append((kept[:k], row[kept[:k]]))
    return expected


def assert_same(found, expected):
    scores, ids, counts = found[:3]
    for i, (kept, values) in enumerate(expected):
        assert ids[i, : counts[i]].tolist() == kept
        np.testing.assert_array_equal(scores[i, : counts[i]], values)
        assert (ids[i, counts[i] :] == -1).all()


@st.composite
def cases(draw):
    sort = draw(st.sampled_from(corpora.SORTS))
    seed = draw(st.integers(0, 10_000))
    vocabulary = draw(st.sampled_from([1, 2, 5, 40, 200, 700]))  # 255 of them have a byte
    documents = corpora.texts(
        draw(st.sampled_from([1, 30, 300])),
        vocabulary,
        seed,
        draw(st.sampled_from([3, 14, 80, 300])),
    )
    queries = corpora.texts(
        draw(st.sampled_from([1, 4, 18, 40])),  # each is a case; 32 are scanned together
        vocabulary,
        seed + 5,
        draw(st.sampled_from([2, 14, 100])),
    )
    counts = (None, None)
    if draw(st.sampled_from([False, False, False, True])):
        counts = tuple(
            [[1 + (seed + w) % 3 for w in t] for t in side] for side in (queries, documents)
        )
    return {
        "words": corpora.words(sort, vocabulary, draw(st.sampled_from([1, 4, 25])), seed),
        "documents": documents,
        "queries": queries,
        "counts": counts,
        "k": draw(st.sampled_from([1, 3, 10, 1000])),
        "min_score": draw(st.sampled_from([-1.0, 0.0, 1e-6, 0.3, 0.7, 0.95, 1.0])),
        "simd": draw(st.sampled_from(_kernel.info()["available"])),
        "threads": draw(st.sampled_from([1, 2])),
        "postings_from": draw(st.sampled_from([0, 100, 1000])),
    }


@pytest.mark.parametrize("similarities", [oracle.DYNAMIC, oracle.QUERY], ids=["dynamic", "query"])
@given(case=cases(), data=st.data())
def test_search_equals_brute_force(similarities, case, data):
    similarity = data.draw(st.sampled_from(similarities))
    before = _kernel.info()["simd"]
    _kernel.set_simd(case["simd"])
    try:
        table = _kernel.Table(**case["words"].arguments())
        query_counts, document_counts = case["counts"]
        corpus = calls.corpus(
            table,
            case["documents"],
            similarity,
            document_counts,
            postings_from=case["postings_from"],
        )
        found = corpus.search(
            oracle.ragged(case["queries"], query_counts),
            case["k"],
            case["min_score"],
            threads=case["threads"],
        )
        assert_same(
            found,
            brute_force(
                table,
                case["queries"],
                case["documents"],
                similarity,
                case["k"],
                case["min_score"],
                counts=case["counts"],
            ),
        )
    finally:
        _kernel.set_simd(before)


@pytest.mark.parametrize(
    ("sort", "similarity"),
    [
        ("raw", oracle.JACCARD),
        ("spiky", oracle.OTSUKA),
        ("centred", oracle.COSINE),
        ("unit", oracle.DICE),
        ("unit-rules", oracle.JACCARD),
        ("unit-rules", oracle.QUERY_COVERAGE),
        ("centred", oracle.COVERAGE),
        ("raw", oracle.Similarity("tversky", (0.3, 0.8))),
        ("unit-rules", oracle.OVERLAP),
        ("spiky", oracle.Similarity("otsuka", universe="query")),
        ("centred", oracle.Similarity("overlap", universe="query")),
    ],
    ids=str,
)
def test_larger_corpora(simd, sort, similarity):
    words = corpora.words(sort, 800, 24, 1)
    documents = corpora.texts(21_000, 800, 2, 12)
    queries = [*corpora.texts(12, 800, 3, 12), [5] * 30 + list(range(40))]
    table = _kernel.Table(**words.arguments())
    corpus = calls.corpus(table, documents, similarity)
    expected = brute_force(table, queries, documents, similarity, 10)
    assert_same(corpus.search(oracle.ragged(queries), 10, threads=1), expected)
    assert_same(corpus.search(oracle.ragged(queries), 10, threads=2), expected)
    assert_same(corpus.search(oracle.ragged(queries[:1]), 10, threads=3), expected[:1])
    listed = calls.corpus(table, documents, similarity, postings_from=0)
    for query, best in zip(queries, expected, strict=True):  # together they go without postings
        assert_same(listed.search(oracle.ragged([query]), 10, threads=2), [best])


def near_copies(documents, random, vocabulary):
    """Texts in which a word was replaced, and some words come again."""
    made = []
    for number in random.integers(0, len(documents), 12):
        text = list(documents[number]) + [0, 1][: random.integers(3)]
        if text:
            text[random.integers(len(text))] = int(random.integers(vocabulary))
        made.append(text + text[: random.integers(4)])
    return made


@given(
    sort=st.sampled_from(corpora.SORTS),
    similarity=st.sampled_from(oracle.DYNAMIC),
    seed=st.integers(0, 10_000),
    vocabulary=st.sampled_from([3, 40, 700]),
    documents=st.sampled_from([1, 60, 900]),
    k=st.sampled_from([1, 3, 40]),
    min_score=st.sampled_from([0.0, 0.6, 1.0]),
    simd=st.sampled_from(_kernel.info()["available"]),
    threads=st.sampled_from([1, 2]),
)
def test_postings_leave_what_brute_force_finds(
    sort, similarity, seed, vocabulary, documents, k, min_score, simd, threads
):
    random = np.random.default_rng(seed)
    texts = corpora.texts(documents, vocabulary, seed, 14)
    texts += near_copies(texts, random, vocabulary)
    queries = [*near_copies(texts, random, vocabulary), *texts[:2]]
    before = _kernel.info()["simd"]
    _kernel.set_simd(simd)
    try:
        table = _kernel.Table(**corpora.words(sort, vocabulary, 12, seed).arguments())
        corpus = calls.corpus(table, texts, similarity, postings_from=0)
        expected = brute_force(table, queries, texts, similarity, k, min_score)
        for query, best in zip(queries, expected, strict=True):
            found = corpus.search(oracle.ragged([query]), k, min_score, threads=threads)
            assert_same(found, [best])
    finally:
        _kernel.set_simd(before)


@pytest.mark.parametrize("similarity", [oracle.JACCARD, oracle.OTSUKA], ids=str)
def test_postings_of_several_parts(simd, similarity):
    random = np.random.default_rng(6)
    words = corpora.words("unit", 5_000, 24, 6)
    table = _kernel.Table(**words.arguments())
    # Word 0 is in most texts, and in many of them again: only what comes after that is listed.
    documents = [
        random.integers(0, 5_000, 1 + i % 5).tolist() + [0] * (i % 4) for i in range(150_000)
    ]
    corpus = calls.corpus(table, documents, similarity)
    queries = [documents[7] + [3], documents[77_777], [*documents[149_999], 0, 0, 0], [0]]
    expected = brute_force(table, queries, documents, similarity, 10)
    seen = 0
    for query, best in zip(queries, expected, strict=True):
        for threads in (1, 2):
            found = corpus.search(oracle.ragged([query]), 10, threads=threads, statistics=True)
            assert_same(found, [best])
            seen += found[3]["by_postings"]
    assert seen > len(documents)


def test_words_that_come_after_postings(simd):
    random = np.random.default_rng(5)
    table = _kernel.Table(random.standard_normal((700, 16)).astype(np.float32))
    documents = [random.integers(0, 100, 6).tolist() for _ in range(40)]
    corpus = calls.corpus(table, documents, oracle.JACCARD, postings_from=0)
    fresh = [random.integers(0, 700, 6).tolist() for _ in range(10)]  # a segment of their own
    corpus.append(oracle.ragged(fresh))
    documents += fresh
    queries = [documents[-1], documents[0], [699], []]
    expected = brute_force(table, queries, documents, oracle.JACCARD, 5)
    for query, best in zip(queries, expected, strict=True):
        assert_same(corpus.search(oracle.ragged([query]), 5), [best])


def test_postings_stay_right_while_documents_come_and_go(simd):
    random = np.random.default_rng(4)
    table = _kernel.Table(random.standard_normal((12_000, 16)).astype(np.float32))
    # Every part has new words. Small ones keep a segment of their own, large ones join the others.
    sizes, documents = [40, 3_000, 20, 700, 9_000], []
    corpus = None
    for part, size in enumerate(sizes):
        words = 2_000 * (part + 1)
        fresh = [random.integers(0, words, random.integers(0, 9)).tolist() for _ in range(size)]
        documents += fresh
        if corpus is None:
            corpus = calls.corpus(table, fresh, oracle.JACCARD, postings_from=30)
        else:
            corpus.append(oracle.ragged(fresh))
        queries = [documents[-1], documents[0], random.integers(0, words, 7).tolist()]
        allowed = np.ones(len(documents), bool)
        allowed[::7] = False
        corpus.delete(np.arange(0, len(documents), 7))
        expected = brute_force(table, queries, documents, oracle.JACCARD, 8, allowed=allowed)
        for query, best in zip(queries, expected, strict=True):
            assert_same(corpus.search(oracle.ragged([query]), 8), [best])


@pytest.mark.parametrize("size", [5_000, 25_000])  # the second is large enough for two workers
@pytest.mark.parametrize("sort", ["raw", "unit-rules"])
def test_documents_that_hardly_differ(simd, sort, size):
    """More wait to be scored than may, as bounds tell few of them apart."""
    table = _kernel.Table(**corpora.words(sort, 12, 4, 5).arguments())
    documents = corpora.texts(size, 12, 6, 6)
    queries = corpora.texts(9, 12, 7, 6)
    corpus = calls.corpus(table, documents, oracle.JACCARD)
    for k in (1, 10, 700):
        expected = brute_force(table, queries, documents, oracle.JACCARD, k)
        assert_same(corpus.search(oracle.ragged(queries), k, threads=2), expected)
        for query, one in zip(queries, expected, strict=True):
            assert_same(corpus.search(oracle.ragged([query]), k, threads=2), [one])


@pytest.mark.parametrize(
    "similarity",
    [*oracle.DYNAMIC[:4], oracle.QUERY_COVERAGE, oracle.QUERY_JACCARD],
    ids=str,
)
def test_bounds_do_prune(simd, similarity):
    words = corpora.words("centred", 3000, 100, 1)
    documents = corpora.texts(30_000, 3000, 2, 14)
    table = _kernel.Table(**words.arguments())
    corpus = calls.corpus(table, documents, similarity)
    queries = [text for text in documents[100:120] if text]
    # with one thread, as the order of work decides whether a query gives its bounds up
    statistics = corpus.search(oracle.ragged(queries), 10, statistics=True, threads=1)[3]
    assert statistics["full_scans"] == 0
    assert statistics["scored"] < 0.05 * statistics["scanned"]


def test_one_query_of_a_small_corpus_scores_few_documents(simd):
    table = _kernel.Table(**corpora.words("centred", 3000, 100, 1).arguments())
    corpus = calls.corpus(table, corpora.texts(1000, 3000, 2, 14), oracle.JACCARD)
    queries = [text for text in corpora.texts(40, 3000, 3, 14) if len(text) > 3]
    seen = [corpus.search(oracle.ragged([text]), 5, statistics=True)[3] for text in queries]
    assert sum(statistics["scored"] for statistics in seen) < 3 * 5 * len(queries)


@pytest.mark.parametrize("name", ["cosine", "overlap", "tversky"])
def test_similarities_without_bounds_are_searched_fully_at_once(name):
    parameters = (0.0, 1.0) if name == "tversky" else ()
    similarity = oracle.Similarity(name, parameters, "query")
    words = corpora.words("centred", 300, 16, 1)
    documents = corpora.texts(500, 300, 2, 14)
    corpus = calls.corpus(_kernel.Table(**words.arguments()), documents, similarity)
    statistics = corpus.search(oracle.ragged([[1, 2], [3], [4]]), 5, statistics=True)[3]
    assert statistics["full_scans"] == 3
    assert statistics["scanned"] == 0


@pytest.mark.parametrize("parameters", [(1e-300, 1e-300), (1e300, 0.0), (0.0, 1e300), (1e9, 1e-9)])
@pytest.mark.parametrize("universe", ["dynamic", "query"])
@pytest.mark.parametrize("sort", ["raw", "unit-rules"])
def test_extreme_parameters(sort, parameters, universe):
    similarity = oracle.Similarity("tversky", parameters, universe)
    documents, queries = corpora.texts(400, 600, 2), corpora.texts(12, 600, 3)
    table = _kernel.Table(**corpora.words(sort, 600, 20, 3).arguments())
    expected = brute_force(table, queries, documents, similarity, 5)
    found = calls.corpus(table, documents, similarity).search(oracle.ragged(queries), 5)
    assert_same(found, expected)
    listed = calls.corpus(table, documents, similarity, postings_from=0)
    for query, best in zip(queries, expected, strict=True):
        assert_same(listed.search(oracle.ragged([query]), 5), [best])


def test_more_than_65536_distinct_words(simd):
    random = np.random.default_rng(0)
    vectors = random.standard_normal((70_000, 8)).astype(np.float32)
    order = random.permutation(70_000)
    documents = [order[i : i + 7].tolist() for i in range(0, 70_000, 7)]
    table = _kernel.Table(vectors)
    corpus = calls.corpus(table, documents, oracle.JACCARD)
    queries = [documents[3], documents[9_999], random.integers(0, 70_000, 40).tolist()]
    assert_same(
        corpus.search(oracle.ragged(queries), 5),
        brute_force(table, queries, documents, oracle.JACCARD, 5),
    )


def test_documents_with_and_without_words_beyond_65536(simd):
    random = np.random.default_rng(1)
    table = _kernel.Table(random.standard_normal((66_000, 8)).astype(np.float32))
    every_word = np.arange(66_000).reshape(-1, 6).tolist()
    long = [random.integers(low, 66_000, 90).tolist() for low in (0, 5_000, 65_500) * 30]
    short = [random.integers(low, 66_000, 5).tolist() for low in (0, 65_530) * 50]
    corpus = calls.corpus(table, every_word, oracle.JACCARD)
    corpus.append(oracle.ragged(long + short))  # a segment of its own
    documents = every_word + long + short
    queries = [long[2], short[1], every_word[-1], every_word[0], [*long[0][:3], 65_999]]
    expected = brute_force(table, queries, documents, oracle.JACCARD, 5)
    assert_same(corpus.search(oracle.ragged(queries), 5), expected)
    for query, one in zip(queries, expected, strict=True):
        assert_same(corpus.search(oracle.ragged([query]), 5), [one])


def test_words_beyond_65536_widen_only_their_own_documents():
    table = _kernel.Table(np.ones((66_000, 1), dtype=np.float32))
    narrow = [*np.arange(65_000).reshape(-1, 5).tolist(), *[[300, 400, 500, 600]] * 40_000]
    wide = np.arange(65_000, 66_000).reshape(-1, 5).tolist()
    few = calls.corpus(table, narrow, oracle.JACCARD).memory_bytes()
    more = calls.corpus(table, narrow + wide, oracle.JACCARD).memory_bytes()
    assert more - few < 2 * 4 * 40_000  # two more bytes for each rare word


def test_queries_of_thousands_of_words(simd):
    words = corpora.words("centred", 300, 16, 1)
    documents = corpora.texts(500, 300, 2, 12)
    queries = [np.random.default_rng(1).integers(0, 300, 5000).tolist()]
    table = _kernel.Table(**words.arguments())
    corpus = calls.corpus(table, documents, oracle.JACCARD)
    assert_same(
        corpus.search(oracle.ragged(queries), 7),
        brute_force(table, queries, documents, oracle.JACCARD, 7),
    )


@pytest.mark.parametrize("vocabulary", [200, 5000])  # all of them frequent, most of them rare
def test_documents_of_a_thousand_words(simd, vocabulary):
    words = corpora.words("centred", vocabulary, 16, 1)
    documents = corpora.texts(40, vocabulary, 2, 1200)
    table = _kernel.Table(**words.arguments())
    corpus = calls.corpus(table, documents, oracle.JACCARD)
    texts = corpora.texts(40, vocabulary, 3)
    for queries in (texts[:1], texts):
        assert_same(
            corpus.search(oracle.ragged(queries), 7),
            brute_force(table, queries, documents, oracle.JACCARD, 7),
        )


@pytest.mark.parametrize("sort", ["raw", "tiny", "rules", "unit-rules"])
@pytest.mark.parametrize(
    "similarity",
    [*oracle.DYNAMIC[:5], oracle.OVERLAP, oracle.QUERY_JACCARD, oracle.QUERY_COVERAGE],
    ids=str,
)
def test_query_brings_its_own_table(simd, sort, similarity):
    words = corpora.words(sort, 90, 20, 5)
    documents = corpora.texts(200, 60, 2)  # the last 30 words are not in the corpus
    queries = corpora.texts(20, 90, 3)
    whole = _kernel.Table(**words.arguments())
    part = words.take(range(60))
    corpus = calls.corpus(_kernel.Table(**part.arguments()), documents, similarity)
    shuffled = np.random.default_rng(1).permutation(90)
    place = np.argsort(shuffled)
    other = words.take(shuffled)
    corpus_ids = np.where(shuffled < 60, shuffled, -1).astype(np.int64)
    found = corpus.search(
        oracle.ragged([[int(place[w]) for w in q] for q in queries]),
        5,
        table=_kernel.Table(**other.arguments()),
        corpus_ids=corpus_ids,
    )
    assert_same(found, brute_force(whole, queries, documents, similarity, 5))


@pytest.mark.parametrize("sort", ["raw", "unit-rules"])
@pytest.mark.parametrize(
    "similarity", [oracle.JACCARD, oracle.COVERAGE, oracle.QUERY_COVERAGE], ids=str
)
def test_append_delete_and_mask(simd, sort, similarity):
    words = corpora.words(sort, 120, 20, 7)
    documents = corpora.texts(900, 120, 2)
    for i, text in enumerate(documents[:300]):
        documents[i] = [w % 60 for w in text]
    queries = corpora.texts(10, 120, 4)
    first = words.take(range(60))
    rest = words.take(range(60, 120))
    table = _kernel.Table(**first.arguments())
    corpus = calls.corpus(table, documents[:300], similarity)
    addition = rest.arguments()
    addition.pop("unit")
    assert table.append(**addition) == 60
    for start in (300, 301, 340, 500):
        stop = {300: 301, 301: 340, 340: 500, 500: 900}[start]
        corpus.append(oracle.ragged(documents[start:stop]))
    assert len(corpus) == 900
    assert_same(
        corpus.search(oracle.ragged(queries), 9),
        brute_force(table, queries, documents, similarity, 9),
    )
    allowed = (np.random.default_rng(0).random(900) < 0.5).astype(np.uint8)
    assert_same(
        corpus.search(oracle.ragged(queries), 9, allowed=allowed),
        brute_force(table, queries, documents, similarity, 9, allowed=allowed),
    )
    removed = np.arange(0, 900, 3, dtype=np.int64)
    corpus.delete(removed)
    kept = np.ones(900, bool)
    kept[removed] = False
    assert_same(
        corpus.search(oracle.ragged(queries), 900),
        brute_force(table, queries, documents, similarity, 900, allowed=kept),
    )


def test_empty_corpora_and_queries(simd):
    table = _kernel.Table(np.ones((2, 3), np.float32))
    corpus = calls.corpus(table, [], oracle.JACCARD)
    assert corpus.search(oracle.ragged([[0]]), 3)[2].tolist() == [0]
    corpus = calls.corpus(table, [[], [1]], oracle.JACCARD)
    assert corpus.search(oracle.ragged([[]]), 3)[1].tolist() == [[0, 1]]
    assert corpus.search(oracle.ragged([]), 3)[1].shape == (0, 2)


@pytest.mark.parametrize(
    "keywords",
    [
        {"k": 0},
        {"min_score": float("nan")},
        {"allowed": np.ones(3, np.uint8)},
        {"allowed": np.ones(2, bool)},
        {"corpus_ids": np.array([0, 5], np.int64)},
        {"corpus_ids": np.array([0], np.int64)},
        {"table": _kernel.Table(np.ones((2, 4), np.float32))},
        {"threads": -1},
    ],
)
def test_bad_options_are_refused(keywords):
    table = _kernel.Table(np.ones((2, 3), np.float32))
    corpus = calls.corpus(table, [[0], [1]], oracle.JACCARD)
    with pytest.raises(fuzzbow.InputError, match="must be"):
        corpus.search(oracle.ragged([[0]]), **keywords)
