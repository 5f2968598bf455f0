"""Scores as a column of a frame of any kind; rows keep their labels."""

from __future__ import annotations

import pandas
import polars
import pyarrow as pa
import pytest

import fuzzbow
from fuzzbow import InputError
from fuzzbow.io.frames import to_arrow

DATA = {"question": ["a cat?", "a jet?", "rain"], "answer": ["a kitten", "a plane", ""]}
SCORES = fuzzbow.load().pairs(DATA["question"], DATA["answer"]).tolist()


def test_a_pandas_frame_keeps_its_labels_and_is_not_changed(model):
    frame = pandas.DataFrame(DATA, index=["x", "y", "x"])
    scored = model.score(frame, "question", "answer")
    assert scored.index.tolist() == ["x", "y", "x"]
    assert scored["score"].tolist() == SCORES
    assert list(frame.columns) == ["question", "answer"]
    some = model.score(frame.reset_index(drop=True)[1:], "question", "answer")
    assert some["score"].to_dict() == {1: SCORES[1], 2: SCORES[2]}


@pytest.mark.parametrize("kind", [polars.DataFrame, pa.table, pa.RecordBatch.from_pydict])
def test_a_frame_of_another_kind_comes_back_as_that_kind(model, kind):
    frame = kind(DATA)
    scored = model.score(frame, "question", "answer", score="likeness")
    assert type(scored) is type(frame)
    assert to_arrow(scored).to_pydict() == DATA | {"likeness": SCORES}


@pytest.mark.parametrize("kind", [pandas.DataFrame, polars.DataFrame, pa.table])
def test_a_frame_without_rows_gets_an_empty_column(model, kind):
    empty = pa.array([], pa.string()).to_numpy(zero_copy_only=False)
    frame = kind({"question": empty, "answer": empty})
    assert len(model.score(frame, "question", "answer")["score"]) == 0


@pytest.mark.parametrize("purpose", ["passages", "records"])
def test_where_a_collection_weighs_words_it_is_the_frame(purpose):
    model = fuzzbow.load(purpose=purpose)
    texts = DATA["answer"] if purpose == "passages" else DATA["question"] + DATA["answer"]
    expected = model.fit(texts).pairs(DATA["question"], DATA["answer"]).tolist()
    scored = model.score(pandas.DataFrame(DATA), "question", "answer")
    assert scored["score"].tolist() == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((DATA, "question", "answer"), "must be one of pandas, Polars or Arrow; got dict"),
        ((["a"], "question", "answer"), "got list: pairs"),
        ((pandas.DataFrame(DATA), "questoin", "answer"), "did you mean 'question'"),
        (
            (pandas.DataFrame(DATA | {"score": 1}), "question", "answer"),
            "already has a column 'score'",
        ),
    ],
)
def test_bad_input(model, arguments, message):
    with pytest.raises(InputError, match=message):
        model.score(*arguments)
