from __future__ import annotations

import numpy as np
import pytest

import fuzzbow
from fuzzbow.measures import MEASURES, compose

# words without a vector belong to weighted-jaccard alone, so a text needs one known word
ODD_TEXTS = [
    "",
    "   ",
    "zzzz qqqq",
    "😀😀",
    "x" * 1_000_000,
    "\ud800",
    "a\x00b",
    "cat\u202e dog",
    "\n\t",
]


@pytest.fixture(scope="module")
def model():
    return fuzzbow.load("default")


@pytest.fixture
def dynamax(pets):
    return fuzzbow.load(pets, measure="dynamax-jaccard")


def test_two_sentences_without_a_common_word_are_alike():
    near = fuzzbow.similarity("He has a cat", "She had one dog")
    far = fuzzbow.similarity("He has a cat", "The airplane landed at noon")
    assert 0 < far < near < 1


def test_similarity_is_a_float(model):
    assert type(model.similarity("a cat", "a dog")) is float


def test_one_pair_still_gives_an_array(model):
    assert model.pairs(["a cat"], ["a dog"]).shape == (1,)


def test_no_pairs_give_an_empty_array(model):
    assert model.pairs([], []).shape == (0,)


def test_empty_matrix_keeps_its_shape(model):
    assert model.matrix([], ["a"]).shape == (0, 1)
    assert model.matrix(["a"], []).shape == (1, 0)


def test_matrix_without_columns_compares_rows_with_rows(model):
    texts = ["a cat", "a dog", "a cat"]
    np.testing.assert_array_equal(model.matrix(texts), model.matrix(texts, texts))


def test_repeated_texts_are_scored_once(pets):
    calls = []

    class Spy:
        name = "spy"

        def pairs(self, texts, left, right):
            calls.append((len(texts.rows), len(left)))
            return np.zeros(len(left))

        def matrix(self, texts, rows, columns):
            calls.append((len(texts.rows), len(rows), len(columns)))
            return np.zeros((len(rows), len(columns)))

    spied = fuzzbow.load(pets, measure=Spy())
    spied.pairs(["cat", "cat", "dog"], ["dog", "dog", "cat"])
    spied.matrix(["cat", "cat"], ["dog", "dog", "cat"])
    assert calls == [(2, 2), (2, 1, 2)]


def test_repeated_texts_get_their_scores_back(dynamax):
    scores = dynamax.pairs(["cat", "dog", "cat"], ["dog", "plane", "dog"])
    assert scores[0] == scores[2] == dynamax.similarity("cat", "dog")
    assert scores[1] == dynamax.similarity("dog", "plane")


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_odd_texts_give_a_number(model, text):
    scores = model.pairs([text, "a cat"], ["a cat", text])
    assert np.isfinite(scores).all()
    assert ((scores >= 0) & (scores <= 1)).all()


@pytest.mark.parametrize("text", [text for text in ODD_TEXTS if text.strip()])
def test_odd_texts_with_words_are_like_themselves(model, text):
    assert model.similarity(text, text) == 1.0


def test_unknown_words_only_score_zero(dynamax):
    assert dynamax.similarity("zzzz", "cat") == 0.0
    assert dynamax.similarity("zzzz", "zzzz") == 0.0


def test_case_does_not_matter_where_the_vocabulary_is_lower_cased(dynamax):
    assert dynamax.similarity("CAT", "dog") == dynamax.similarity("cat", "dog")


def test_original_case_is_tried_after_lower_case():
    letters = "abcdefghijklmnopqrst"
    words = [a + b + c for a in letters for b in letters for c in "aeiou"] + ["NASA"]
    vectors = fuzzbow.WordVectors.from_words(words, np.ones((len(words), 2)))
    assert vectors.lowercase
    assert fuzzbow.load(vectors, measure="dynamax-jaccard").coverage(["NASA"]) == 1.0


def test_lower_case_is_tried_after_original_case_in_a_cased_vocabulary():
    model = fuzzbow.load({"Cat": [1.0, 0.0], "dog": [0.0, 1.0]}, measure="dynamax-jaccard")
    assert model.coverage(["DOG"]) == 1.0
    assert model.coverage(["CAT"]) == 0.0


def test_coverage_counts_words_of_every_text(dynamax):
    assert dynamax.coverage(["a cat zzzz", "a cat zzzz", "dog"]) == pytest.approx(5 / 7)


def test_coverage_of_nothing_is_zero(dynamax):
    assert dynamax.coverage([]) == 0.0


def test_attributes_that_people_reach_for(dynamax, pets):
    assert dynamax.vectors.words[5] == "cat"
    assert dynamax.vectors.matrix.shape == (9, 4)
    assert dynamax.measure.name == "dynamax-jaccard"
    assert dynamax.tokenizer.name == "words"


def test_a_model_takes_texts_from_arrow_and_numpy(dynamax):
    pa = pytest.importorskip("pyarrow")
    expected = dynamax.pairs(["cat", "dog"], ["dog", "plane"])
    found = dynamax.pairs(pa.array(["cat", "dog"]), np.array(["dog", "plane"]))
    np.testing.assert_array_equal(found, expected)


def test_inferred_words_take_part(pets):
    class Spelling:
        def infer(self, words):
            return np.ones((len(words), 4), dtype=np.float32), np.array(
                [word == "kitten" for word in words]
            )

    vectors = fuzzbow.WordVectors.from_words(pets.words, pets.matrix, inference=Spelling())
    model = fuzzbow.load(vectors, measure="dynamax-jaccard", weights="sif")
    assert model.similarity("kitten", "kitten") == 1.0
    assert model.coverage(["kitten zzzz"]) == 0.5


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.pairs(["a"], ["b", "c"]), "equal length; got 1 and 2"),
        (lambda m: m.pairs(["a", 5], ["b", "c"]), "item 1 is int"),
        (lambda m: m.pairs("ab", ["a", "b"]), "must be a list of strings; got str"),
        (lambda m: m.matrix(["a"], [1.5]), "columns must hold strings; item 0 is float"),
        (lambda m: m.matrix(7), "must be a list of strings; got int"),
        (lambda m: m.similarity("a", b"b"), "b must be a string; got bytes"),
        (lambda m: m.coverage("text"), "must be a list of strings"),
    ],
)
def test_bad_texts_are_refused(dynamax, call, message):
    with pytest.raises(fuzzbow.InputError, match=message):
        call(dynamax)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": "wmdd"}, "did you mean 'wmd'"),
        ({"weights": "siff"}, "did you mean 'sif'"),
        ({"tokenizer": "word"}, "did you mean 'words'"),
        ({"limit": 0}, "limit must be at least 1"),
        ({"counts": "nope"}, "counts must be .*; got 'nope'"),
        ({"counts": 5}, "counts must be .*; got '5'"),
        ({"counts": {"cat": -1}}, "counts must be numbers from 0 on; got -1 for 'cat'"),
        ({"counts": {"cat": "many"}}, "counts must be numbers from 0 on; got 'many' for 'cat'"),
        ({"counts": {"no such word": 1}}, "at least one word of the vocabulary"),
    ],
)
def test_bad_choices_are_refused(pets, options, message):
    with pytest.raises(fuzzbow.InputError, match=message):
        fuzzbow.load(pets, **options)


def test_bad_names_of_vectors_suggest_the_nearest():
    with pytest.raises(fuzzbow.InputError, match="glove-6b-50d"):
        fuzzbow.load("glove-6b-50")


def test_vocabulary_universe_in_small_blocks_gives_the_same(pets, monkeypatch):
    model = fuzzbow.load(pets, measure=compose(universe="vocabulary"))
    texts = ["cat dog", "a plane", "she flew", "zzzz", "he had a dog"]
    expected = model.matrix(texts)
    pairs = model.pairs(texts, texts[::-1])
    monkeypatch.setattr("fuzzbow.measures.fixed.measure.ROW_BUDGET", 1)
    np.testing.assert_allclose(model.matrix(texts), expected, atol=1e-15)
    np.testing.assert_allclose(model.pairs(texts, texts[::-1]), pairs, atol=1e-15)


@pytest.mark.filterwarnings("ignore::fuzzbow.FuzzbowWarning")
@pytest.mark.parametrize("name", MEASURES)
def test_a_vector_of_zeros_does_no_harm(name):
    if name == "wmd":
        pytest.importorskip("ot")
    vectors = {"cat": [1.0, 0.5], "dog": [0.8, 0.7], "nil": [0.0, 0.0], "sun": [-1.0, 0.3]}
    scores = fuzzbow.load(vectors, measure=name).matrix(["cat nil", "nil", "dog", "sun nil cat"])
    assert np.isfinite(scores).all()
