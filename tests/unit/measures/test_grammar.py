"""The grammar of measures and their abilities, and the measure of names."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
import pytest

import fuzzbow
from fuzzbow.fuzzy import SET_SIMILARITIES, SetSimilarity
from fuzzbow.measures import MEASURES, Ability, Factory, Measure, compose
from fuzzbow.measures.registry import composed, names_with, prefixes_of
from fuzzbow.measures.words import WORDS, PlainWords, WeightedWords

LEFT, RIGHT = "a cat sat on the mat", "the dog sat near a cat"


def table(words: str, text: str) -> tuple[np.ndarray, np.ndarray]:
    """Vectors and weights of a text's words, one row each."""
    model = fuzzbow.load(measure=compose(words=words), engine="reference")
    batch, which = model.encoder.encode([text])
    made, bags = model.measure.prepare(batch)
    row = bags.rows[int(which[0])]
    weights = np.ones(len(row)) if made.weights is None else made.weights[row]
    return made.vectors[row], weights


@pytest.mark.parametrize("similarity", SET_SIMILARITIES)
def test_weighted_measures_are_the_formula_over_weighted_elements(similarity):
    (X, left), (Y, right) = table("weighted", LEFT), table("weighted", RIGHT)
    query = similarity == "coverage"  # which is over the words of the query alone
    expected = fuzzbow.set_similarity(
        X,
        Y,
        universe="query" if query else "dynamic",
        similarity=similarity,
        weights=left if query else np.concatenate([left, right]),
    )
    model = fuzzbow.load(measure=f"weighted-{similarity}")
    assert model.similarity(LEFT, RIGHT) == pytest.approx(expected, abs=1e-5)


def test_whitened_words_are_weighted_words_at_the_root_of_their_weights():
    (unit, weights), (whitened, ones) = table("weighted", LEFT), table("whitened", LEFT)
    np.testing.assert_allclose(whitened, unit * np.sqrt(weights)[:, None], atol=1e-12)
    assert (ones == 1).all()


@pytest.mark.parametrize("name", ["dynamax-jaccard", "avg-cosine", "max-dice", "soft-cosine"])
def test_weights_whitened_are_whitened_words_under_any_measure(name):
    X, Y = table("whitened", LEFT)[0], table("whitened", RIGHT)[0]
    rows = {f"word{place}": row for place, row in enumerate([*X, *Y])}
    first, second = " ".join(list(rows)[: len(X)]), " ".join(list(rows)[len(X) :])
    by_hand = fuzzbow.load(rows, measure=name, tokenizer="whitespace", engine="reference")
    found = fuzzbow.load(measure=name, weights="whitened", engine="reference")
    assert found.similarity(LEFT, RIGHT) == pytest.approx(
        by_hand.similarity(first, second), abs=1e-6
    )


def test_weighted_words_over_a_vocabulary_weigh_its_elements():
    measure = compose(words="weighted", universe="vocabulary", similarity="dice")
    model = fuzzbow.load(measure=measure, limit=400)
    words = WeightedWords(model.space, model.measure.engine)
    X, Y = (words.vectors(model.encoder.encode([text])[0])[0] for text in ("the year", "a state"))
    expected = fuzzbow.set_similarity(
        X,
        Y,
        universe=words.vocabulary_matrix(),
        similarity="dice",
        weights=words.vocabulary_weights(),
    )
    assert model.similarity("the year", "a state") == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("words", WORDS)
def test_words_refuse_weights_of_the_model_beside_their_own(words):
    refused = [kind for kind in ("sif", "usif", "whitened") if kind not in _names(words)]
    for kind in refused:
        with pytest.raises(fuzzbow.InputError, match="weighs words by itself"):
            fuzzbow.load(measure=compose(words=words), weights=kind)


def _names(words: str) -> list[str]:
    return [kind.value for kind in WORDS[words].scalings]


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_can_do_what_its_factory_says(name):
    model = fuzzbow.load(measure=name, limit=300)
    assert model.measure.abilities == MEASURES[name].abilities


def test_every_max_pooled_measure_is_searched_and_explained_and_joined_if_symmetric():
    kinds = ("max", "weighted", "records", "letters", "names")
    composed = [name for name in MEASURES if name.partition("-")[0].endswith(kinds)]
    for name in composed:
        wanted = {Ability.SEARCH, Ability.EXPLAIN}
        dynamic = name.startswith(("dyna", "weighted", "records", "letters", "names"))
        wanted |= set() if dynamic else {Ability.MEMBERSHIPS}
        wanted |= set() if name.endswith("coverage") else {Ability.JOIN}
        assert MEASURES[name].abilities == wanted, name


def test_what_a_measure_cannot_do_is_refused_with_those_that_can():
    model = fuzzbow.load(measure="bag-jaccard")
    with pytest.raises(fuzzbow.InputError, match=r"bag-jaccard cannot be searched.*dynamax-\*"):
        model.index(["a cat"])
    with pytest.raises(fuzzbow.InputError, match=r"cannot be explained; these can: weighted-\*"):
        model.explain("a", "b")
    with pytest.raises(fuzzbow.InputError, match=r"cannot find duplicates.*sif-pca"):
        model.duplicates(["a"])
    with pytest.raises(fuzzbow.InputError, match="depends on the order of the two texts"):
        fuzzbow.load(measure="weighted-coverage").duplicates(["a cat", "a dog"])


def test_names_are_shortened_where_a_whole_prefix_is_able():
    assert "dynamax-*" in names_with(Ability.EXPLAIN)
    assert "weighted-jaccard" in names_with(Ability.JOIN)  # not weighted-*: coverage cannot
    assert names_with(Ability.FIT) == ["fuzzy-bm25", "sif-pca"]


def test_a_set_similarity_is_a_formula_and_its_denominator():
    halved = SetSimilarity("halved", "shared / (left size + right size)", lambda _, a, b: a + b)
    toy = fuzzbow.load(measure=compose(similarity=halved), engine="reference")
    dice = fuzzbow.load(measure="dynamax-dice", engine="reference")
    assert toy.similarity(LEFT, RIGHT) == pytest.approx(dice.similarity(LEFT, RIGHT) / 2)
    assert toy.explain(LEFT, RIGHT).score == pytest.approx(toy.similarity(LEFT, RIGHT))


@dataclass(frozen=True)
class OppositeWords(PlainWords):
    """A toy: every vector turned round, which no product of two notices."""

    name = "opposite"

    def prepare(self, texts, precision, trigram_ids):
        made, rows = super().prepare(texts, precision, trigram_ids)
        return type(made)(-made.vectors), rows


def test_a_maker_of_words_is_a_class_that_prepares_a_table_and_names_its_measures(monkeypatch):
    monkeypatch.setattr(OppositeWords, "names_measures", True)
    monkeypatch.setitem(WORDS, "opposite", OppositeWords)
    made = composed(prefixes_of({"opposite": OppositeWords}))
    assert list(made) == [f"opposite-{name}" for name in SET_SIMILARITIES]
    plain = fuzzbow.load(measure="dynamax-jaccard")
    for measure in (compose(words="opposite"), made["opposite-jaccard"]):
        toy = fuzzbow.load(measure=measure)
        assert toy.similarity(LEFT, RIGHT) == plain.similarity(LEFT, RIGHT)
        assert toy.index([RIGHT, "a plane", LEFT]).search(LEFT, k=1)[0].text == LEFT


class Constant(Measure):
    """A toy baseline: everything is alike."""

    name = "constant"

    def pairs(self, texts, left, right):
        return np.ones(len(left))

    def matrix(self, texts, rows, columns):
        return np.ones((len(rows), len(columns)))


def test_a_baseline_is_a_name_pairs_and_matrix(monkeypatch):
    monkeypatch.setitem(MEASURES, "constant", Factory(lambda space, engine: Constant()))
    model = fuzzbow.load(measure="constant")
    assert model.similarity("a", "b") == 1.0
    with pytest.raises(fuzzbow.InputError, match="constant cannot be searched"):
        model.index(["a"])


@pytest.mark.parametrize(
    "parts",
    [{"similarity": "tversky(2)"}, {"words": "white"}, {"universe": "queries"}, {"pooling": "mid"}],
)
def test_parts_that_do_not_exist_are_refused(parts):
    with pytest.raises(fuzzbow.InputError, match=f"{next(iter(parts))} must be one of"):
        compose(**parts)


NAMES = ["John", "Jon", "J.", "Mary", "Marie", "Smith", "Smyth", "Müller", "Mueller", "Lee", "de"]


@pytest.fixture(scope="module")
def model():
    return fuzzbow.load(purpose="names")


SAME = {
    "Jon Smith": "John Smyth",
    "Catherine Jones": "Katherine Jones",
    "Jürgen Müller": "Juergen Mueller",
    "Fyodor Dostoevsky": "Fedor Dostoyevsky",
    "Smith, John A.": "Dr. John Smith",
}
DIFFERENT = [
    ("John Smith", "Mary Smith"),
    ("John Smith", "John Miller"),
    ("Anna Schmidt", "Hanna Schmitz"),
    ("Paul Newman", "Pauline Neumann"),
    ("Kim Lee", "Tim Lee"),
]


def test_spellings_of_one_name_score_high_and_different_people_low(model):
    assert model.join_threshold == 0.75
    assert model.pairs(list(SAME), list(SAME.values())).min() >= 0.75
    assert model.pairs(*map(list, zip(*DIFFERENT, strict=True))).max() <= 0.7


def test_an_initial_is_like_a_name_that_it_begins(model):
    right, wrong = (model.similarity(name, "John Smith") for name in ("J. Smith", "M. Smith"))
    assert 0.6 <= wrong < right < 1
    assert model.similarity("J.", "John") > 0 == model.similarity("M.", "John")


def test_only_whole_names_weigh_fully(model):
    by_weight = {item.word: item.weight for item in model.explain("J. de Gray", "Jo").left.words}
    assert by_weight == {"j": 0.25, "de": 0.5, "gray": 1.0}


def test_a_collection_makes_frequent_names_count_less():
    people = ["John Smith", "John Miller", "John Gray", "Mary Smyth"]
    general, fitted = (
        fuzzbow.load(purpose="names", **counts) for counts in ({}, {"counts": "collection"})
    )
    pair = ("John Smyth", "Mary Smyth")
    assert fitted.fit(people).similarity(*pair) > general.similarity(*pair)


def test_engines_agree_and_search_and_duplicates_are_exact(model):
    chosen = random.Random(5)
    people = [" ".join(chosen.choices(NAMES, k=chosen.randint(0, 4))) for _ in range(150)]
    scores = model.matrix(people, people)
    reference = fuzzbow.load(purpose="names", engine="reference")
    np.testing.assert_allclose(scores, reference.matrix(people, people), atol=1e-5)
    index = model.index(people)
    for row in range(0, len(people), 15):
        found = index.search(people[row], k=5)
        np.testing.assert_allclose([hit.score for hit in found], np.sort(scores[row])[::-1][:5])


def test_scores_do_not_depend_on_lists_of_frequencies(model):
    words = model.measure.words
    assert words.identity()["frequencies"] is None
    assert "whole name" in words.identity()["constants"]
