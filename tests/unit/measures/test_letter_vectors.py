"""Words without a vector under the paper's measures: dropped, or by a vector of their letters."""

from __future__ import annotations

import numpy as np
import pytest

import fuzzbow
from fuzzbow.measures.letter_vectors import letter_vectors

MEASURES = ["dynamax-jaccard", "avg-cosine", "max-jaccard", "pcamax-jaccard", "wmd", "soft-cosine"]
UNKNOWN = "xqzzwhats"


def loaded(measure: str, **choices: str) -> fuzzbow.Model:
    return fuzzbow.load(measure=measure, **choices)


@pytest.mark.parametrize("measure", MEASURES)
def test_unknown_words_count_by_their_letters(measure):
    model = loaded(measure, unknown="letters")
    same, alike, other = model.pairs([UNKNOWN] * 3, [UNKNOWN, UNKNOWN + "s", "brqqak"])
    assert same == pytest.approx(1.0, abs=1e-6)
    assert same > alike > other
    assert model.similarity("krxxas gene", "brxxaf gene") < 0.7


@pytest.mark.parametrize("measure", MEASURES)
def test_unless_told_they_are_dropped_as_in_the_paper(measure):
    model, plain = loaded(measure, unknown="drop"), loaded(measure)
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


def test_known_words_score_as_before():
    pair = "a cat sleeps", "the dog is awake"
    assert loaded("dynamax-jaccard", unknown="letters").similarity(*pair) == loaded(
        "dynamax-jaccard"
    ).similarity(*pair)


def test_weighted_words_compare_letters_in_their_own_way():
    pair = f"{UNKNOWN} cat", f"{UNKNOWN}s cat"
    assert loaded("weighted-jaccard", unknown="letters").similarity(*pair) == loaded(
        "weighted-jaccard"
    ).similarity(*pair)


def test_signs_without_a_letter_are_dropped_all_the_same():
    model = loaded("dynamax-jaccard", unknown="letters")
    assert model.similarity("a cat ⸎⸎", "a cat") == 1.0


def test_an_index_knows_how_unknown_words_were_treated(tmp_path):
    pytest.importorskip("lance")
    model = loaded("dynamax-jaccard", unknown="letters")
    model.index([UNKNOWN]).save(tmp_path / "index")
    found = fuzzbow.open_index(tmp_path / "index")
    assert found.search(UNKNOWN)[0].score == pytest.approx(1.0)
    with pytest.raises(fuzzbow.InputError, match="other unknown words"):
        fuzzbow.open_index(tmp_path / "index", loaded("dynamax-jaccard"))


def test_an_explanation_says_so():
    shown = str(loaded("dynamax-jaccard", unknown="letters").explain(UNKNOWN, "a cat"))
    assert f"{UNKNOWN}: no vector: one was made of its letters" in shown


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
