"""What the default promises: a row goes only for one that it is as similar to as was asked."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fuzzbow
from fuzzbow.tasks.dedupe import leaders as leading
from fuzzbow.tasks.dedupe.leaders import leaders
from fuzzbow.tasks.dedupe.pairs import PairArrays
from tests.unit.tasks.dedupe import corpora


def naive(ranks, scores):
    """The rule as it is written, with a dictionary of pairs."""
    stays: list[int] = []
    for text in np.argsort(ranks).tolist():
        if not any(frozenset((text, other)) in scores for other in stays):
            stays.append(text)
    led = []
    for text in range(len(ranks)):
        partners = [other for other in stays if frozenset((text, other)) in scores]
        best = max(
            partners, key=lambda other: (scores[frozenset((text, other))], -other), default=0
        )
        led.append(text if text in stays else best)
    return led


@given(
    size=st.integers(2, 30),
    drawn=st.lists(
        st.tuples(st.integers(0, 29), st.integers(0, 29), st.integers(1, 4)), max_size=80
    ),
    order=st.randoms(use_true_random=False),
    parts=st.integers(1, 4),
    held=st.sampled_from([0, 5, 1000]),
)
def test_leaders_are_those_of_the_rule(size, drawn, order, parts, held):
    scores = {
        frozenset((a % size, b % size)): score / 4 for a, b, score in drawn if a % size != b % size
    }
    edges = [(*sorted(pair), score) for pair, score in scores.items()]
    left, right, score = (
        np.array(column, dtype=kind)
        for column, kind in zip(
            zip(*edges, strict=True) if edges else ([], [], []), (int, int, float), strict=True
        )
    )
    ranks = list(range(size))
    order.shuffle(ranks)
    split = [
        PairArrays(*columns, np.zeros(len(columns[0]), dtype=np.bool_))
        for columns in zip(*(np.array_split(c, parts) for c in (left, right, score)), strict=True)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leading, "HELD_PAIRS", held)
        found = leaders(np.array(ranks), lambda: iter(split))
    assert found.tolist() == naive(ranks, scores)


@given(
    texts=st.lists(st.lists(st.sampled_from(corpora.WORDS[:8]), max_size=5), max_size=25),
    threshold=st.floats(0.1, 1.0),
    keep=st.sampled_from(["first", "longest"]),
)
def test_no_row_goes_that_scores_below_the_threshold_with_what_stays(texts, threshold, keep):
    model = corpora.model()
    strings = [" ".join(words) for words in texts]
    found = model.duplicates(strings, threshold=threshold)
    removed = found.removed(keep=keep).to_pylist()
    kept = found.kept(keep=keep).tolist()
    assert sorted([*kept, *(row["position"] for row in removed)]) == list(range(len(strings)))
    for row in removed:
        assert row["kept"] in kept
        same = strings[row["position"]] == strings[row["kept"]]
        score = 1.0 if same else model.similarity(strings[row["position"]], strings[row["kept"]])
        assert row["score"] == pytest.approx(score, abs=1e-6)
        assert np.float32(row["score"]) >= np.float32(threshold)
    pairs = {(row["left"], row["right"]) for row in found.pairs.to_arrow().to_pylist()}
    assert not any((a, b) in pairs for a in kept for b in kept)  # and nothing stays that should go


def test_a_chain_is_cut_where_single_linkage_is_not():
    texts = ["ba be bi bo da de", "be bi bo da de di", "bi bo da de di do", "bo da de di do fa"]
    model = corpora.model()
    ends = model.similarity(texts[0], texts[-1])
    steps = model.pairs(texts[:-1], texts[1:]).min()
    threshold = corpora.between_scores(model.matrix(texts), (ends + steps) / 2)
    found = model.duplicates(texts, threshold=threshold)
    assert found.kept(linkage="single").tolist() == [0]
    assert found.removed(linkage="single")["score"].to_numpy().min() < threshold
    assert len(found.kept()) > 1
    assert found.removed()["score"].to_numpy().min() >= threshold


def test_the_default_is_0_9_and_leaders():
    model = fuzzbow.load()
    found = model.duplicates(["The plane landed at noon", "The airplane landed at noon"])
    assert found.threshold == 0.9
    assert found.kept().tolist() == found.kept(linkage="leader").tolist() == [0]


def test_groups_of_leaders_hold_what_goes_for_them():
    texts = corpora.corpus(80, 5)
    found = corpora.model().duplicates(texts, threshold=0.6)
    for keep in ("first", "longest"):
        removed = found.removed(keep=keep).to_pylist()
        expected = {}
        for row in removed:
            expected.setdefault(row["kept"], {row["kept"]}).add(row["position"])
        groups = found.groups(keep=keep)
        assert {frozenset(group.tolist()) for group in groups} == set(
            map(frozenset, expected.values())
        )
        assert set(found.representatives(keep=keep).tolist()) == expected.keys()
