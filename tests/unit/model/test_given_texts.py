"""Frames, dicts and missing values where texts are expected; bars; pickled models and indexes."""

from __future__ import annotations

import copy
import io
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from rich.console import Console

import fuzzbow
from fuzzbow import InputError
from fuzzbow.errors import FuzzbowWarning
from fuzzbow.progress import described, open_progress, progress_bar

COLUMNS = {"text": ["a cat", "a cat", "a plane"], "n": [1, 2, 3]}
FRAMES = [pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS), pa.table(COLUMNS)]


@pytest.mark.parametrize("frame", FRAMES, ids=["pandas", "polars", "arrow"])
def test_a_frame_is_refused_with_what_to_write(model, frame):
    calls = [
        model.duplicates, model.index, model.matrix, model.coverage, model.fit,
        lambda given: model.pairs(given, ["a"]), lambda given: model.pairs(["a"], given),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(InputError, match=r"columns text, n: give one of them.*frame\['text'\]"):
            call(frame)


@pytest.mark.parametrize("frame", FRAMES, ids=["pandas", "polars", "arrow"])
def test_a_column_of_a_frame_may_be_named(model, frame):
    assert model.duplicates(frame, column="text").kept().tolist() == [0, 2]
    assert model.duplicates(frame, column="text", others=frame).kept().tolist() == []
    assert model.index(frame, column="text").search("a plane", k=1).ids == [2]
    assert model.matrix(frame["text"]).shape == (3, 3)
    with pytest.raises(
        InputError, match=r"have no column 'txt'; the columns are text, n .did you mean"
    ):
        model.duplicates(frame, column="txt")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"texts": ["a"], "column": "text"}, "column names one of a frame; texts is a list"),
        ({"texts": COLUMNS}, "got a dict: give the list of its values"),
        ({"texts": ["a", 1.5]}, r"item 1 is float: 1\.5"),
        ({"texts": ["a"], "progress": "yes"}, "progress must be True, for a bar"),
    ],
)
def test_other_things_are_refused(model, arguments, message):
    with pytest.raises(InputError, match=message):
        model.duplicates(**arguments)


MISSING = [
    ["a cat", None, float("nan")],
    pd.Series(["a cat", None, np.nan]),
    pd.Series(["a cat", pd.NA, pd.NaT], dtype=object),
    pl.Series(["a cat", None, None]),
    pa.array(["a cat", None, None]),
    np.array(["a cat", None, np.float32("nan")], dtype=object),
]


@pytest.mark.parametrize("texts", MISSING, ids=lambda texts: type(texts).__module__)
def test_missing_texts_are_empty_and_counted(model, texts):
    with pytest.warns(FuzzbowWarning, match="lefts: 2 of 3 are missing"):
        scores = model.pairs(texts, ["a cat"] * 3)
    assert scores.tolist() == [1.0, 0.0, 0.0]


def test_a_bar_has_rows_rate_and_time_left():
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    with progress_bar("comparing", console) as calls:
        calls(50, 200)
    shown = console.file.getvalue()
    assert "comparing" in shown
    assert "50 of 200" in shown
    assert described(7, None, 0) == "7"


def test_a_hidden_bar_writes_nothing_whatever_the_version_of_rich(monkeypatch):
    monkeypatch.delattr("rich.progress.Progress.start")
    with progress_bar("comparing", Console(file=io.StringIO()), hidden=True) as calls:
        calls(50, 200)


def test_progress_may_be_true_or_a_function(model, capsys):
    calls = []
    texts = ["a cat", "a dog"]
    assert len(model.duplicates(texts, progress=True).texts) == 2
    model.index(texts, progress=lambda *at: calls.append(at))
    model.join(texts, texts, progress=lambda *at: calls.append(at))
    assert calls[-1] == (2, 2)
    assert capsys.readouterr().out == ""
    with open_progress(None, "x") as nobody:
        nobody(1, 2)


@pytest.mark.parametrize("again", [copy.deepcopy, lambda made: pickle.loads(pickle.dumps(made))])  # noqa: S301
def test_models_and_indexes_are_copied_by_their_spec(again, tmp_path):
    model = fuzzbow.load("default", measure="dynamax-jaccard", weights="sif")
    twin = again(model)
    assert twin.spec == model.spec
    assert twin.similarity("a cat", "a dog") == model.similarity("a cat", "a dog")
    index = model.index(["a cat", "a jet", "a dog"], ids=["x", "y", "z"], metadata={"n": [1, 2, 3]})
    index.delete("y")
    twin = again(index)
    assert twin.search("a puppy").to_dicts() == index.search("a puppy").to_dicts()
    assert index.add(["one more"], ids=["w"]) == ["w"]
    assert len(twin) == 2
    stored = model.index(["a cat", "a jet"], path=tmp_path / "index")
    twin = again(stored)
    assert twin.path == stored.path.resolve()
    assert twin.search("a cat")[0].text == "a cat"
    stored.add(["a bus"])
    old = fuzzbow.open_index(tmp_path / "index", model, version=1)
    assert (len(again(old)), again(old).read_only) == (2, True)


def test_a_fitted_model_says_how_to_copy_it():
    model = fuzzbow.load("default", counts="collection").fit(["a cat", "a dog", "a cat sat"])
    assert copy.deepcopy([model])[0] is model
    with pytest.raises(InputError, match="fit that again"):
        pickle.dumps(model)


def test_a_model_whose_vectors_have_changed_is_refused(tmp_path):
    path = tmp_path / "v.vec"
    path.write_text("a 1 0\ncat 0 1\n")
    kept = pickle.dumps(fuzzbow.load(path))
    path.write_text("a 0 1\ncat 1 0\n")
    with pytest.raises(InputError, match="have changed since"):
        pickle.loads(kept)  # noqa: S301


def test_nothing_is_said_of_whole_lists(model):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.pairs(["", "a"], ["b", ""])
