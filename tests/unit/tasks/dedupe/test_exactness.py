"""What is found is what the full matrix says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import fuzzbow
from tests import sts
from tests.unit.tasks.dedupe import corpora

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


def test_blocks_of_a_fixed_universe_equal_the_matrix(monkeypatch):
    monkeypatch.setattr("fuzzbow.measures.blockwise_join.BLOCK_TEXTS", 7)
    model, texts = corpora.model("max-jaccard"), corpora.corpus(50, 5)
    scores = model.matrix(texts)
    threshold = corpora.between_scores(scores, 0.8)
    assert_equals_matrix(model, texts, None, threshold, scores)


def test_parts_of_the_join_do_not_change_the_result(monkeypatch):
    monkeypatch.setattr("fuzzbow.engine.compiled.JOIN_PAIRS", 3)
    monkeypatch.setattr("fuzzbow.engine.compiled.FIRST_ROWS", 2)
    model, texts = corpora.model(), corpora.corpus(200, 6)
    scores = model.matrix(texts)
    threshold = corpora.between_scores(scores, 0.6)
    assert_equals_matrix(model, texts, None, threshold, scores)


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
