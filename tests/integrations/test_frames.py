"""The verbs of pandas and Polars frames, one contract for both, and what is each one's own."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import fuzzbow
import fuzzbow.integrations.pandas
import fuzzbow.integrations.polars  # importing them registers the verbs

LEFT = {"name": ["a plane landed", "He has a cat", "zzz"], "id": [1, 2, 3]}
RIGHT = {"title": ["a cat he has", "an airplane landed"], "id": [10, 20]}

KINDS = pytest.mark.parametrize(
    "frame",
    [pd.DataFrame, pl.DataFrame, lambda data: pl.LazyFrame(data)],
    ids=["pandas", "polars", "lazy"],
)
COLUMNS = pytest.mark.parametrize("column", [pd.Series, pl.Series], ids=["pandas", "polars"])


def records(found) -> list[dict]:
    found = found.collect() if isinstance(found, pl.LazyFrame) else found
    return found.to_dict("records") if isinstance(found, pd.DataFrame) else found.to_dicts()


@COLUMNS
def test_similarity_is_that_of_the_model_row_by_row(column, model, texts):
    found = column(texts).fuzzbow.similarity(column(texts[::-1]))
    assert found.to_list() == model.pairs(texts, texts[::-1]).tolist()
    one = column(texts).fuzzbow.similarity("a cat", model=fuzzbow.load(measure="max-jaccard"))
    wanted = fuzzbow.load(measure="max-jaccard").pairs(texts, ["a cat"] * 5)
    assert one.to_list() == wanted.tolist()


@COLUMNS
def test_similarity_with_a_missing_text_is_missing(column):
    found = column(["a cat", None, "a cat"]).fuzzbow.similarity(column(["a cat", "a cat", None]))
    assert found.to_list()[0] == 1.0
    assert pd.isna(found.to_list()[1:]).all()
    assert len(column([], dtype=str).fuzzbow.similarity([])) == 0


@COLUMNS
def test_other_things_than_texts_are_refused(column):
    with pytest.raises(fuzzbow.InputError, match="lefts must hold strings; item 1 is int"):
        column(["a", 3], dtype=object if column is pd.Series else pl.Object).fuzzbow.similarity("a")
    with pytest.raises(fuzzbow.InputError, match="equal length; got 2 and 1"):
        column(["a", "b"]).fuzzbow.similarity(["a"])


@KINDS
def test_join_is_that_of_the_model_for_records(frame):
    options = {"left_on": "name", "right_on": "title", "how": "left", "reasons": True}
    found = frame(LEFT).fuzzbow.join(frame(RIGHT), **options)
    chosen = fuzzbow.load(purpose="records")
    wanted = chosen.join(pd.DataFrame(LEFT), pd.DataFrame(RIGHT), **options).to_dict("records")
    assert [row["name"] for row in records(found)] == LEFT["name"]
    assert [row["score"] for row in records(found)[:2]] == [row["score"] for row in wanted[:2]]
    assert [row["reason"] for row in records(found)[:2]] == [row["reason"] for row in wanted[:2]]
    assert pd.isna(records(found)[2]["title"])
    empty = frame({"name": [], "id": []})
    assert records(empty.fuzzbow.join(frame(RIGHT), left_on="name", right_on="title")) == []


@KINDS
def test_dedupe_keeps_what_the_model_keeps(frame, model, texts):
    kept = model.duplicates(texts, threshold=0.7).kept().tolist()
    found = frame({"text": texts, "row": range(5)}).fuzzbow.dedupe("text", threshold=0.7)
    assert [row["row"] for row in records(found)] == kept == [0, 1, 4]
    last = frame({"text": ["a cat", "a cat sat"]}).fuzzbow.dedupe(
        "text", threshold=0.4, keep="longest"
    )
    assert [row["text"] for row in records(last)] == ["a cat sat"]
    assert records(frame({"text": []}).fuzzbow.dedupe("text")) == []
    with pytest.raises(fuzzbow.InputError, match="no column 'txt'; the columns are text"):
        frame({"text": ["a"]}).fuzzbow.dedupe("txt")


def test_pandas_keeps_labels_and_wants_the_same_ones():
    frame = pd.DataFrame({"a": ["a cat", "a dog"], "b": ["a cat", "a jet"]}, index=["x", "y"])
    assert frame["a"].fuzzbow.similarity(frame["b"]).loc["x"] == 1.0
    assert list(frame.fuzzbow.dedupe("b").index) == ["x", "y"]
    with pytest.raises(fuzzbow.InputError, match="must have the labels of the series"):
        frame["a"].fuzzbow.similarity(frame["b"].iloc[::-1])


def test_a_polars_expression_scores_columns_and_literals(model, texts):
    frame = pl.DataFrame({"a": texts, "b": texts[::-1]})
    found = frame.select(
        x=pl.col("a").fuzzbow.similarity(pl.col("b")),
        y=pl.col("a").fuzzbow.similarity("b"),
        z=pl.col("a").fuzzbow.similarity(pl.lit("a cat")),
    )
    assert found["x"].to_list() == found["y"].to_list() == model.pairs(texts, texts[::-1]).tolist()
    assert found["z"].to_list() == model.pairs(texts, ["a cat"] * 5).tolist()
    assert found.schema["x"] == pl.Float64


def test_a_polars_expression_gives_null_for_null_and_nothing_for_no_rows():
    frame = pl.DataFrame({"a": ["a cat", None, "a cat"], "b": ["a cat", "a cat", None]})
    expression = pl.col("a").fuzzbow.similarity("b")
    assert frame.select(expression).to_series().to_list() == [1.0, None, None]
    assert frame.clear().select(expression).schema == {"similarity": pl.Float64}
    nulls = pl.DataFrame({"a": [None], "b": ["x"]})
    assert nulls.select(expression).to_series().to_list() == [None]
    with pytest.raises(Exception, match="must hold strings; item 0 is int"):
        pl.DataFrame({"a": [1], "b": ["x"]}).select(expression)


def test_a_polars_expression_is_lazy_and_goes_by_group(model):
    lazy = pl.LazyFrame({"key": [1, 2, 1], "a": ["a cat", "a jet", "a dog"], "b": ["a cat"] * 3})
    query = lazy.with_columns(score=pl.col("a").fuzzbow.similarity("b")).filter(
        pl.col("score") > 0.9
    )
    assert query.collect_schema()["score"] == pl.Float64
    assert query.collect()["a"].to_list() == ["a cat"]
    best = lazy.group_by("key").agg(pl.col("a").fuzzbow.similarity("b").max()).sort("key").collect()
    assert best["similarity"].to_list() == pytest.approx([1.0, model.similarity("a jet", "a cat")])


def test_a_lazy_frame_has_its_schema_before_it_is_collected_and_gives_what_an_eager_one_gives():
    left, right = pl.DataFrame(LEFT), pl.DataFrame(RIGHT)
    options = {"left_on": "name", "right_on": "title", "how": "left"}
    lazy = left.lazy().fuzzbow.join(right.lazy(), **options)
    eager = left.fuzzbow.join(right, **options)
    assert lazy.collect_schema() == eager.schema
    assert_frame_equal(lazy.collect(), eager)
    assert_frame_equal(
        lazy.filter(pl.col("id") == 2).select("title").collect(),
        eager.filter(pl.col("id") == 2).select("title"),
    )
