"""Similarity of words by letters, weighted by rarity, with vectors, and of codes in records."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import fuzzbow
from fuzzbow.measures import compose
from fuzzbow.measures.space import letter_vectors
from fuzzbow.text import trigrams
from tests.kernel.oracle import edit_distance

TEXTS = ["der Hund schläft", "die Hunde schlafen", "der Zug kommt", "", "1 Zug", "2 Züge"]


def oracle(a: str, b: str, weigh) -> float:
    """The similarity of two texts by definition, with Jaccard."""
    A, B = sorted(set(a.lower().split())), sorted(set(b.lower().split()))

    def alike(u: str, v: str) -> float:
        if u == v:
            return 1.0
        if u.isdigit() and v.isdigit():
            return 0.0
        x, y = trigrams(u), trigrams(v)
        edits, longer = edit_distance(tuple(u), tuple(v)), max(len(u), len(v))
        dice = 2 * len(x & y) / (len(x) + len(y))
        compared = len(x & y) > 0 and min(len(u), len(v)) >= 4 and 10 * edits <= 3 * longer
        return max(dice, 1 - 1.2 * edits / longer) if compared else dice

    def member(word: str, text: list[str]) -> float:
        return max(alike(word, other) for other in text)

    universe = [*A, *B]
    shared = sum(weigh(u) * min(member(u, A), member(u, B)) for u in universe)
    return shared / sum(weigh(u) * max(member(u, A), member(u, B)) for u in universe)


COUNTS = {"der": 90.0, "die": 60.0, "zug": 1.0, "hund": 0.5, "other": 9848.5}


def idf(word: str) -> float:
    found = sum(word in text.lower().split() for text in TEXTS)
    return float(np.log(1 + (len(TEXTS) - found + 0.5) / (found + 0.5)))


def rarity(word: str) -> float:
    return 1e-4 / (1e-4 + COUNTS.get(word, 0.0) / 10_000)


@pytest.fixture
def without_wordfreq(monkeypatch):
    monkeypatch.setitem(sys.modules, "wordfreq", None)


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_words_are_compared_by_their_letters_and_weigh_as_much_as_they_are_rare(engine):
    model = fuzzbow.load(measure="letters-jaccard", engine=engine, counts=COUNTS, language="de")
    for a, b in (TEXTS[:2], TEXTS[1:3], TEXTS[4:6]):
        assert model.similarity(a, b) == pytest.approx(oracle(a, b, rarity), abs=1e-6)


def test_without_a_list_a_word_weighs_by_its_length_and_a_warning_says_how_to_get_one(
    without_wordfreq,
):
    model = fuzzbow.load(measure="letters-jaccard", language="de")
    with pytest.warns(fuzzbow.errors.FuzzbowWarning, match=r'pip install "fuzzbow\[wordfreq\]"'):
        score = model.similarity(*TEXTS[:2])
    expected = oracle(*TEXTS[:2], lambda word: min(len(word), 8) / 8)
    assert score == pytest.approx(expected, abs=1e-6)


@pytest.mark.filterwarnings("error")
def test_without_a_list_the_collection_counts_twice(without_wordfreq):
    model = fuzzbow.load(measure="letters-jaccard", counts="collection", language="de").fit(TEXTS)
    for a, b in (TEXTS[:2], TEXTS[1:3], TEXTS[4:6]):
        expected = oracle(a, b, lambda word: idf(word) ** 2)
        assert model.similarity(a, b) == pytest.approx(expected, abs=1e-6)


def test_a_collection_multiplies_the_rarity_of_the_language(monkeypatch):
    package = ModuleType("wordfreq")
    package.available_languages = lambda wordlist: {"de": ""}
    package.get_frequency_dict = lambda language, wordlist: {
        word: count / 10_000 for word, count in COUNTS.items()
    }
    monkeypatch.setitem(sys.modules, "wordfreq", package)
    model = fuzzbow.load(measure="letters-jaccard", counts="collection", language="de").fit(TEXTS)
    for a, b in (TEXTS[:2], TEXTS[1:3], TEXTS[4:6]):
        expected = oracle(a, b, lambda word: rarity(word) * idf(word))
        assert model.similarity(a, b) == pytest.approx(expected, abs=1e-6)


def test_coverage_is_how_much_of_the_first_text_the_second_holds():
    model = fuzzbow.load(measure="letters-coverage", counts=COUNTS)
    assert model.similarity("Hunde", "ein Zug und viele Hunde") == 1.0
    assert model.similarity("ein Zug und viele Hunde", "Hunde") < 0.5


def test_vectors_decide_nothing():
    words = ["hund", "katze"]
    alike = fuzzbow.WordVectors.from_words(words, [[1.0, 0.0], [1.0, 0.0]])
    different = fuzzbow.WordVectors.from_words(words, [[1.0, 0.0], [0.0, 1.0]])
    one, other = (
        fuzzbow.load(vectors, measure="letters-dice").similarity("Hund", "Katze Hunde")
        for vectors in (alike, different)
    )
    assert one == other


def test_a_universe_that_needs_vectors_is_refused():
    measure = compose(words="letters", universe="vocabulary")
    with pytest.raises(fuzzbow.InputError, match="letters words have no vectors"):
        fuzzbow.load(measure=measure, limit=50).similarity("a", "b")


def test_the_list_of_frequencies_is_a_part_of_the_identity():
    one, same, other = (
        fuzzbow.load(measure="letters-jaccard", counts=counts).identity()
        for counts in (COUNTS, dict(COUNTS), "rank")
    )
    assert one == same != other


MEASURES = ["dynamax-jaccard", "avg-cosine", "max-jaccard", "pcamax-jaccard", "wmd", "soft-cosine"]
UNKNOWN = "xqzzwhats"


def loaded(measure: str, **choices: Any) -> fuzzbow.Model:
    return fuzzbow.load(measure=measure, **choices)


@pytest.mark.parametrize("measure", MEASURES)
def test_unknown_words_count_by_their_letters(measure):
    model = loaded(measure, unknown="letters", limit=20_000)
    same, alike, other = model.pairs([UNKNOWN] * 3, [UNKNOWN, UNKNOWN + "s", "brqqak"])
    assert same == pytest.approx(1.0, abs=1e-6)
    assert same > alike > other
    assert model.similarity("krxxas gene", "brxxaf gene") < 0.7


@pytest.mark.parametrize("measure", MEASURES)
def test_unless_told_they_are_dropped_as_in_the_paper(measure):
    model, plain = (loaded(measure, limit=20_000, **kind) for kind in ({"unknown": "drop"}, {}))
    assert model.identity() == plain.identity()
    assert plain.similarity(UNKNOWN, UNKNOWN) == 0.0
    assert plain.similarity("krxxas gene", "brxxaf gene") == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("weights", ["none", "sif", "usif", "whitened"])
def test_engines_weights_and_search_agree(weights):
    texts = [f"{UNKNOWN} cat", "a dog", f"{UNKNOWN}s dog"]
    models = [
        loaded("dynamax-jaccard", unknown="letters", weights=weights, engine=engine)
        for engine in ("reference", "compiled")
    ]
    first, second = (model.matrix(texts) for model in models)
    np.testing.assert_allclose(first, second, atol=1e-5)
    hits = models[1].index(texts).search(texts[0])
    np.testing.assert_allclose(sorted(hits.scores), sorted(second[0]), atol=1e-6)


@pytest.mark.parametrize(
    ("measure", "left", "right"),
    [
        ("dynamax-jaccard", "a cat sleeps", "the dog is awake"),  # known words score as before
        ("weighted-jaccard", f"{UNKNOWN} cat", f"{UNKNOWN}s cat"),  # it compares letters itself
    ],
)
def test_some_scores_do_not_change(measure, left, right):
    with_letters, without = loaded(measure, unknown="letters"), loaded(measure)
    assert with_letters.similarity(left, right) == without.similarity(left, right)
    assert with_letters.similarity("a cat ⸎⸎", "a cat") == 1.0 or measure != "dynamax-jaccard"


def test_an_index_knows_how_unknown_words_were_treated(tmp_path):
    pytest.importorskip("lance")
    model = loaded("dynamax-jaccard", unknown="letters")
    model.index([UNKNOWN]).save(tmp_path / "index")
    found = fuzzbow.open_index(tmp_path / "index")
    assert found.search(UNKNOWN)[0].score == pytest.approx(1.0)
    with pytest.raises(fuzzbow.InputError, match="other unknown words"):
        fuzzbow.open_index(tmp_path / "index", loaded("dynamax-jaccard"))


def test_other_choices_are_refused():
    with pytest.raises(fuzzbow.InputError, match="unknown must be one of drop, letters"):
        loaded("dynamax-jaccard", unknown="leters")


@pytest.mark.parametrize("dimension", [1, 2, 7, 300])
def test_every_word_has_a_direction(dimension):
    words = ["a", "ab", "\ud800x", "é", "x" * 100_000, *(f"w{n}" for n in range(50))]
    lengths = np.linalg.norm(letter_vectors(words, dimension), axis=1)
    np.testing.assert_allclose(lengths, 1.0)


def test_vectors_are_the_same_in_every_process_and_version():
    made = letter_vectors(["fuzzbow"], 300)[0]
    sums = made / np.abs(made).min()  # of the signs of seven trigrams
    assert sums[:8].round(6).tolist() == [1, -1, -1, 1, 1, 5, -3, -5]


@pytest.fixture(scope="module")
def model() -> fuzzbow.Model:
    return fuzzbow.load(purpose="records").fit(
        ["Garmin 010-00715-20 mount", "Lexar 70DG007QUX 64GB card", "Canon CL-211 ink", "a mount"]
    )


def test_another_code_is_another_thing(model):
    assert model.similarity("70DG007QUX", "70DG006QUX") == 0.0
    assert model.similarity("70DG007QUX", "card") == 0.0
    assert model.similarity("2021", "2022") == 0.0
    assert fuzzbow.load().similarity("70DG007QUX", "70DG006QUX") == 0.0


@pytest.mark.parametrize("other", ["010.00715.20", "0100071520", "010-00715/20"])
def test_one_code_written_in_two_ways_is_one_thing(model, other):
    assert model.similarity("010-00715-20", other) == pytest.approx(1.0)


def test_a_unit_may_be_stuck_to_its_number(model):
    assert model.similarity("64GB card", "64 GB card") == pytest.approx(1.0)


def test_a_code_of_letters_and_digits_weighs_twice_as_much_as_a_new_word():
    plain = fuzzbow.load(measure="weighted-otsuka", tokenizer="records", counts="collection")
    usual = plain.fit(["Canon CL-211 ink"]).explain("CL-211", "ink").left.words[0].weight
    coded = fuzzbow.load(purpose="records").fit(["Canon CL-211 ink"])
    assert coded.explain("CL-211", "ink").left.words[0].weight == pytest.approx(2 * 1.2 * usual)


def test_an_explanation_says_that_it_is_a_code(model):
    explained = model.explain("70DG007QUX card", "70DG006QUX cards")
    assert "a code: has nothing in common" in explained.left.words[0].note
    assert explained.left.share + explained.right.share == pytest.approx(explained.score)
