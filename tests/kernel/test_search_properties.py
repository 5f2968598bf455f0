"""Search equals a brute-force scan through the pair kernel: the same ids, order and scores."""

from itertools import pairwise

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
        usable = (
            row[order] >= min_score
            if allowed is None
            else (row >= min_score)[order] & allowed[order]
        )
        kept = order[usable][:k].tolist()
        expected.append((kept, row[kept]))
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


def check(corpus, table, queries, documents, similarity, k=5, *, threads=(0,), **options):
    """Search together and one by one finds what brute force does."""
    counts, allowed = options.pop("counts", (None, None)), options.get("allowed")
    min_score = options.get("min_score", 0.0)
    expected = brute_force(table, queries, documents, similarity, k, min_score, allowed, counts)
    if allowed is not None:
        options["allowed"] = allowed.astype(np.uint8)
    for number in threads:
        found = corpus.search(oracle.ragged(queries, counts[0]), k, threads=number, **options)
        assert_same(found, expected)
        for i, best in enumerate(expected):
            one = oracle.ragged(queries[i : i + 1], counts[0] and counts[0][i : i + 1])
            assert_same(corpus.search(one, k, threads=number, **options), [best])


@pytest.mark.parametrize("similarities", [oracle.DYNAMIC, oracle.QUERY], ids=["dynamic", "query"])
@given(case=cases(), data=st.data())
def test_search_equals_brute_force(similarities, case, data):
    similarity = data.draw(st.sampled_from(similarities))
    with calls.instruction_set(case["simd"]):
        table, documents = _kernel.Table(**case["words"].arguments()), case["documents"]
        counts = case["counts"]
        start = case["postings_from"]
        corpus = calls.corpus(table, documents, similarity, counts[1], postings_from=start)
        check(
            corpus,
            table,
            case["queries"],
            documents,
            similarity,
            case["k"],
            threads=[case["threads"]],
            min_score=case["min_score"],
            counts=counts,
        )


@calls.every_case(
    ("sort", "similarity"),
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
)
def test_larger_corpora(simd, sort, similarity):
    documents = corpora.texts(21_000, 800, 2, 12)
    queries = [*corpora.texts(12, 800, 3, 12), [5] * 30 + list(range(40))]
    table = _kernel.Table(**corpora.words(sort, 800, 24, 1).arguments())
    for postings in ({}, {"postings_from": 0}):
        corpus = calls.corpus(table, documents, similarity, **postings)
        check(corpus, table, queries, documents, similarity, 10, threads=(1, 2, 3))


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
    with calls.instruction_set(simd):
        table = _kernel.Table(**corpora.words(sort, vocabulary, 12, seed).arguments())
        corpus = calls.corpus(table, texts, similarity, postings_from=0)
        options = {"threads": [threads], "min_score": min_score}
        check(corpus, table, queries, texts, similarity, k, **options)


@calls.every_case(("similarity",), (oracle.JACCARD,), (oracle.OTSUKA,))
def test_postings_of_several_parts(simd, similarity):
    random = np.random.default_rng(6)
    words = corpora.words("unit", 5_000, 24, 6)
    table = _kernel.Table(**words.arguments())
    # Word 0 is in most texts, and in many of them again: only what comes after that is listed.
    lengths = 1 + np.arange(150_000) % 5
    drawn = random.integers(0, 5_000, lengths.sum())
    documents = [
        part.tolist() + [0] * (i % 4)
        for i, part in enumerate(np.split(drawn, np.cumsum(lengths)[:-1]))
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
        allowed = np.arange(len(documents)) % 7 > 0
        corpus.delete(np.flatnonzero(~allowed))
        expected = brute_force(table, queries, documents, oracle.JACCARD, 8, allowed=allowed)
        for query, best in zip(queries, expected, strict=True):
            assert_same(corpus.search(oracle.ragged([query]), 8), [best])


# the second size is large enough for two workers
@calls.every_two(sort=["raw", "unit-rules"], size=[5_000, 25_000])
def test_documents_that_hardly_differ(simd, sort, size):
    """More wait to be scored than may, as bounds tell few of them apart."""
    table = _kernel.Table(**corpora.words(sort, 12, 4, 5).arguments())
    documents = corpora.texts(size, 12, 6, 6)
    queries = corpora.texts(9, 12, 7, 6)
    corpus = calls.corpus(table, documents, oracle.JACCARD)
    for k in (1, 10, 700):
        check(corpus, table, queries, documents, oracle.JACCARD, k, threads=[2])


@calls.every_case(
    ("similarity",),
    *((one,) for one in (*oracle.DYNAMIC[:4], oracle.QUERY_COVERAGE, oracle.QUERY_JACCARD)),
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
    for postings in ({}, {"postings_from": 0}):
        corpus = calls.corpus(table, documents, similarity, **postings)
        check(corpus, table, queries, documents, similarity)


def test_more_than_65536_distinct_words(simd):
    random = np.random.default_rng(0)
    vectors = random.standard_normal((70_000, 8)).astype(np.float32)
    order = random.permutation(70_000)
    documents = [order[i : i + 7].tolist() for i in range(0, 70_000, 7)]
    table = _kernel.Table(vectors)
    corpus = calls.corpus(table, documents, oracle.JACCARD)
    queries = [documents[3], documents[9_999], random.integers(0, 70_000, 40).tolist()]
    check(corpus, table, queries, documents, oracle.JACCARD)


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
    check(corpus, table, queries, documents, oracle.JACCARD)


def test_words_beyond_65536_widen_only_their_own_documents():
    table = _kernel.Table(np.ones((66_000, 1), dtype=np.float32))
    narrow = [*np.arange(65_000).reshape(-1, 5).tolist(), *[[300, 400, 500, 600]] * 40_000]
    wide = np.arange(65_000, 66_000).reshape(-1, 5).tolist()
    few = calls.corpus(table, narrow, oracle.JACCARD).memory_bytes()
    more = calls.corpus(table, narrow + wide, oracle.JACCARD).memory_bytes()
    assert more - few < 2 * 4 * 40_000  # two more bytes for each rare word


@pytest.mark.parametrize("vocabulary", [200, 5000])  # all of them frequent, most of them rare
def test_documents_of_a_thousand_words(simd, vocabulary):
    words = corpora.words("centred", vocabulary, 16, 1)
    documents = corpora.texts(40, vocabulary, 2, 1200)
    table = _kernel.Table(**words.arguments())
    corpus = calls.corpus(table, documents, oracle.JACCARD)
    queries = [*corpora.texts(40, vocabulary, 3), list(range(vocabulary)) * 2]
    check(corpus, table, queries, documents, oracle.JACCARD, 7)


@calls.every_two(
    sort=["raw", "tiny", "rules", "unit-rules"],
    similarity=[*oracle.DYNAMIC[:5], oracle.OVERLAP, oracle.QUERY_JACCARD, oracle.QUERY_COVERAGE],
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


@calls.every_two(
    sort=["raw", "unit-rules"],
    similarity=[oracle.JACCARD, oracle.COVERAGE, oracle.QUERY_COVERAGE],
)
def test_append_delete_and_mask(simd, sort, similarity):
    words = corpora.words(sort, 120, 20, 7)
    documents = corpora.texts(900, 120, 2)
    documents[:300] = [[word % 60 for word in text] for text in documents[:300]]
    queries = corpora.texts(10, 120, 4)
    table = _kernel.Table(**words.take(range(60)).arguments())
    corpus = calls.corpus(table, documents[:300], similarity)
    addition = words.take(range(60, 120)).arguments()
    addition.pop("unit")
    assert table.append(**addition) == 60
    for start, stop in pairwise((300, 301, 340, 500, 900)):
        corpus.append(oracle.ragged(documents[start:stop]))
    assert len(corpus) == 900
    check(corpus, table, queries, documents, similarity, 9)
    allowed = np.random.default_rng(0).random(900) < 0.5
    check(corpus, table, queries, documents, similarity, 9, allowed=allowed)
    kept = np.arange(900) % 3 > 0
    corpus.delete(np.flatnonzero(~kept))
    expected = brute_force(table, queries, documents, similarity, 900, allowed=kept)
    assert_same(corpus.search(oracle.ragged(queries), 900), expected)


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
