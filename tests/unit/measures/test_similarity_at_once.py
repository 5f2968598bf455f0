"""Pairs without a wait: the same score, or none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fuzzbow

WORDS = ["a", "cat", "dog", "Zürich", "qqxyzzy", "42", "can't", "猫", "don't", "running"]
TEXT = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


@pytest.fixture(scope="module")
def model() -> fuzzbow.Model:
    return fuzzbow.load("default")


@given(TEXT, TEXT)
def test_it_is_the_similarity_once_the_words_were_met(model, a, b):
    expected = model.similarity(a, b)
    assert model.similarity_at_once(a, b) == expected


def test_words_that_nobody_has_met_are_left_to_others(model):
    fresh = model.with_measure("dynamax-jaccard")
    assert fresh.similarity_at_once("zebra crossing", "a zebra") is None
    assert fresh.similarity("zebra crossing", "a zebra") == fresh.similarity_at_once(
        "zebra crossing", "a zebra"
    )


def test_it_does_not_wait_for_a_thread_that_adds_words(model):
    expected = model.similarity("a cat", "a dog")
    with model._ready._words._lock:
        assert model.similarity_at_once("a cat", "a dog") == expected
        assert model.similarity_at_once("unmet vwqqz", "a dog") is None


def test_a_measure_without_ready_words_has_none(model):
    assert model.with_measure("soft-cosine").similarity_at_once("a cat", "a dog") is None
