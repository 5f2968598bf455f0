"""Codes, numbers and negation keep texts apart, however similar these are."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fuzzbow
from fuzzbow.defaults import ALL_DETAILS
from fuzzbow.errors import InputError
from fuzzbow.tasks.dedupe.details import Detail, DetailRules, Details


@pytest.fixture(scope="module")
def model():
    return fuzzbow.load("default")


def test_the_defaults_name_every_kind():
    assert tuple(kind.value for kind in Detail) == ALL_DETAILS


APART = [
    ("iPhone 13 64GB black", "iPhone 12 64GB black"),
    ("SKU A1235 blue", "SKU A1234 blue"),
    ("I do not love this phone", "I love this phone"),
    ("I don't love this phone", "I do love this phone"),
    ("The order A4711 came late again", "The order came late again"),
    ("He waited three hours", "He waited 4 hours"),
    ("from 3 to 4 o'clock", "from 4 to 4 o'clock"),
    ("rooms 3, 5 and 7", "rooms 3, 5, 8 and 9"),
]


@pytest.mark.parametrize(("a", "b"), APART)
def test_texts_that_differ_in_a_detail_are_no_duplicates(model, a, b):
    found = model.duplicates([a, b], threshold=0.3)
    assert (len(found.pairs), found.apart) == (0, 1)
    assert len(model.duplicates([a, b], threshold=0.3, details=()).pairs) == 1
    assert model.duplicates([a], others=[b], threshold=0.3).apart == 1


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("I do not love this phone", "I don't love this phone"),
        ("SKU A1234, blue", "sku a1234 blue"),
        ("The plane landed", "The airplane landed"),
        ("He waited three hours", "He waited 3 hours"),
        ("the twenty-first symposium, 1989", "the 21st symposium, 1989"),
        ("two hundred people came", "200 people came"),
        ("a price of 1,650 euros", "a price of 1650.00 euros"),
        ("The order 4711 came late again", "The order came late again"),
        ("Sunny Day Care, 12 Main Street, 02139", "Sunny Day Care, 12 Main Street"),
        ("in Machine Learning 5 (2), 1990", "in Machine Learning, 1990"),
    ],
)
def test_texts_whose_details_agree_may_be_duplicates(model, a, b):
    found = model.duplicates([a, b], threshold=0.3)
    assert (len(found.pairs), found.apart) == (1, 0)


CHOICES = [
    ("He waited 3 hours", "He waited 4 hours", "numbers"),
    ("SKU A1235 blue", "SKU A1234 blue", "codes"),
    ("I do not love this phone", "I love this phone", "negation"),
]


@pytest.mark.parametrize(("a", "b", "kind"), CHOICES)
def test_only_the_chosen_details_count(model, a, b, kind):
    others = [name for name in ALL_DETAILS if name != kind]
    assert len(model.duplicates([a, b], threshold=0.3, details=[kind]).pairs) == 0
    assert len(model.duplicates([a, b], threshold=0.3, details=others).pairs) == 1


def test_a_pattern_is_left_out_of_the_details(model):
    texts = [
        "Order ORD-4711 for room 3 is late", "Order ORD-4712 for room 3 is late",
        "Order ORD-4713 for room 4 is late",
    ]  # fmt: skip
    assert len(model.duplicates(texts, threshold=0.3).pairs) == 0
    found = model.duplicates(texts, threshold=0.3, ignore_details=r"ORD-\d+")
    assert [(row["left"], row["right"]) for row in found.pairs.to_arrow().to_pylist()] == [(0, 1)]
    column = pa.array(texts)
    assert len(model.duplicates(column, threshold=0.3, ignore_details=r"ORD-\d+").pairs) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"details": ["number"]}, "did you mean 'numbers'"),
        ({"details": False}, "details must be some of numbers, codes, negation; got False"),
        ({"details": [3]}, "details must be one of numbers"),
        ({"ignore_details": "ORD-("}, "ignore_details must be a regular expression"),
        ({"ignore_details": 7}, "ignore_details must be a regular expression"),
    ],
)
def test_details_that_there_are_none_of(model, options, message):
    with pytest.raises(InputError, match=message):
        model.duplicates(["a", "b"], **options)


PLAIN = ["cat", "house", "landed", "blue", "the", "in", "second"]
NUMBERS = ["1", "12", "64", "1,650", "3.5", "three", "2019"]
CODES = ["A1234", "64GB", "x7"]
CHANGED = {"1": "2", "12": "13", "64": "1", "1,650": "1,651", "3.5": "3.6", "three": "four",
           "2019": "12", "A1234": "A1235", "64GB": "32GB", "x7": "x8"}  # fmt: skip


@given(
    st.lists(st.sampled_from(PLAIN + NUMBERS + CODES), min_size=1, max_size=8),
    st.integers(0, 7),
    st.booleans(),
)
def test_a_changed_detail_always_keeps_apart(words, place, negated):
    place %= len(words)
    changed = CHANGED.get(words[place])
    before, after = words, [*words[:place], changed or words[place], *words[place + 1 :]]
    if negated:
        after = [*after[:place], "not", *after[place:]]
    assert agree(before, before)
    assert agree(before, after) == (changed is None and not negated)


@given(st.lists(st.sampled_from(PLAIN + NUMBERS + CODES), max_size=8), st.data())
def test_a_missing_number_keeps_nothing_apart(words, data):
    kept = [word for word in words if word not in NUMBERS or data.draw(st.booleans())]
    assert agree(words, kept)
    assert agree(kept, words)


def agree(left: list[str], right: list[str]) -> bool:
    """Whether the details of two texts agree, which are given by their words."""
    encoder = fuzzbow.load(tokenizer="whitespace").encoder
    texts, which = encoder.encode([" ".join(left), " ".join(right)])
    details = Details(texts, list, encoder.words, DetailRules())
    (same,) = details.agree(which[:1], which[1:])
    assert details.apart == (not same)
    return bool(same)


def test_white_space_alone_leaves_punctuation_at_a_code():
    found = fuzzbow.load(tokenizer="whitespace").duplicates(
        ["room A12, please", "room A12 please"], threshold=0.3
    )
    assert (len(found.pairs), found.apart) == (1, 0)


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
