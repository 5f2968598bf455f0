"""Codes, numbers and negation keep texts apart, however similar these are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fuzzbow
from fuzzbow.errors import InputError
from fuzzbow.tasks.dedupe.details import detail_labels, detail_of


@pytest.fixture(scope="module")
def model():
    return fuzzbow.load("default")


APART = [
    ("iPhone 13 64GB black", "iPhone 12 64GB black"),
    ("SKU A1235 blue", "SKU A1234 blue"),
    ("I do not love this phone", "I love this phone"),
    ("I don't love this phone", "I do love this phone"),
    ("The order 4711 came late again", "The order came late again"),
]


@pytest.mark.parametrize(("a", "b"), APART)
def test_texts_that_differ_in_a_detail_are_no_duplicates(model, a, b):
    found = model.duplicates([a, b], threshold=0.3)
    assert (len(found.pairs), found.apart) == (0, 1)
    assert len(model.duplicates([a, b], threshold=0.3, same_details=False).pairs) == 1
    assert model.duplicates([a], others=[b], threshold=0.3).apart == 1


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("I do not love this phone", "I don't love this phone"),
        ("SKU A1234, blue", "sku a1234 blue"),
        ("The plane landed", "The airplane landed"),
    ],
)
def test_texts_that_agree_in_their_details_may_be_duplicates(model, a, b):
    assert len(model.duplicates([a, b], threshold=0.5).pairs) == 1


def test_white_space_alone_leaves_punctuation_at_a_code():
    found = fuzzbow.load(tokenizer="whitespace").duplicates(
        ["room A12, please", "room A12 please"], threshold=0.3
    )
    assert (len(found.pairs), found.apart) == (1, 0)


@given(st.lists(st.sampled_from(["a", "not", "never", "7", "A7", "x2.", "2x", "n't"]), max_size=5))
def test_labels_are_equal_where_sets_of_details_are(words):
    model = fuzzbow.load(tokenizer="whitespace")
    other = ["7", "not"]
    texts, which = model.encoder.encode([" ".join(words), " ".join(other)])
    labels = detail_labels(texts)[which]
    sets = [{detail_of(word) for word in side} - {None} for side in (words, other)]
    assert (labels[0] == labels[1]) == (sets[0] == sets[1])


@pytest.fixture(scope="module")
def found(model):
    texts = [
        "The airplane landed at noon", "The plane landed at noon", "The old plane landed at noon",
        "A plane landed here at noon today", "Something else entirely", "Something else entirely",
    ]  # fmt: skip
    return model.duplicates(texts, threshold=0.6)


def test_around_shows_what_goes_and_what_just_stays(found):
    rows = found.around(0.9).to_pylist()
    goes = [row for row in rows if row["goes"]]
    assert [(row["position"], row["kept"]) for row in goes] == [(1, 0)]
    assert (goes[0]["text"], goes[0]["kept_text"]) == (found.texts[1], found.texts[0])
    stays = [row["score"] for row in rows if not row["goes"]]
    assert stays
    assert all(0.6 <= score < 0.9 for score in stays)
    assert [row["score"] for row in rows] == sorted(row["score"] for row in rows)


def test_around_is_bounded_and_leaves_copies_out(found):
    rows = found.around(count=1).to_pylist()
    assert len(rows) == 1
    least = min(row["score"] for row in found.removed().to_pylist())
    assert rows[0]["score"] == least < 1
    with pytest.raises(InputError, match="count must be a whole number"):
        found.around(count=0)
    with pytest.raises(InputError, match="only be raised"):
        found.around(0.5)


def test_around_of_two_data_sets_names_both(model):
    found = model.duplicates(
        ["a cat", "The plane landed at noon"], others=["The airplane landed at noon"]
    )
    (row,) = found.around().to_pylist()
    assert (row["position"], row["kept"]) == (1, 0)
    assert row["kept_text"] == "The airplane landed at noon"


def test_rows_that_go_at_thresholds(found):
    assert found.removed_at([0.6, 1.0]) == [len(found.removed()), 1]
