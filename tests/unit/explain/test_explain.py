"""Explanations are exact: shares add up, scores are the model's, formulas are the paper's."""

from __future__ import annotations

import json
from functools import cache
from unittest.mock import ANY

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fuzzbow
from fuzzbow.explain import Status
from fuzzbow.fuzzy import fuzzify
from fuzzbow.measures import MEASURES, Ability, compose, weighted_jaccard
from fuzzbow.text import Tokenizer

WORDS = ["a", "he", "she", "has", "had", "cat", "dog", "plane", "flew", "zebra", "zebras", "7", "8"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join)
# the numbers of one text in a sentence of ordinary words
SENTENCES = (
    ("The company paid 1,650 dollars for a zxqwv cat", "A firm gave $1,700 for the zxqwy kitten"),
    ("He has a cat", "She had one dog"),
    ("the the the cat", "The CAT; the cat!"),
    ("", "a cat"),
    ("zxqwv", "qqqqq"),
)
EXPLAINABLE = [name for name, made in MEASURES.items() if Ability.EXPLAIN in made.abilities]
COMPOSED = {
    "words of the query": compose(universe="query", similarity="tversky(0.3, 0.8)"),
    "weighted words over axes": compose(
        words="weighted", universe="identity", similarity="overlap"
    ),
    "weighted words over a vocabulary": compose(words="weighted", universe="vocabulary"),
    "whitened words": compose(words="whitened", similarity="tversky(0.7, 0.7)"),
    "set of words": compose(counting="set"),
    "bag of words": compose(counting="bag", similarity="cosine"),
    "cosine between words": compose(word_similarity="cosine", similarity="dice"),
    "weighted dimensions": compose(universe="identity", weights=[0.5, 2.0, 0.0, 1.0]),
    "bag over a universe": compose(universe="random", counting="bag", similarity="otsuka", seed=3),
    "a universe of one's own": compose(universe=[[1.0, 0, 0, 0], [0, 1, 1, 0]]),
}


@cache
def pets_model(measure: str) -> fuzzbow.Model:
    random = np.random.default_rng(7)
    vectors = fuzzbow.WordVectors.from_words(WORDS[:9], random.standard_normal((9, 4)))
    return fuzzbow.load(vectors, measure=COMPOSED.get(measure, measure))


def all_words(explanation):
    return (*explanation.left.words, *explanation.right.words)


def assert_sums(explanation, score):
    words = all_words(explanation)
    assert sum(word.share for word in words) == pytest.approx(explanation.score, abs=1e-6)
    assert sum(word.intersection for word in words) == pytest.approx(explanation.intersection)
    assert sum(word.union for word in words) == pytest.approx(explanation.union)
    assert explanation.score == pytest.approx(score, abs=1e-6)


@pytest.mark.parametrize("measure", [*EXPLAINABLE, *COMPOSED])
@given(a=TEXTS, b=TEXTS)
@settings(max_examples=10)
def test_shares_add_up_to_the_score_of_the_model(measure, a, b):
    model = pets_model(measure)
    if Ability.FIT in model.measure.abilities:
        model = model.fit([b, "a cat", "dog dog"])
    assert_sums(model.explain(a, b), model.similarity(a, b))


@pytest.mark.parametrize("measure", ["weighted-jaccard", "dynamax-otsuka", "max-dice"])
@pytest.mark.parametrize(("a", "b"), SENTENCES)
def test_shares_add_up_on_the_embedded_vectors(measure, a, b):
    model = fuzzbow.load(measure=measure)
    assert_sums(model.explain(a, b), model.similarity(a, b))


@given(a=st.text(), b=st.text())
def test_any_text_is_explained(model, a, b):
    explanation = model.explain(a, b)
    assert_sums(explanation, model.similarity(a, b))
    json.loads(explanation.to_json())
    assert explanation.to_html().count("<figure") == 1
    assert str(explanation)


def test_every_max_pooled_name_is_explained():
    kinds = ("max", "weighted", "records", "letters", "names", "fuzzy")
    assert [name for name in MEASURES if name.partition("-")[0].endswith(kinds)] == EXPLAINABLE


@pytest.mark.parametrize("similarity", ["jaccard", "otsuka", "dice", "cosine"])
@given(a=TEXTS, b=TEXTS)
def test_words_have_the_shares_of_the_formulas(similarity, a, b):
    model = pets_model(f"dynamax-{similarity}")
    known = [[word for word in text.split() if word in model.vectors] for text in (a, b)]
    X, Y = (np.array([model.vectors[word] for word in words]).reshape(-1, 4) for words in known)
    universe = np.concatenate([X, Y]).astype(np.float64)
    left, right = fuzzify(X.astype(float), universe), fuzzify(Y.astype(float), universe)
    overlap = left * right if similarity == "cosine" else np.minimum(left, right)
    whole = {
        "jaccard": np.maximum(left, right).sum(),
        "dice": (left.sum() + right.sum()) / 2,
        "otsuka": np.sqrt(left.sum() * right.sum()),
        "cosine": np.sqrt((left**2).sum() * (right**2).sum()),
    }[similarity]
    words = [word for word in all_words(model.explain(a, b)) if word.status is Status.KNOWN]
    assert [word.word for word in words] == [word for part in known for word in part]
    assert [word.membership_left for word in words] == pytest.approx(left.tolist())
    assert [word.membership_right for word in words] == pytest.approx(right.tolist())
    shares = overlap / whole if whole else np.zeros(len(words))
    assert [word.share for word in words] == pytest.approx(shares.tolist(), abs=1e-9)


@given(a=TEXTS, b=TEXTS)
def test_dimensions_have_the_shares_and_owners_of_the_formulas(a, b):
    model = pets_model("max-jaccard")
    explanation = model.explain(a, b, dimensions=4)
    vectors = [
        [model.vectors[w] if w in model.vectors else np.full(4, -1.0) for w in text.split()]
        for text in (a, b)
    ]
    rows = [np.array([*part, np.zeros(4)]).max(axis=0) for part in vectors]
    whole = np.maximum(*rows).sum()
    expected = np.minimum(*rows) / whole if whole else np.zeros(4)
    listed = {dimension.index: dimension for dimension in explanation.dimensions}
    assert sorted(listed) == np.flatnonzero(expected > 0).tolist()
    assert [d.share for d in explanation.dimensions] == sorted(
        (d.share for d in explanation.dimensions), reverse=True
    )
    for index, dimension in listed.items():
        assert dimension.share == pytest.approx(expected[index])
        for side, place in enumerate((dimension.owner_left, dimension.owner_right)):
            assert vectors[side][place][index] == pytest.approx(rows[side][index])


@given(a=TEXTS, b=TEXTS)
def test_a_match_is_the_most_similar_word_of_the_other_text(a, b):
    model = pets_model("dynamax-jaccard")
    explanation = model.explain(a, b)
    others = [word.word for word in explanation.right.words if word.word in model.vectors]
    for word in explanation.left.words:
        if word.word not in model.vectors:
            assert word.match is None
            continue
        products = [float(model.vectors[word.word] @ model.vectors[other]) for other in others]
        best = max(products, default=0.0)
        if best <= 0:
            assert (word.match, word.match_word, word.similarity) == (None, None, None)
        else:
            assert word.similarity == pytest.approx(best)
            assert explanation.right.words[word.match].word == word.match_word


def test_spans_are_where_the_words_stand(model):
    text = "Don't pay £1,650 – “He” said"
    explanation = model.explain(text, "")
    spans = [text[word.start : word.end] for word in explanation.left.words]
    assert spans == ["Do", "n't", "pay", "£1,650", "£1,650", "–", "“", "He", "”", "said"]
    assert [word.word for word in explanation.left.words][-2:] == ['"', "said"]


NOTES = [  # measure, text, the other text, and for each word: status, match, part of its note
    (
        "weighted-jaccard", "zxqwv 1,650 7777777 cat", "zxqwy 1,700",
        [("unknown", "zxqwy", "letters"), ("number", ANY, "other numbers"),
         ("number", ANY, "letters"), ("known", ANY, "")],
    ),
    (
        weighted_jaccard(numbers=False, unknown=False), "2010 zxqwv", "2009",
        [("known", "2009", ""), ("unknown", None, "no vector: left out")],
    ),
    (
        "dynamax-jaccard", "zxqwv cat", "a dog",
        [("unknown", None, "no vector: left out"), ("known", ANY, "")],
    ),
    (
        compose(counting="set"), "cat cat", "dog",
        [("known", ANY, ""), ("known", None, "repeated: counted with its first occurrence")],
    ),
    ("max-jaccard", "the the", "dog", [("known", ANY, ""), ("known", ANY, "owns no dimension")]),
]  # fmt: skip


@pytest.mark.parametrize(("measure", "text", "other", "expected"), NOTES)
def test_words_say_how_they_were_treated(measure, text, other, expected):
    words = fuzzbow.load(measure=measure).explain(text, other).left.words
    for word, (status, match, note) in zip(words, expected, strict=True):
        assert (word.status.value, bool(word.note)) == (status, bool(note))
        assert note in word.note
        assert word.match_word == match
        assert status != "unknown" or word.weight in (1.0, None)
        assert (word.union > 0) is not note.startswith(("no vector", "repeated", "owns"))


def test_dimensions_are_named_by_the_vocabulary_or_the_words_near_them(model):
    explanation = fuzzbow.load(measure="vocabmax-jaccard", limit=3000).explain("a cat", "a dog")
    assert (explanation.dimension_count, len(explanation.dimensions)) == (3000, 20)
    assert all(d.name == model.vectors.words[d.index] for d in explanation.dimensions)
    found = model.with_measure("max-jaccard").explain("a cat", "a dog", dimensions=1)
    matrix = model.vectors.matrix[:20_000]
    cosines = matrix[:, found.dimensions[0].index] / np.linalg.norm(matrix, axis=1)
    assert found.dimensions[0].nearest[0] == model.vectors.words[int(cosines.argmax())]


def test_words_made_of_parts_say_so():
    class Letters:
        def infer(self, words):
            return np.ones((len(words), 4), dtype=np.float32), np.ones(len(words), dtype=np.bool_)

    vectors = fuzzbow.WordVectors.from_words(["cat"], [[1.0, 0, 0, 0]], inference=Letters())
    word = fuzzbow.load(vectors, measure="dynamax-jaccard").explain("catlike", "cat").left.words[0]
    assert word.status is Status.KNOWN
    assert "made of its parts" in word.note


@pytest.mark.parametrize("measure", ["wmd", "avg-cosine", "dynasum-jaccard", "set-jaccard"])
def test_other_measures_are_refused_by_name(measure):
    with pytest.raises(fuzzbow.InputError, match=f"{measure} cannot be explained"):
        fuzzbow.load(measure=measure).explain("a cat", "a dog")


def test_bad_input(model):
    with pytest.raises(fuzzbow.InputError, match="b must be a string; got int"):
        model.explain("a", 5)
    with pytest.raises(fuzzbow.InputError, match="at least 0; got -1"):
        model.explain("a", "b", dimensions=-1)


def test_a_tokenizer_must_give_a_span_for_each_word():
    class Broken(Tokenizer):
        name = "broken"

        def words(self, text):
            return text.split()

        def spans(self, text):
            return []

    with pytest.raises(fuzzbow.InputError, match="a span for each word; got 0 spans and 2 words"):
        fuzzbow.load(tokenizer=Broken()).explain("a cat", "a dog")


def test_a_tokenizer_that_invents_words_is_explained():
    model = fuzzbow.load(tokenizer=lambda text: [*text.split(), "cat", ""])
    explanation = model.explain("the dog", "a plane")
    assert [word.word for word in explanation.left.words] == ["the", "dog", "cat"]
    assert_sums(explanation, model.similarity("the dog", "a plane"))
    assert "dog</span>" in explanation.to_html()
