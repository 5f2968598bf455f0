"""Outliers and representatives are those that comparing every text with every other one gives."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fuzzbow
from fuzzbow import selection

WORDS = ["cat", "kitten", "dog", "sat", "ran", "plane", "stocks", "zzxq", "7", "a"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)
LISTS = st.lists(TEXTS | st.just(" "), max_size=14)
MODELS = {
    name: fuzzbow.load(measure=name, engine=engine)
    for name, engine in [("weighted-jaccard", "compiled"), ("dynamax-otsuka", "reference")]
}
pytestmark = pytest.mark.filterwarnings("ignore::fuzzbow.errors.FuzzbowWarning")  # of a None
EACH = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
MANY = settings(max_examples=60, deadline=None)
SOME = ["a cat sat", "a kitten sat", "stocks fell", "", None, "a cat sat", "planes fly"]


@pytest.fixture
def model():
    return MODELS["weighted-jaccard"]


def grid(model, texts):
    """Every similarity; equal strings have 1, blank texts are not there."""
    scores = model.matrix(texts) if texts else np.zeros((0, 0))
    scores[[[a == b for b in texts] for a in texts]] = 1.0
    blank = np.array([not text.strip() for text in texts], dtype=np.bool_)
    return scores, blank


@EACH
@MANY
@given(LISTS, st.integers(1, 3))
def test_outliers_are_those_of_all_scores(model, texts, neighbours):
    scores, blank = grid(model, texts)
    expected = np.full(len(texts), np.nan)
    for text in np.flatnonzero(~blank).tolist():
        others = [n for n in np.flatnonzero(~blank).tolist() if n != text]
        best = np.sort(scores[text, others])[::-1][:neighbours]
        expected[text] = best.mean() if len(best) else 0.0
    found = model.outliers(texts, None, neighbours=neighbours)
    np.testing.assert_allclose(found.scores, expected, atol=1e-6)
    assert sorted(found.positions.tolist()) == np.flatnonzero(~blank).tolist()
    assert found.empty.tolist() == np.flatnonzero(blank).tolist()
    keys = [(item.score, item.position) for item in found]
    assert keys == sorted(keys)
    for item in found:
        assert item.text == texts[item.position]
        assert item.score == found.scores[item.position]
        others = [n for n in np.flatnonzero(~blank).tolist() if n != item.position]
        if others:
            best = scores[item.position, others].max()
            assert scores[item.position, item.nearest] == pytest.approx(best, abs=1e-6)
            assert item.nearest_text == texts[item.nearest]


@EACH
@MANY
@given(LISTS, st.integers(1, 5), st.sampled_from([0.3, 0.5, 0.9]))
def test_representatives_add_most_to_the_coverage(model, texts, k, threshold):
    scores, blank = grid(model, texts)
    # as the kernels compare; scores on the edge of the threshold decide nothing here
    similar = np.where(scores.astype(np.float32) >= np.float32(threshold), scores, 0.0)
    similar[blank] = similar[:, blank] = 0.0
    found = model.representatives(texts, k, threshold=threshold)
    covered = np.zeros(len(texts))
    for item in found:
        gains = np.maximum(similar - covered, 0).sum(axis=1)
        assert item.gain == pytest.approx(gains[item.position], abs=1e-5)
        assert item.gain >= gains.max(initial=0) - 1e-5
        covered = np.maximum(covered, similar[item.position])
        assert item.text == texts[item.position]
        assert item.position == texts.index(item.text)
    filled = ~blank
    assert len(found) == min(k, len({text for text in texts if text.strip()}))
    mean = covered[filled].mean() if filled.any() else 0.0
    assert found.coverage == pytest.approx(mean, abs=1e-5)
    assert not np.isin(found.positions, np.flatnonzero(blank)).any()
    for text, place in enumerate(found.assigned.tolist()):
        if place < 0:
            assert covered[text] == 0
        else:
            assert similar[place, text] == pytest.approx(covered[text], abs=1e-5)
    sizes = [int((found.assigned == item.position).sum()) for item in found]
    assert [item.size for item in found] == sizes


def test_equal_gains_are_taken_in_order(model):
    texts = ["stocks", "trains", "stocks", "kitten", "kitten"]
    found = model.representatives(texts, 5, threshold=0.9)
    assert [(item.position, item.size) for item in found] == [(0, 2), (3, 2), (1, 1)]
    assert model.representatives(texts[::-1], 2, threshold=0.9).positions.tolist() == [0, 2]


def test_outliers_have_a_limit_and_a_threshold(model):
    everything = model.outliers(SOME, None)
    assert len(everything) == 5
    assert model.outliers(SOME, 2).items == everything.items[:2]
    below = model.outliers(SOME, None, threshold=0.5)
    assert below.positions.tolist() == [item.position for item in everything if item.score < 0.5]
    assert {2, 6} == set(below.positions.tolist())


def test_texts_are_searched_in_blocks(model, monkeypatch):
    texts = [f"a cat number {n}" for n in range(20)]
    whole, calls = model.outliers(texts, None), []
    monkeypatch.setattr(selection, "SEARCH_BLOCK", 7)
    found = model.outliers(texts, None, progress=lambda done, total: calls.append((done, total)))
    assert found.items == whole.items
    assert calls == [(7, 20), (14, 20), (20, 20)]


@pytest.mark.parametrize("kind", [lambda data: data["text"], pd.DataFrame, pa.table])
def test_missing_and_blank_texts_of_lists_and_frames_are_counted(model, kind):
    texts = kind({"text": SOME})
    column = None if isinstance(texts, list) else "text"
    outliers = model.outliers(texts, None, column=column)
    chosen = model.representatives(texts, 9, column=column)
    assert chosen.items == model.representatives(SOME, 9).items
    for found in (outliers, chosen):
        assert found.empty.tolist() == [3, 4]
        assert not {3, 4} & set(found.positions.tolist())
        assert found.texts == 7


def test_results_are_sequences_that_show_themselves(model):
    texts = ["a <b>cat</b>", "a kitten sat", "stocks " * 40]
    for found, name in [
        (model.outliers(texts), "Outliers"),
        (model.representatives(texts), "Representatives"),
    ]:
        assert repr(found) == f"{name}(3 of 3 texts)"
        assert list(found) == [found[0], found[1], found[2]] == list(found[:])
        assert json.loads(found.to_json()) == found.to_dicts()
        assert found.to_arrow().to_pylist() == found.to_dicts()
        assert list(found.to_pandas().columns) == list(found.to_dicts()[0])
        assert str(found).startswith("rank  position")
        assert max(map(len, str(found).split("\n"))) < 200
        assert "&lt;b&gt;" in found._repr_html_()
        assert "<b>" not in found._repr_html_()


@pytest.mark.parametrize("texts", [[], ["", " "]])
def test_of_no_texts_there_are_none(model, texts):
    for found in (model.outliers(texts), model.representatives(texts)):
        assert len(found) == 0
        assert found.to_arrow().num_rows == 0
        assert found._repr_html_().count("<tr>") == 1
        assert str(found).startswith("rank")
    assert model.representatives(texts).coverage == 0.0
    (item,) = model.outliers([*texts, "a cat"])
    assert (item.score, item.nearest, item.nearest_text) == (0.0, None, None)


@pytest.mark.parametrize(
    ("measure", "method", "texts", "options", "message"),
    [
        (None, "outliers", ["a"], {"k": 0}, "k must be a whole number"),
        (None, "outliers", ["a"], {"neighbours": 0}, "neighbours must be a whole number"),
        (None, "outliers", ["a"], {"threshold": 2}, "threshold must be a number above 0"),
        (None, "outliers", "a", {}, "texts must be a list of strings"),
        (None, "representatives", ["a"], {"k": 0}, "k must be a whole number"),
        (None, "representatives", ["a"], {"threshold": 0}, "threshold must be a number"),
        ("wmd", "outliers", ["a"], {}, "wmd cannot be searched"),
        ("weighted-coverage", "representatives", ["a"], {}, "cannot find duplicates"),
    ],
)
def test_bad_input(model, measure, method, texts, options, message):
    chosen = model if measure is None else model.with_measure(measure)
    with pytest.raises(fuzzbow.InputError, match=message):
        getattr(chosen, method)(texts, **options)
