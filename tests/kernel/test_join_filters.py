"""Texts that each filter of the join might get wrong, against brute force."""

import numpy as np
import pytest

from fuzzbow import _kernel
from tests.kernel import calls, corpora, oracle
from tests.kernel.oracle import Words
from tests.kernel.test_join_properties import assert_same, brute_force, pairs_of

VOCABULARY = 400
ONLY_UNKNOWN = 2  # kind of a word without a vector


def clustered(unknown_from: int = VOCABULARY) -> Words:
    """Unit vectors in twenty tight clusters: each word has many neighbours. Rules apply."""
    random = np.random.default_rng(3)
    centres = random.standard_normal((20, 24))
    vectors = centres[np.arange(VOCABULARY) % 20] + 0.5 * random.standard_normal((VOCABULARY, 24))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    kinds = np.zeros(VOCABULARY, dtype=np.uint8)
    kinds[unknown_from:] = ONLY_UNKNOWN
    vectors[unknown_from:] = 0
    weights = random.uniform(0.1, 2.0, VOCABULARY).astype(np.float32)
    letters = corpora.spellings(VOCABULARY, random)
    trigrams = corpora.numbered_trigrams(letters, random)
    return Words(vectors.astype(np.float32), weights, kinds, trigrams, letters, unit=True)


def templates(count: int) -> list[list[int]]:
    """Different middles between a few common beginnings and ends."""
    middles = corpora.texts(count, VOCABULARY, 7, 8)
    return [
        [*range(i % 3, i % 3 + 6), *middle, *range(20, 24 + i % 2)]
        for i, middle in enumerate(middles)
    ]


def repeated(count: int) -> list[list[int]]:
    """Texts that differ in how often they say a word, and so in weight."""
    return [text * (1 + i % 4) for i, text in enumerate(corpora.texts(count, 30, 5, 4))]


CORPORA = {
    "templates": (clustered(), templates(250)),
    "repeated words": (clustered(), repeated(200)),
    "one word each": (clustered(), [[i % VOCABULARY] for i in range(450)]),
    "unknown words only": (clustered(unknown_from=0), corpora.texts(200, VOCABULARY, 4, 6)),
    "unknown words among others": (clustered(unknown_from=150), templates(200)),
    "empty texts": (clustered(), [[], [], [1, 2], [], [2, 1], []]),
    "longer and shorter than the front": (
        clustered(),
        [text + text[:1] * (i % 20) for i, text in enumerate(corpora.texts(150, 40, 8, 18))],
    ),
    "memberships of raw vectors": (
        corpora.words("raw", VOCABULARY, 25, 1),
        corpora.texts(200, VOCABULARY, 6, 20),
    ),
    "words without weight": (
        Words(clustered().vectors, np.zeros(VOCABULARY, dtype=np.float32), unit=True),
        corpora.texts(60, VOCABULARY, 9, 6),
    ),
}


@calls.every_two(name=list(CORPORA), similarity=[oracle.JACCARD, oracle.DICE, oracle.OTSUKA])
def test_hard_texts_give_the_pairs_of_brute_force(simd, name, similarity):
    words, documents = CORPORA[name]
    table = _kernel.Table(**words.arguments())
    grid = calls.matrix(table, documents, documents, similarity)
    for threshold in (0.6, 0.7, 0.8, 0.9):
        found = calls.joined(table, documents, similarity, threshold)
        assert_same(found, pairs_of(grid, threshold))


@pytest.mark.parametrize("name", ["templates", "repeated words", "unknown words among others"])
def test_a_pair_that_scores_the_threshold_itself_is_found(name):
    words, documents = CORPORA[name]
    table = _kernel.Table(**words.arguments())
    grid = calls.matrix(table, documents, documents, oracle.JACCARD)
    scores = np.unique(grid[(grid > 0.7) & (grid < 1)])
    for score in scores[:: max(1, len(scores) // 12)]:
        found = calls.joined(table, documents, oracle.JACCARD, float(score))
        assert np.float32(score) in found[2]
        assert_same(found, pairs_of(grid, float(score)))


@pytest.mark.parametrize("threads", [1, 2])
def test_texts_of_five_thousand_words_give_the_pairs_of_brute_force(threads):
    random = np.random.default_rng(0)
    long = random.integers(0, VOCABULARY, 5000).tolist()
    documents = [long, long[:4000], [*long[:4990], *range(10)], long[::-1], long[:9], [3], []]
    table = _kernel.Table(**clustered().arguments())
    common = (table, documents, oracle.JACCARD, 0.8)
    assert_same(calls.joined(*common, threads=threads), brute_force(*common))


def test_sums_of_gains_start_again_when_32_bits_are_full():
    """All words are similar, and a low threshold makes every anchor read thousands of lists."""
    random = np.random.default_rng(1)
    vectors = random.standard_normal(24) + 0.4 * random.standard_normal((VOCABULARY, 24))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    table = _kernel.Table(vectors.astype(np.float32), unit=True)
    documents = [random.choice(VOCABULARY, 20, replace=False).tolist() for _ in range(150)]
    similarity = calls.compiled(oracle.JACCARD)
    join = _kernel.Join(table, oracle.ragged(documents), similarity, 0.6)
    *found, statistics = join.rows(0, len(join), threads=1, statistics=True)
    longest = max(np.bincount(np.concatenate(documents)))
    units = 2**14  # of the largest gain; a worker makes room for so many for each list
    assert statistics["postings"] / longest * units > 2**32
    assert_same(found, brute_force(table, documents, oracle.JACCARD, 0.6))


def test_words_with_too_many_neighbours_are_told_apart_by_a_higher_share():
    random = np.random.default_rng(4)
    noise = random.standard_normal((2200, 100))
    noise[:, 0] = 0
    vectors = np.sqrt(0.55) * noise / np.linalg.norm(noise, axis=1, keepdims=True)
    vectors[:, 0] = np.sqrt(
        0.45
    )  # two words have a similarity of about 0.45, above the first share
    table = _kernel.Table(vectors.astype(np.float32), unit=True)
    documents = [random.integers(0, 2200, 40).tolist() for _ in range(70)]
    documents += [[*text[1:], 7] for text in documents[:20]]
    similarity = calls.compiled(oracle.JACCARD)
    join = _kernel.Join(table, oracle.ragged(documents), similarity, 0.8)
    *found, statistics = join.rows(0, len(join), statistics=True)
    assert statistics["scanned_rows"] == 0
    assert_same(found, brute_force(table, documents, oracle.JACCARD, 0.8))
