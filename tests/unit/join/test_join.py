"""A join is what the full matrix says, whatever kind of frame it is of."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzzbow import InputError
from fuzzbow.errors import FuzzbowWarning
from fuzzbow.join import matches
from tests.unit.dedupe import corpora

LEFT = {"name": ["a plane landed", "He has a cat", "zzz"], "n": [1, 2, 3]}
RIGHT = {
    "title": ["a cat he has", "an airplane landed", "He has a cat", "a plane landed"],
    "n": [10, 20, 30, 40],
}
KINDS = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "batch": pa.RecordBatch.from_pydict,
}
KEYS = {"left_on": "name", "right_on": "title"}


def rows(frame) -> list[dict]:
    if isinstance(frame, pd.DataFrame):
        return [
            {name: None if value != value else value for name, value in row.items()}
            for row in frame.to_dict("records")
        ]
    return frame.to_dicts() if isinstance(frame, pl.DataFrame) else frame.to_pylist()


@pytest.mark.parametrize("kind", KINDS)
def test_a_frame_comes_back_as_the_kind_it_was(model, kind):
    left, right = KINDS[kind](LEFT), KINDS[kind](RIGHT)
    whole = [
        {"name": "a plane landed", "n": 1, "title": "a plane landed", "n_right": 40, "score": 1.0},
        {"name": "He has a cat", "n": 2, "title": "a cat he has", "n_right": 10, "score": 1.0},
        {"name": "zzz", "n": 3, "title": None, "n_right": None, "score": None},
    ]
    wanted = {"inner": whole[:2], "left": whole, "anti": [{"name": "zzz", "n": 3}]}
    for how, expected in wanted.items():
        found = model.join(left, right, how=how, **KEYS)
        assert type(found) is type(left)
        assert rows(found) == expected


def test_several_matches_best_first_with_labels_and_reasons(model):
    left = pd.DataFrame(LEFT, index=["x", "y", "z"])
    found = model.join(left, pd.DataFrame(RIGHT), k=2, how="left", reasons=True, **KEYS)
    assert found.index.tolist() == ["x", "x", "y", "y", "z"]
    planes = found.loc["x"]
    assert planes["title"].tolist() == ["a plane landed", "an airplane landed"]
    assert planes["reason"].tolist()[1] == "plane ~ airplane 0.83, landed"
    assert planes["score"].tolist() == [
        model.similarity("a plane landed", text) for text in planes["title"]
    ]


def test_lists_and_kinds_may_be_mixed(model):
    found = model.join(LEFT["name"], RIGHT["title"], how="left")
    assert found[0] == {
        "left": 0, "left_text": "a plane landed", "right": 3, "right_text": "a plane landed",
        "score": 1.0,
    }  # fmt: skip
    assert found[2]["right"] is None
    mixed = model.join(pl.DataFrame(LEFT), pd.DataFrame(RIGHT), **KEYS)
    assert isinstance(mixed, pl.DataFrame)
    assert model.join(pd.DataFrame(LEFT), RIGHT["title"], on="name")["text"].tolist()[0] == (
        "a plane landed"
    )


def test_empty_sides(model):
    empty = pd.DataFrame({"name": [], "n": []}, dtype=str)
    assert len(model.join(empty, pd.DataFrame(RIGHT), **KEYS)) == 0
    found = model.join(pd.DataFrame(LEFT), RIGHT["title"][:0], on="name", how="left")
    assert len(found) == 3
    assert model.join([], [], one_to_one=True) == []


def brute_force(scores, k, threshold):
    for left, row in enumerate(scores):
        good = [right for right in np.argsort(-row, kind="stable") if row[right] >= threshold]
        yield from ((left, int(right)) for right in good[:k])


def greedy(scores, threshold):
    pairs = sorted((-value, *place) for place, value in np.ndenumerate(scores))
    taken: dict[int, int] = {}
    for negative, left, right in pairs:
        if -negative >= threshold and left not in taken and right not in taken.values():
            taken[left] = right
    return sorted(taken.items())


TEXTS = st.lists(
    st.lists(st.sampled_from(corpora.WORDS[:9]), min_size=1, max_size=4).map(" ".join), max_size=12
)


@given(lefts=TEXTS, rights=TEXTS, k=st.integers(1, 4), threshold=st.floats(0.1, 0.99))
def test_a_join_is_what_the_matrix_says(lefts, rights, k, threshold):
    model = corpora.model()
    scores = model.matrix(lefts, rights)
    if scores.size:
        threshold = corpora.between_scores(scores, threshold)
    found = [
        (row["left"], row["right"]) for row in model.join(lefts, rights, k=k, threshold=threshold)
    ]
    assert found == list(brute_force(scores, k, threshold))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matches, "FIRST_CANDIDATES", 1)  # so that lists have to grow
        single = model.join(lefts, rights, threshold=threshold, one_to_one=True)
    assert [(row["left"], row["right"]) for row in single] == greedy(scores, threshold)


def test_no_row_is_matched_twice_one_to_one(model):
    left = ["He has a cat", "He had a cat", "a cat he has"]
    found = model.join(left, ["He has a cat", "a cat"], one_to_one=True, threshold=0.5)
    assert [(row["left"], row["right"]) for row in found] == [(0, 0), (2, 1)]
    assert [row["right"] for row in model.join(left, ["He has a cat", "a cat"])] == [0, 0, 0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "on, or left_on, must name the column of texts; left has name, n"),
        ({"on": "nam"}, "left have no column 'nam'; the columns are name, n .did you mean 'name'"),
        ({"how": "outer", **KEYS}, "how must be one of inner, left, anti"),
        ({"threshold": 0, **KEYS}, "threshold must be a number above 0"),
        ({"k": 0, **KEYS}, "k must be a whole number of at least 1"),
        ({"k": 2, "one_to_one": True, **KEYS}, "one-to-one join"),
        ({"score": "n", **KEYS}, "n would occur twice"),
        ({"left": pl.LazyFrame(LEFT), **KEYS}, r"frame\.collect"),
    ],
)
def test_bad_input(model, options, message):
    with pytest.raises(InputError, match=message):
        model.join(**{"left": pd.DataFrame(LEFT), "right": pd.DataFrame(RIGHT), **options})
    with pytest.raises(InputError, match="wmd cannot be searched"):
        model.with_measure("wmd").join(["a"], ["b"])


def test_missing_texts_match_nothing_with_a_warning(model):
    left = pd.DataFrame({"name": ["a cat", None, float("nan")]})
    with pytest.warns(FuzzbowWarning, match="left: 2 of 3 are missing"):
        found = model.join(left, ["a cat"], on="name", how="left")
    assert found["score"].isna().tolist() == [False, True, True]
