"""Duplicates against the full matrix, and the details that are not duplicates."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import fuzzbow
from fuzzbow.dedupe.details import Details
from fuzzbow.defaults import ALL_DETAILS
from fuzzbow.errors import InputError
from tests import sts
from tests.unit.dedupe import corpora

OFFERED = corpora.offered()
DRAWN = ["weighted-jaccard", "dynamax-jaccard", "dynamax-otsuka", "max-dice", "avg-cosine"]
EVERY_YEAR = tuple(sts.SUBTASKS)
STS_CASES = [  # measure, years, every how manieth sentence is compared with all
    ("weighted-jaccard", EVERY_YEAR, 100), ("dynamax-jaccard", EVERY_YEAR, 100),
    ("weighted-jaccard", ["STS16"], 1), ("dynamax-jaccard", ["STS16"], 2),
    ("dynamax-otsuka", ["STS16"], 2), ("dynamax-dice", ["STS16"], 2),
    ("dynamax-cosine", ["STS16"], 2), ("max-jaccard", ["STS16"], 1),
    ("avg-cosine", ["STS16"], 1), ("sif-pca", ["STS16"], 1),
]  # fmt: skip


def assert_equals_matrix(model, texts, others, threshold, scores):
    found = corpora.written_out(
        model.duplicates(texts, threshold=threshold, others=others, details=())
    )
    expected = corpora.expected_pairs(scores, texts, others, threshold)
    assert found.keys() == expected.keys()
    pairs = sorted(found)
    np.testing.assert_allclose(
        [found[pair] for pair in pairs], [expected[pair] for pair in pairs], atol=1e-5
    )


def test_the_measures_offered_are_those_of_the_documentation():
    kinds = {name.partition("-")[0] for name in OFFERED}
    assert kinds == {
        "weighted", "records", "letters", "names", "dynamax", "max", "avg", "sum", "min", "sif",
        "randommax", "pcamax", "kmeansmax", "vocabmax",
    }  # fmt: skip


@pytest.mark.parametrize("measure", OFFERED)
@pytest.mark.parametrize("across", [False, True])
def test_every_measure_equals_its_matrix(measure, across):
    model, texts = corpora.model(measure), corpora.corpus(60, 1)
    others = corpora.corpus(40, 2) + texts[:5] if across else None
    scores = model.matrix(texts, others)
    threshold = corpora.between_scores(scores, 0.7)
    assert_equals_matrix(model, texts, others, threshold, scores)


@given(
    measure=st.sampled_from(DRAWN),
    engine=st.sampled_from(["auto", "reference"]),
    texts=st.lists(
        st.lists(st.sampled_from(corpora.WORDS[:9] + corpora.STRANGERS), max_size=5), max_size=30
    ),
    cut=st.none() | st.integers(0, 30),
    threshold=st.floats(0.05, 1.0),
)
def test_random_corpora_equal_their_matrix(measure, engine, texts, cut, threshold):
    model = corpora.model(measure, engine)
    strings = [" ".join(words) for words in texts]
    lefts, others = (strings, None) if cut is None else (strings[:cut], strings[cut:])
    scores = model.matrix(lefts, others)
    assume(np.abs(scores - threshold).min(initial=1.0) > 1e-5)
    assert_equals_matrix(model, lefts, others, threshold, scores)


@pytest.mark.parametrize(
    ("measure", "sizes"),
    [
        ("max-jaccard", {"measures.blockwise_join.BLOCK_TEXTS": 7}),
        ("weighted-jaccard", {"engine.compiled.JOIN_PAIRS": 3, "engine.compiled.FIRST_ROWS": 2}),
    ],
)
def test_blocks_of_the_join_do_not_change_the_result(monkeypatch, measure, sizes):
    for name, size in sizes.items():
        monkeypatch.setattr(f"fuzzbow.{name}", size)
    model, texts = corpora.model(measure), corpora.corpus(200, 6)
    scores = model.matrix(texts)
    assert_equals_matrix(model, texts, None, corpora.between_scores(scores, 0.6), scores)


@pytest.mark.sts
@pytest.mark.parametrize(("measure", "years", "step"), STS_CASES)
def test_sts_sentences_equal_their_matrix(sts_folder, measure, years, step):
    texts, threshold = sts_sentences(sts_folder / "raw", years), 0.8 if len(years) == 1 else 0.9
    model = fuzzbow.load("default", measure=measure)
    if measure == "sif-pca":
        model = model.fit(texts)
    found = model.duplicates(texts, threshold=threshold, details=())
    pairs = found.pairs.to_arrow()
    assert len(pairs) > 50
    left, right = pairs["left"].to_numpy(), pairs["right"].to_numpy()
    scores = model.matrix(texts[::step], texts)
    found = np.zeros_like(scores)
    for a, b in ((left, right), (right, left)):
        found[a[a % step == 0] // step, b[a % step == 0]] = pairs["score"].to_numpy()[a % step == 0]
    own = np.arange(0, len(texts), step)
    scores[np.arange(len(own)), own] = 0.0
    # a score within rounding of the threshold may be on either side
    assert not found[scores < threshold - 1e-6].any()
    sure = scores > threshold + 1e-6
    np.testing.assert_allclose(found[sure], scores[sure], atol=1e-6)


def sts_sentences(folder, years):
    """The distinct sentences of some years."""
    names = [f"{year}/{name}" for year in years for name in sts.SUBTASKS[year]]
    sides = (side for name in names for side in sts.read(folder, name)[:2])
    return list(dict.fromkeys(sentence for side in sides for sentence in side))


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


@pytest.mark.parametrize(("number", "kind"), [(5, "numbers"), (1, "codes"), (2, "negation")])
def test_only_the_chosen_details_count(model, number, kind):
    others = [name for name in ALL_DETAILS if name != kind]
    assert len(model.duplicates(APART[number], threshold=0.3, details=[kind]).pairs) == 0
    assert len(model.duplicates(APART[number], threshold=0.3, details=others).pairs) == 1


@pytest.mark.parametrize("kind", [list, pa.array])
def test_a_pattern_is_left_out_of_the_details(model, kind):
    texts = kind([f"Order ORD-{n} for room {m} is late" for n, m in ((1, 3), (2, 3), (3, 4))])
    assert len(model.duplicates(texts, threshold=0.3).pairs) == 0
    found = model.duplicates(texts, threshold=0.3, ignore_details=r"ORD-\d+")
    assert [(row["left"], row["right"]) for row in found.pairs.to_arrow().to_pylist()] == [(0, 1)]


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
    details = Details(texts, ALL_DETAILS)
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


def test_around_shows_removed_rows_and_pairs_just_below(model, found):
    rows = found.around(0.9).to_pylist()
    removed = [row for row in rows if row["removed"]]
    assert [(row["position"], row["kept"]) for row in removed] == [(1, 0)]
    assert (removed[0]["text"], removed[0]["kept_text"]) == (found.texts[1], found.texts[0])
    kept = [row["score"] for row in rows if not row["removed"]]
    assert kept
    assert all(0.6 <= score < 0.9 for score in kept)
    assert [row["score"] for row in rows] == sorted(row["score"] for row in rows)
    (row,) = found.around(count=1).to_pylist()  # copies are left out
    assert row["score"] == min(row["score"] for row in found.removed().to_pylist()) < 1
    with pytest.raises(InputError, match="count must be a whole"):
        found.around(count=0)
    with pytest.raises(InputError, match="raised"):
        found.around(threshold=0.5)
    texts = ["a cat", "The plane landed at noon"]
    (row,) = model.duplicates(texts, others=["The airplane landed at noon"]).around().to_pylist()
    assert (row["position"], row["kept"]) == (1, 0)
    assert row["kept_text"] == "The airplane landed at noon"


def test_rows_that_go_at_thresholds(found):
    assert found.removed_at([0.6, 1.0]) == [len(found.removed()), 1]
