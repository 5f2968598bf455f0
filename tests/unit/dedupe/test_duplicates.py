"""Duplicates: copies, thresholds, kept and removed texts."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from fuzzbow import InputError
from fuzzbow.dedupe import groups
from tests.unit.dedupe import corpora

TEXTS = [
    "The airplane landed at noon", "He has a cat", "", "He has a cat", "The plane landed at noon",
    "She had one dog", "", "The old plane landed at noon today",
]  # fmt: skip


@pytest.fixture(scope="module")
def found(model):
    return model.duplicates(TEXTS, threshold=0.7)


def marked(table) -> list[tuple]:
    """Positions of the rows of a table, and whether they are exact."""
    return [(*list(row.values())[:2], row["exact"]) for row in table.to_pylist()]


def test_pairs_are_positions_with_the_model_s_scores(model, found):
    pairs = found.pairs.to_arrow()
    assert marked(pairs) == [(0, 4, False), (0, 7, False), (1, 3, True), (4, 7, False)]
    for row in pairs.to_pylist():
        score = model.similarity(TEXTS[row["left"]], TEXTS[row["right"]])
        assert row["score"] == (1.0 if row["exact"] else score)
    frame = found.pairs.to_pandas()
    assert (list(frame.columns), len(frame)) == (["left", "right", "score", "exact"], 4)
    assert repr(found) == "Duplicates(8 texts, 4 pairs at 0.7 or above)"
    assert repr(found.pairs) == "Pairs(4 at 0.7 or above, in memory)"


def test_copies_of_one_string_are_a_star_and_not_a_clique(model):
    found = model.duplicates(["a cat"] * 2000, threshold=0.9)
    assert len(found.pairs) == found.copies == 1999
    assert set(found.pairs.to_arrow()["left"].to_pylist()) == {0}
    assert found.kept().tolist() == [0]
    assert sum(len(batch) for batch in found.every_pair()) == 2000 * 1999 // 2


@pytest.mark.parametrize(
    ("texts", "pairs"),
    [
        (["A cat", "a cat", "a  cat"], [(0, 1, False), (0, 2, False), (1, 2, False)]),
        (["!!!", "", "!!!", "\ud800", "\ud800"], [(0, 2, True), (3, 4, True)]),
    ],
    ids=["equal words", "symbols alone"],
)
def test_only_equal_strings_are_exact_copies(model, texts, pairs):
    found = marked(model.duplicates(texts, threshold=1.0).pairs.to_arrow())
    assert [pair for pair in found if pair in pairs or pair[2]] == pairs


BLANK = ["", None, " ", "", "\t\n", float("nan"), "\u200b", "\ufeff", "\u200b", "\xad \u2060"]


@pytest.mark.parametrize("measure", corpora.offered())
@pytest.mark.filterwarnings("ignore:.*missing")
def test_a_missing_or_blank_text_is_a_duplicate_of_nothing(measure):
    model = corpora.model(measure)
    for texts, others in (([*BLANK, "ba be"], None), (BLANK, [*BLANK, "ba be"])):
        found = model.duplicates(texts, threshold=0.1, others=others)
        assert len(found.pairs) == found.copies == len(found.groups()) == 0
        assert len(found.kept()) == len(texts)
        assert found.kept(keep="longest" if others is None else "first").size == len(texts)
        assert list(found.every_pair()) == []
        assert found.empty.tolist() == list(range(len(BLANK)))
        assert found.kept(drop_empty=True).tolist() == list(range(len(BLANK), len(texts)))


@pytest.mark.parametrize("linkage", ["leader", "single", "complete"])
def test_texts_between_blank_ones_keep_their_positions(model, linkage):
    found = model.duplicates(["", "a cat", "", "a cat", " ", "A cat"], threshold=0.9)
    assert marked(found.pairs.to_arrow()) == [(1, 3, True), (1, 5, False)]
    assert found.kept(linkage=linkage).tolist() == [0, 1, 2, 4]
    assert found.kept(linkage=linkage, drop_empty=True).tolist() == [1]
    assert found.removed(linkage=linkage)["position"].to_pylist() == [3, 5]


def test_groups_kept_and_removed(model, found):
    assert [group.tolist() for group in found.groups()] == [[0, 4, 7], [1, 3]]
    assert found.representatives().tolist() == [0, 1]
    assert found.kept().tolist() == [0, 1, 2, 5, 6]
    assert marked(found.removed()) == [(3, 1, True), (4, 0, False), (7, 0, False)]
    assert found.representatives(keep="longest").tolist() == [7, 1]
    assert found.kept(keep="longest").tolist() == [1, 2, 5, 6, 7]
    for keep, linkage in product(("first", "longest"), ("leader", "single", "complete")):
        removed = found.removed(keep=keep, linkage=linkage).to_pylist()
        kept = found.kept(keep=keep, linkage=linkage).tolist()
        assert sorted(kept + [row["position"] for row in removed]) == list(range(len(TEXTS)))
        for row in removed:  # scores are those with the kept text
            score = model.similarity(TEXTS[row["kept"]], TEXTS[row["position"]])
            assert row["score"] == pytest.approx(1.0 if row["exact"] else score, abs=1e-6)


@pytest.mark.parametrize("measure", ["weighted-jaccard", "max-jaccard"])
def test_rethreshold_equals_looking_again(measure):
    model, texts = corpora.model(measure), corpora.corpus(120, 4)
    low, high = model.duplicates(texts, threshold=0.5), model.duplicates(texts, threshold=0.8)
    raised = low.rethreshold(0.8)
    assert raised.pairs.to_arrow() == high.pairs.to_arrow()
    assert len(raised.pairs) == len(high.pairs) < len(low.pairs)
    np.testing.assert_array_equal(raised.groups().labels, high.groups().labels)
    with pytest.raises(InputError, match=r"only be raised, from 0\.8; got 0\.6"):
        raised.rethreshold(0.6)


def test_a_score_at_the_threshold_is_a_pair(model):
    score = model.similarity(TEXTS[0], TEXTS[4])
    found = model.duplicates(TEXTS[:5], threshold=score)
    assert (0, 4, False) in marked(found.pairs.to_arrow())
    assert len(found.rethreshold(score).pairs) == len(found.pairs)


def test_a_join_of_two_data_sets(model):
    lefts, rights = TEXTS[:5], ["He has a cat", "Nothing of the kind", "The plane landed at noon"]
    found = model.duplicates(lefts, others=rights, threshold=0.8)
    assert marked(found.pairs.to_arrow()) == [(0, 2, False), (1, 0, True), (4, 2, True)]
    assert found.kept().tolist() == [2]
    assert marked(found.removed()) == [(0, 2, False), (1, 0, True), (3, 0, True), (4, 2, True)]
    assert [group.tolist() for group in found.groups()] == [[0, 4, 7], [1, 3, 5]]
    for choose in (
        lambda: found.kept(keep="longest"),
        lambda: found.kept(linkage="complete"),
        lambda: found.groups("complete"),
    ):
        with pytest.raises(InputError, match="a join of two"):
            choose()


def test_removed_in_a_join_names_the_best_partner():
    model, lefts, rights = corpora.model(), corpora.corpus(60, 8), corpora.corpus(60, 9)
    scores = model.matrix(lefts, rights)
    threshold = corpora.between_scores(scores, 0.5)
    found = model.duplicates(lefts, others=rights, threshold=threshold, details=())
    removed = [row for row in found.removed().to_pylist() if not row["exact"]]
    assert removed
    for row in removed:
        assert row["score"] == pytest.approx(scores[row["position"]].max(), abs=1e-6)
        assert row["kept"] == scores[row["position"]].argmax()


@pytest.mark.parametrize("others", [None, [], ["a cat"]])
def test_no_texts_have_no_duplicates(model, others):
    found = model.duplicates([], others=others)
    assert (len(found.pairs), len(found.groups()), len(found.kept())) == (0, 0, 0)
    assert len(found.removed()) == len(found.pairs.to_arrow()) == 0
    assert list(found.every_pair()) == []


@pytest.mark.parametrize("measure", ["dynaavg-jaccard", "wmd", "set-jaccard", "soft-cosine"])
def test_a_measure_without_a_way_says_which_have_one(measure):
    with pytest.raises(InputError, match=rf"{measure} cannot find duplicates; these can: weighted"):
        corpora.model(measure).duplicates(["a"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"texts": "a cat"}, "texts must be a list of strings; got str"),
        ({"others": [1]}, "others must hold strings; item 0 is int"),
        ({"threads": 0}, "threads must be a whole number of at least 1"),
        ({"details": ["number"]}, "did you mean 'numbers'"),
        ({"details": False}, "details must be some of numbers, codes, negation; got False"),
        ({"details": [3]}, "details must be one of numbers"),
        ({"ignore_details": "ORD-("}, "ignore_details must be a regular expression"),
        ({"ignore_details": 7}, "ignore_details must be a regular expression"),
        *(
            ({"threshold": threshold}, "above 0 and at most 1; got")
            for threshold in (0, -0.5, 1.01, float("nan"), "0.8", None, True)
        ),
    ],
)
def test_bad_input(model, arguments, message):
    with pytest.raises(InputError, match=message):
        model.duplicates(**{"texts": ["a", "b"], **arguments})


def test_an_unknown_linkage_is_refused(found):
    with pytest.raises(InputError, match="did you mean 'complete'"):
        found.groups("complet")


@pytest.mark.parametrize("measure", ["weighted-jaccard", "avg-cosine"])
@pytest.mark.parametrize("engine", ["auto", "reference"])
def test_progress_ends_at_the_total(measure, engine):
    calls = []
    texts = [" ".join(corpora.WORDS[n : n + 3]) for n in range(20)]
    corpora.model(measure, engine).duplicates(texts, progress=lambda *at: calls.append(at))
    assert calls[-1] == (20, 20)
    assert calls == sorted(calls)


@pytest.mark.parametrize(
    ("name", "linkage", "others"),
    [("complete_labels", "complete", None), ("best_partners", "leader", ["a cat"])],
)
def test_groups_and_partners_are_computed_once(model, monkeypatch, name, linkage, others):
    calls = []
    compute = getattr(groups, name)
    monkeypatch.setattr(groups, name, lambda *given: calls.append(1) or compute(*given))
    found = model.duplicates(["a cat", "a cat sat", "a dog"], others=others, threshold=0.5)
    for ask in (found.kept, found.removed, found.groups):
        ask(linkage=linkage)
    assert len(calls) == 1
