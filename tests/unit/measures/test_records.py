"""Records: a code is like nothing but itself."""

from __future__ import annotations

import pytest

import fuzzbow


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


def test_typos_in_words_are_still_forgiven(model):
    assert model.similarity("Garmin mount", "Garmni mount") > 0.5
