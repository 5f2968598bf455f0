"""Words by how they are written, in the kernels: what they read, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

from fuzzbow import _kernel
from fuzzbow.errors import InputError

JACCARD = _kernel.SetSimilarity("jaccard")
ROWS = np.eye(4, dtype=np.float32)


def add(lexicon, chunks, places, corpus_ids=None):
    """Add chunks of one word each, by its row, or of none by -1."""
    places = np.asarray(places)
    kept = places != -1
    offsets = np.concatenate([[0], np.cumsum(kept)])
    lexicon.add(chunks, places[kept], offsets, corpus_ids)


@pytest.fixture
def table():
    return _kernel.Table(ROWS)


@pytest.fixture
def lexicon(table):
    made = _kernel.Lexicon(table, "chunks")
    add(made, ["cat", "Cat", "dog", ".", "naïve"], np.array([0, 0, 1, -1, 2]))
    return made


def test_words_of_one_row_are_the_same_and_left_out_ones_count_nothing(lexicon):
    assert lexicon.score("cat dog.", "Cat", JACCARD) == lexicon.score("cat dog", "cat", JACCARD)
    assert lexicon.score("cat.", "Cat", JACCARD) == 1.0
    assert lexicon.score(".", "cat", JACCARD) == 0.0
    assert lexicon.score("", "cat", JACCARD) == 0.0


def test_words_that_are_split_already_are_read_as_they_are(lexicon):
    assert lexicon.score(["cat", "", "dog"], "dog cat", JACCARD) == 1.0
    assert lexicon.score([], [], JACCARD) == 0.0


def test_texts_are_read_once_and_settled_when_their_words_are_there(lexicon, table):
    texts = ["a cat", "the dog a", ["naïve", "x"], "", "a"]
    read = lexicon.read(texts)
    assert read.missing_words() == ["a", "the", "x"]
    assert lexicon.score("a cat", "cat", JACCARD) is None
    with pytest.raises(InputError, match="texts must be settled"):
        _kernel.pairs(table, read, np.array([0]), np.array([1]), JACCARD)
    with pytest.raises(InputError, match="all unmet words must be added"):
        read.settle()
    add(lexicon, ["a", "the", "x"], np.array([3, -1, 1]))
    read.settle()
    assert read.missing_words() == []
    expected = (np.array([3, 0, 1, 3, 2, 1, 3], np.uint32), np.array([0, 2, 4, 6, 6, 7]))
    left, right = (each.ravel() for each in np.indices((5, 5)))
    np.testing.assert_array_equal(
        _kernel.pairs(table, read, left, right, JACCARD),
        _kernel.pairs(table, expected, left, right, JACCARD),
    )


@pytest.mark.parametrize("threads", [1, 3])
def test_unmet_words_have_one_number_in_all_parts_of_a_long_list(lexicon, table, threads):
    texts = [f"cat w{n % 7} v{n % 3} {'l' * 20}{n % 2}" for n in range(10_000)]
    read = lexicon.read(texts, threads=threads)
    long = [f"{'l' * 20}{n}" for n in range(2)]
    assert sorted(read.missing_words()) == sorted(
        [f"w{n}" for n in range(7)] + ["v0", "v1", "v2", *long]
    )
    add(lexicon, read.missing_words(), np.arange(12) % 5 - 1)
    read.settle()
    numbers = np.arange(10_000)
    np.testing.assert_array_equal(
        _kernel.pairs(table, read, numbers, numbers[::-1].copy(), JACCARD),
        _kernel.pairs(table, lexicon.read(texts), numbers, numbers[::-1].copy(), JACCARD),
    )


def test_scripts_without_spaces_are_cut_by_a_vocabulary(lexicon):
    assert lexicon.read(["cat", "猫犬"]) is None
    assert lexicon.score("cat", "猫", JACCARD) is None
    words = "".join(["犬猫", "猫犬"]).encode()
    lexicon.segment_by(_kernel.Vocabulary(words, np.array([0, 6, 12])))
    assert lexicon.read(["cat", "猫犬犬 猫猫犬"]).missing_words() == ["猫犬", "犬", "猫"]
    assert lexicon.score("cat", "猫犬", JACCARD) is None
    add(lexicon, ["猫犬"], np.array([0]))
    assert lexicon.score("cat", "猫犬", JACCARD) == 1.0


def test_a_lexicon_without_a_splitting_takes_words_only(table):
    lexicon = _kernel.Lexicon(table, None)
    add(lexicon, ["cat"], np.array([3]))
    assert lexicon.read(["cat"]) is None
    assert lexicon.score(["cat"], ["cat"], JACCARD) == 1.0


@pytest.mark.parametrize("length", range(1, 40))
def test_words_of_any_length_are_told_apart(table, length):
    lexicon = _kernel.Lexicon(table, "whitespace")
    words = ["a" * length, "a" * (length - 1) + "b", "b" + "a" * (length - 1), "a" * length + "\0"]
    words = list(dict.fromkeys(words))
    add(lexicon, words, np.arange(len(words)))
    for i, one in enumerate(words):
        for j, other in enumerate(words):
            for left, right in ((one, other), ([one], [other]), (f"{one} ", [other])):
                assert lexicon.score(left, right, JACCARD) == float(i == j)


def test_read_texts_are_texts_of_the_table(lexicon, table):
    words = ["cat", "dog", "naïve"]
    lines = [" ".join(words[: 1 + n % 3] * (1 + n % 5)) for n in range(5_000)]
    arrays = [[0, 1, 2][: 1 + n % 3] * (1 + n % 5) for n in range(5_000)]
    offsets = np.cumsum([0, *map(len, arrays)])
    ids = np.concatenate(arrays).astype(np.uint32)
    left, right = np.arange(5_000), np.arange(5_000)[::-1].copy()
    expected = _kernel.pairs(table, (ids, offsets), left, right, JACCARD)
    for threads in (1, 3):
        read = lexicon.read(lines, threads=threads)
        assert len(read) == 5_000
        np.testing.assert_array_equal(_kernel.pairs(table, read, left, right, JACCARD), expected)


def test_rows_that_came_later_are_words_of_later_calls(lexicon, table):
    before = lexicon.read(["cat dog"])
    table.append(ROWS * 2)
    add(lexicon, ["bird", "cat"], np.array([7, 6]))  # a word stays what it was
    assert lexicon.score("bird cat", "bird cat", JACCARD) == 1.0
    np.testing.assert_array_equal(
        _kernel.pairs(table, before, np.array([0]), np.array([0]), JACCARD), [1.0]
    )


def test_a_search_takes_what_a_lexicon_has_read(table):
    documents = (np.array([0, 1, 1, 2], np.uint32), np.array([0, 2, 4]))
    corpus = _kernel.Corpus(table, documents, JACCARD)
    queries = _kernel.Table(ROWS[[3, 1]])
    lexicon = _kernel.Lexicon(queries, "chunks")
    add(lexicon, ["other", "dog"], np.array([0, 1]), np.array([-1, 1]))
    scores, found, _ = corpus.search(lexicon.read(["dog", "other", "other dog"]), 2)
    expected = corpus.search(
        (np.array([1, 0, 0, 1], np.uint32), np.array([0, 1, 2, 4])),
        2,
        table=queries,
        corpus_ids=np.array([-1, 1]),
    )
    np.testing.assert_array_equal(found, expected[1])
    np.testing.assert_array_equal(scores, expected[0])
    with pytest.raises(InputError, match="table and corpus_ids must be None"):
        corpus.search(lexicon.read(["dog"]), 2, table=queries)


@pytest.mark.parametrize(
    ("words", "places", "corpus_ids", "message"),
    [
        (["a"], [4], None, "places must be below the number of rows, 4; got 4"),
        (["a"], [-2], None, "places must be below"),
        (["a", "b"], [0], None, "the length of offsets must be that of chunks plus one, 3; got 2"),
        ([7], [0], None, "every text must be a str"),
        (["a"], [0], [0, 1], "the length of corpus_ids must be that of the table"),
        (["a"], [0], [0, 1, 2, -2], "corpus_ids must be -1 or"),
    ],
)
def test_what_does_not_fit_is_refused(lexicon, words, places, corpus_ids, message):
    known = None if corpus_ids is None else np.array(corpus_ids)
    with pytest.raises(InputError, match=message):
        add(lexicon, words, np.array(places), known)


def test_texts_must_be_strings_or_lists_of_them(lexicon, table):
    for wrong in (7, b"cat", ["cat", 7]):
        with pytest.raises(InputError, match="must be a str"):
            lexicon.score(wrong, "cat", JACCARD)
        with pytest.raises(InputError, match="must be a str"):
            lexicon.read([wrong])
    with pytest.raises(InputError, match="splitting must be"):
        _kernel.Lexicon(table, "moses")


def test_texts_of_another_table_are_refused_where_it_is_too_short(lexicon):
    with pytest.raises(InputError, match="below the number of words"):
        _kernel.pairs(
            _kernel.Table(ROWS[:1]),
            lexicon.read(["dog"]),
            np.array([0]),
            np.array([0]),
            JACCARD,
        )
