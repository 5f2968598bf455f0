"""Columns of Arrow wherever texts are taken."""

from __future__ import annotations

import pyarrow as pa
import pytest

import fuzzbow

KINDS = pytest.mark.parametrize(
    "column",
    [
        lambda texts: pa.chunked_array([texts[:1], texts[1:]], pa.string()),
        lambda texts: pa.array(texts, pa.large_string()),
        lambda texts: pa.chunked_array([pa.array(texts, pa.string())]).dictionary_encode(),
    ],
    ids=["chunks", "large", "dictionary"],
)


@KINDS
def test_a_column_is_as_good_as_a_list(column, model, texts):
    given = column(texts)
    assert model.pairs(given, given[::-1]).tolist() == model.pairs(texts, texts[::-1]).tolist()
    assert model.matrix(given).tolist() == model.matrix(texts).tolist()
    assert (
        model.index(given).search(given)[1].to_dicts()
        == model.index(texts).search(texts)[1].to_dicts()
    )
    assert model.duplicates(given, threshold=0.7).kept().tolist() == [0, 1, 4]
    assert model.join(given, given) == model.join(texts, texts)


@KINDS
def test_a_column_without_rows_is_an_empty_list(column, model):
    assert model.pairs(column([]), column([])).shape == (0,)
    assert len(model.index(column([]))) == len(model.duplicates(column([])).texts) == 0


@KINDS
def test_null_is_an_empty_text_with_a_warning(column, model):
    given = column(["a cat", None])
    with pytest.warns(fuzzbow.errors.FuzzbowWarning, match="1 of 2 are missing"):
        assert model.pairs(given, ["a cat", "a cat"]).tolist() == [1.0, 0.0]
    with pytest.warns(fuzzbow.errors.FuzzbowWarning, match="1 of 2 are missing"):
        assert len(model.index(given)) == 2


def test_columns_of_other_types_are_refused(model):
    with pytest.raises(fuzzbow.InputError, match="texts must hold strings; item 0 is int"):
        model.index(pa.chunked_array([[1, 2]]))
    with pytest.raises(fuzzbow.InputError, match="item 0 is bytes"):
        model.duplicates(pa.array([b"a cat"]))


def test_a_table_weighs_words_by_both_of_its_columns(texts):
    model = fuzzbow.load(counts="collection")
    table = pa.table({"a": texts, "b": texts[::-1]})
    wanted = model.fit(texts + texts[::-1]).pairs(texts, texts[::-1])
    assert model.score(table, "a", "b")["score"].to_pylist() == wanted.tolist()
