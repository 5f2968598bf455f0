"""Similarity of words by their letters, in both engines, against naive code."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fuzzbow import _kernel
from fuzzbow.arrays import Ragged
from fuzzbow.engine import letters_of
from fuzzbow.engine.letters import MOST_LETTERS, edit_distances
from tests.kernel import calls, corpora, oracle
from tests.kernel.oracle import JACCARD, Words, edit_distance
from tests.kernel.test_join_properties import assert_same as assert_same_pairs
from tests.kernel.test_join_properties import brute_force as all_pairs
from tests.kernel.test_search_properties import assert_same as assert_same_hits
from tests.kernel.test_search_properties import brute_force as best_hits

UNKNOWN = 2  # kind of a word without a vector
ALPHABETS = ("ab", "abcdefgh", "aäßяжфクツ語", "".join(map(chr, range(0x4E00, 0x4E80))))


@st.composite
def spellings(draw, longest=80):
    """A word and another that is some edits away, of one of several alphabets."""
    alphabet = draw(st.sampled_from(ALPHABETS))
    letters = st.sampled_from(alphabet)
    word = draw(st.lists(letters, max_size=longest))
    other = list(word)
    for _ in range(draw(st.integers(0, 30))):
        place = draw(st.integers(0, len(other)))
        edit = draw(st.sampled_from(["insert", "replace", "delete", "swap", "shuffle"]))
        if edit == "insert" and len(other) < longest:
            other.insert(place, draw(letters))
        elif edit == "replace":
            other[place : place + 1] = [draw(letters)] if place < len(other) else []
        elif edit == "delete":
            del other[place : place + 1]
        elif edit == "swap":
            other[place : place + 2] = reversed(other[place : place + 2])
        else:
            other[place : place + 4] = draw(st.permutations(other[place : place + 4]))
    return "".join(word), "".join(other)


def codes(word):
    return list(map(ord, word))


@given(spellings())
@example(("ca", "abc"))  # 3, as no letter is edited twice
@example(("", ""))
@example(("", "abc"))
@example(("abcdef", "badcfe"))
def test_edit_distances_of_the_reference(pair):
    sides = [pair, pair[::-1], (pair[0], ""), ("", pair[1])]
    words, others = (Ragged.from_rows(map(codes, side)) for side in zip(*sides, strict=True))
    expected = [edit_distance(*map(tuple, side)) for side in sides]
    assert edit_distances(words, others).tolist() == expected


def similarity_in_the_kernel(word, other):
    """Similarity of two unknown words that share one of a hundred trigrams."""
    trigrams = np.concatenate([np.arange(100), 99 + np.arange(100)]).astype(np.uint32)
    table = _kernel.Table(
        np.zeros((2, 4), np.float32),
        None,
        np.full(2, UNKNOWN, np.uint8),
        np.array([0, 100, 200]),
        trigrams,
        np.cumsum([0, len(word), len(other)]),
        np.array(codes(word) + codes(other), np.uint32),
        unit=True,
    )
    texts = oracle.ragged([[0], [1]])
    jaccard = _kernel.SetSimilarity("jaccard")
    return float(_kernel.pairs(table, texts, np.array([0]), np.array([1]), jaccard)[0])


@given(spellings(MOST_LETTERS))
@example(("a" * 64, "a" * 63 + "b"))
@example(("ab" * 32, "ba" * 32))
@example(("abcdefghij", "bacdfeghji"))
@example(("idée", "idie"))  # code points that are equal modulo 32 and 64
@example(("aabbccddee", "aabbccdeee"))
def test_similarity_in_the_kernel(pair):
    word, other = pair
    edits, longer = edit_distance(tuple(word), tuple(other)), max(map(len, pair))
    expected = 0.01
    if word and other and 10 * edits <= 3 * longer:
        expected = max(expected, 1 - 1.2 * (edits / longer))
    assert similarity_in_the_kernel(word, other) == np.float32(expected)


def test_words_that_are_compared_by_edits():
    words = [
        "cat",
        "cats",
        "naïve",
        "語学学校",
        "can't",
        "abc1",
        "x" * 64,
        "x" * 65,
        "\ud800abcd",
        "",
    ]
    found = ["".join(map(chr, row.tolist())) for row in letters_of(words)]
    assert found == ["", "cats", "naïve", "語学学校", "", "", "x" * 64, "", "", ""]


def trigrams(word):
    """Trigrams of a word as numbers, made of its letters."""
    marked = [60, *word, 62]
    return {
        (a * 300 + b) * 300 + c for a, b, c in zip(marked, marked[1:], marked[2:], strict=False)
    }


def misspelt(count, seed, known):
    """Words with misspelt copies; so many of them have a vector, and some are numbers."""
    random = np.random.default_rng(seed)
    first = [random.integers(97, 107, random.integers(3, 12)).tolist() for _ in range(12)]
    letters = [corpora.misspelt(first[random.integers(12)], random) for _ in range(count)]
    grams = [trigrams(word) for word in letters]
    numbers = {gram: place for place, gram in enumerate(sorted(set().union(*grams)))}
    kinds = np.where(random.random(count) < known, 0, UNKNOWN) + (random.random(count) < 0.05)
    vectors = random.standard_normal((count, 12))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[kinds >= UNKNOWN] = 0
    return Words(
        vectors.astype(np.float32),
        random.uniform(0.1, 2.0, count).astype(np.float32),
        kinds.astype(np.uint8),
        [{numbers[gram] for gram in word} for word in grams],
        [word if len(word) >= 4 else [] for word in letters],
        unit=True,
    )


@pytest.mark.parametrize("known", [0.0, 0.5, 0.9])
@given(seed=st.integers(0, 10_000))
def test_search_among_misspelt_words(known, seed):
    words = misspelt(150, seed, known)
    documents, queries = corpora.texts(200, 120, seed), corpora.texts(12, 150, seed + 1, 5)
    table = _kernel.Table(**words.arguments())
    found = calls.corpus(table, documents, JACCARD).search(oracle.ragged(queries), 5)
    assert_same_hits(found, best_hits(table, queries, documents, JACCARD, 5))


@pytest.mark.parametrize("known", [0.0, 0.5, 0.9])
@given(seed=st.integers(0, 10_000), threshold=st.sampled_from([0.3, 0.6, 0.8]))
def test_join_of_misspelt_words(known, seed, threshold):
    words = misspelt(150, seed, known)
    texts = corpora.texts(200, 150, seed, 6)
    table = _kernel.Table(**words.arguments())
    assert_same_pairs(
        calls.joined(table, texts, JACCARD, threshold),
        all_pairs(table, texts, JACCARD, threshold),
    )


@given(seed=st.integers(0, 10_000))
def test_scores_of_misspelt_words(seed):
    words, texts = misspelt(120, seed, 0.5), corpora.texts(20, 120, seed, 6)
    table, everything = _kernel.Table(**words.arguments()), np.arange(20)
    jaccard = _kernel.SetSimilarity("jaccard")
    found = _kernel.matrix(table, oracle.ragged(texts), everything, everything, jaccard)
    expected = [[oracle.score(words, a, b, JACCARD) for b in texts] for a in texts]
    np.testing.assert_allclose(found, expected, atol=2e-6)
