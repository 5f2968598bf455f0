"""Names of people: alike if they are spelt alike, in any order, with initials."""

from __future__ import annotations

import random

import numpy as np
import pytest

import fuzzbow

NAMES = ["John", "Jon", "J.", "Mary", "Marie", "Smith", "Smyth", "Müller", "Mueller", "Lee", "de"]


@pytest.fixture(scope="module")
def model():
    return fuzzbow.load(purpose="names")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Jon Smith", "John Smyth"),
        ("Catherine Jones", "Katherine Jones"),
        ("Jürgen Müller", "Juergen Mueller"),
        ("Fyodor Dostoevsky", "Fedor Dostoyevsky"),
        ("Smith, John A.", "Dr. John Smith"),
    ],
)
def test_spellings_of_one_name_score_high(model, left, right):
    assert model.similarity(left, right) >= model.join_threshold == 0.75


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("John Smith", "Mary Smith"),
        ("John Smith", "John Miller"),
        ("Anna Schmidt", "Hanna Schmitz"),
        ("Paul Newman", "Pauline Neumann"),
        ("Kim Lee", "Tim Lee"),
    ],
)
def test_different_people_score_low(model, left, right):
    assert model.similarity(left, right) <= 0.7


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
