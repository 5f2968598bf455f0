from __future__ import annotations

import pickle

import numpy as np
import pytest

import fuzzbow
from fuzzbow.fuzzy import Pooling, fuzzify, random_universe
from fuzzbow.measures import MEASURES, compose

# words without a vector belong to weighted-jaccard alone, so a text needs one known word
ODD_TEXTS = [
    *("", "   ", "zzzz qqqq", "😀😀", "x" * 1_000_000),
    *("\ud800", "a\x00b", "cat\u202e dog", "\n\t"),
]


@pytest.fixture
def dynamax(pets):
    return fuzzbow.load(pets, measure="dynamax-jaccard")


def test_two_sentences_without_a_common_word_are_alike():
    near = fuzzbow.similarity("He has a cat", "She had one dog")
    far = fuzzbow.similarity("He has a cat", "The airplane landed at noon")
    assert 0 < far < near < 1


def test_shapes_do_not_depend_on_the_number_of_texts(model):
    assert type(model.similarity("a cat", "a dog")) is float
    assert model.pairs(["a cat"], ["a dog"]).shape == (1,)
    assert model.pairs([], []).shape == (0,)
    assert model.matrix([], ["a"]).shape == (0, 1)
    assert model.matrix(["a"], []).shape == (1, 0)
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


def test_pairs_of_repeated_unknown_and_upper_case_words_from_any_column(dynamax):
    pa = pytest.importorskip("pyarrow")
    lefts, rights = ["cat", "dog", "cat", "zzzz", "zzzz"], ["dog", "plane", "dog", "cat", "zzzz"]
    scores = dynamax.pairs(lefts, rights)
    assert scores[0] == scores[2] == dynamax.similarity("CAT", "dog")
    assert scores[1] == dynamax.similarity("dog", "plane")
    assert scores[3] == scores[4] == 0.0
    np.testing.assert_array_equal(dynamax.pairs(pa.array(lefts), np.array(rights)), scores)


def test_either_case_is_tried_after_the_usual_one_of_the_vocabulary():
    letters = "abcdefghijklmnopqrst"
    words = [a + b + c for a in letters for b in letters for c in "aeiou"] + ["NASA"]
    vectors = fuzzbow.WordVectors.from_words(words, np.ones((len(words), 2)))
    assert vectors.lowercase
    assert fuzzbow.load(vectors, measure="dynamax-jaccard").coverage(["NASA"]) == 1.0
    model = fuzzbow.load({"Cat": [1.0, 0.0], "dog": [0.0, 1.0]}, measure="dynamax-jaccard")
    assert (model.coverage(["DOG"]), model.coverage(["CAT"])) == (1.0, 0.0)


def test_coverage_counts_words_of_every_text(dynamax):
    assert dynamax.coverage(["a cat zzzz", "a cat zzzz", "dog"]) == pytest.approx(5 / 7)
    assert dynamax.coverage([]) == 0.0


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_odd_texts_give_a_number_and_are_like_themselves(model, text):
    scores = model.pairs([text, "a cat"], ["a cat", text])
    assert np.isfinite(scores).all()
    assert ((scores >= 0) & (scores <= 1)).all()
    assert model.similarity(text, text) == bool(text.strip())


def test_attributes_that_people_reach_for(dynamax):
    assert (dynamax.vectors.words[5], dynamax.vectors.matrix.shape) == ("cat", (9, 4))
    assert (dynamax.measure.name, dynamax.tokenizer.name) == ("dynamax-jaccard", "words")


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
    ("method", "arguments", "message"),
    [
        ("pairs", (["a"], ["b", "c"]), "equal length; got 1 and 2"),
        ("pairs", (["a", 5], ["b", "c"]), "item 1 is int"),
        ("matrix", (["a"], [1.5]), "columns must hold strings; item 0 is float"),
        ("matrix", (7,), "must be a list of strings; got int"),
        ("similarity", ("a", b"b"), "b must be a string; got bytes"),
        ("coverage", ("text",), "must be a list of strings; got str"),
    ],
)
def test_bad_texts_are_refused(dynamax, method, arguments, message):
    with pytest.raises(fuzzbow.InputError, match=message):
        getattr(dynamax, method)(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": "wmdd"}, "did you mean 'wmd'"),
        ({"weights": "siff"}, "did you mean 'sif'"),
        ({"tokenizer": "word"}, "did you mean 'words'"),
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


def test_vocabulary_universe_in_small_blocks_gives_the_same(pets, monkeypatch):
    model = fuzzbow.load(pets, measure=compose(universe="vocabulary"))
    texts = ["cat dog", "a plane", "she flew", "zzzz", "he had a dog"]
    expected = model.matrix(texts)
    pairs = model.pairs(texts, texts[::-1])
    monkeypatch.setattr("fuzzbow.measures.fixed.ROW_BUDGET", 1)
    np.testing.assert_allclose(model.matrix(texts), expected, atol=1e-15)
    np.testing.assert_allclose(model.pairs(texts, texts[::-1]), pairs, atol=1e-15)


@pytest.mark.filterwarnings("ignore::fuzzbow.errors.FuzzbowWarning")
@pytest.mark.parametrize("name", MEASURES)
def test_a_vector_of_zeros_does_no_harm(name):
    if name == "wmd":
        pytest.importorskip("ot")
    vectors = {"cat": [1.0, 0.5], "dog": [0.8, 0.7], "nil": [0.0, 0.0], "sun": [-1.0, 0.3]}
    scores = fuzzbow.load(vectors, measure=name).matrix(["cat nil", "nil", "dog", "sun nil cat"])
    assert np.isfinite(scores).all()


TEXTS = ["a cat", "she had a dog", "", "zzz", "a cat", "a plane flew"]


@pytest.mark.parametrize("pooling", ["max", "avg", "sum", "min"])
def test_a_row_is_the_membership_of_every_element(pets, pooling):
    measure = compose(universe="random", size=6, seed=3, pooling=pooling)
    rows = fuzzbow.load(pets, measure=measure, engine="reference").encode(TEXTS)
    universe = random_universe(pets.dimension, size=6, seed=3)
    for row, text in zip(rows, TEXTS, strict=True):
        known = pets.ids(text.split())
        words = pets.rows(known[known >= 0]).astype(np.float64)
        wanted = fuzzify(words, universe, pooling=Pooling(pooling))
        assert row == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("universe", ["k-means", "principal-axes", "random", np.eye(4)[:3]])
def test_a_composed_model_can_be_pickled(pets, universe):
    model = fuzzbow.load(pets, measure=compose(universe=universe, size=3))
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert again.encode(TEXTS).tolist() == model.encode(TEXTS).tolist()
    if isinstance(universe, np.ndarray):
        assert model.measure.element_names() == ["element 0", "element 1", "element 2"]


def test_a_model_without_rows_encodes_by_the_mean_of_its_words(model):
    rows = model.encode(TEXTS)
    assert rows.dtype == np.float32
    np.testing.assert_array_equal(rows, fuzzbow.load(measure="avg-cosine").encode(TEXTS))
    assert not rows[2].any()
    assert model.encode([]).shape == (0, model.vectors.dimension)
    shown = "Model('weighted-jaccard', vectors='default' (96000 × 128), tokenizer='words')"
    assert repr(model) == shown


def test_the_cosine_of_rows_is_near_to_the_score(model):
    lefts = ["a cat sat on a mat", "stocks fell", "the boy ran home", "a dog barked"]
    rights = ["a kitten on a rug", "shares dropped", "prices rose in May", "a dog barked"]
    a, b = model.encode(lefts), model.encode(rights)
    cosines = (a * b).sum(axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    assert np.argsort(cosines).tolist() == np.argsort(model.pairs(lefts, rights)).tolist()
