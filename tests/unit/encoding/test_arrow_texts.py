"""Columns in Arrow's memory as sequences of strings, and what counts as one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fuzzbow
from fuzzbow import InputError
from fuzzbow.encoding import ArrowTexts, check_texts, column_texts
from fuzzbow.encoding.text_columns import TextColumns
from tests.parity.test_arrow_texts import Exported

TEXTS = ["a cat", "", "Zürich 😀", "a\0b", "a cat"]


def column(texts: list[str] = TEXTS) -> ArrowTexts:
    return check_texts(pa.chunked_array([texts[:2], texts[2:]], pa.string()), "texts")


def test_it_is_a_sequence_of_strings():
    texts = column()
    assert isinstance(texts, ArrowTexts)
    assert list(texts) == [texts[place] for place in range(len(texts))] == TEXTS
    assert texts[-1] == texts[np.int64(0)] == "a cat"
    assert texts.index("a\0b") == 3
    assert "Zürich 😀" in texts
    with pytest.raises(IndexError):
        texts[5]


@pytest.mark.parametrize("part", [slice(1, 3), slice(4), slice(-2, None), slice(None, None, -2)])
def test_a_part_is_that_of_the_list(part):
    assert list(column()[part]) == TEXTS[part]
    assert isinstance(column()[part], ArrowTexts)


def test_it_equals_the_list_of_its_strings_and_nothing_else():
    assert column() == TEXTS == column()
    assert column() == column()
    assert column() != TEXTS[1:]
    assert column() != [*TEXTS[:4], "a dog"]
    assert column() != tuple(TEXTS)
    with pytest.raises(TypeError, match="unhashable"):
        hash(column())


def test_more_texts_come_behind_and_before():
    more = ["x", "é"]
    assert list(column() + more) == TEXTS + more
    assert list(more + column()) == more + TEXTS
    assert list(column() + column()[1:]) == TEXTS + TEXTS[1:]


@pytest.mark.parametrize("mask", [[1, 0, 1, 1, 0], [0] * 5, [1] * 5], ids=str)
def test_some_texts_are_those_of_the_list(mask):
    wanted = [text for text, chosen in zip(TEXTS, mask, strict=True) if chosen]
    some = column().where(np.array(mask, dtype=bool))
    parts = [
        data[start:end].tobytes().decode()
        for data, starts, ends in some.utf8_chunks()
        for start, end in zip(starts, ends, strict=True)
    ]
    assert len(some) == len(wanted)
    assert parts == list(some) == wanted
    assert list(some + TEXTS) == wanted + TEXTS
    assert list(some[1:].where(np.ones(max(len(wanted) - 1, 0), dtype=bool))) == wanted[1:]


def test_it_shows_its_length():
    assert repr(column()) == "ArrowTexts(5 texts)"


def test_arrow_takes_it_back_without_a_copy():
    given = pa.chunked_array([TEXTS], pa.large_string())
    back = pa.array(check_texts(given, "texts"), pa.large_string())
    assert back.buffers()[2].address == given.chunk(0).buffers()[2].address


def test_iteration_goes_past_what_becomes_strings_together(monkeypatch):
    monkeypatch.setattr("fuzzbow.encoding.arrow_texts.BLOCK_TEXTS", 2)
    assert list(column()) == TEXTS


@pytest.mark.parametrize("given", [
    pa.array(TEXTS),
    pa.chunked_array([TEXTS], pa.large_string()),
    pa.array(TEXTS).dictionary_encode(),
    Exported(pa.chunked_array([TEXTS])),
    pl.Series(TEXTS),
    pl.Series(TEXTS, dtype=pl.Categorical),
    pd.Series(TEXTS, dtype=pd.ArrowDtype(pa.string())),
    pd.Series(TEXTS, dtype="string[pyarrow]"),
    pd.Index(TEXTS, dtype="string[pyarrow]"),
], ids=lambda given: type(given).__name__)  # fmt: skip
def test_what_lies_in_arrows_memory_stays_there(given):
    found = check_texts(given, "texts")
    assert isinstance(found, ArrowTexts)
    assert found == TEXTS


@pytest.mark.parametrize("given", [
    pd.Series(TEXTS, dtype=object),
    pd.Series(TEXTS, dtype="string[python]"),
    pl.Series(TEXTS, dtype=pl.Object),
    np.array(TEXTS, dtype=object),
    iter(TEXTS),
], ids=lambda given: type(given).__name__)  # fmt: skip
def test_strings_of_python_stay_a_list(given):
    found = check_texts(given, "texts")
    assert isinstance(found, list)
    assert found == TEXTS


def test_half_a_character_in_a_column_of_python_becomes_whole():
    assert check_texts(pd.Series(["\ud800"], dtype=object), "texts") == ["\ufffd"]


KINDS = [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())]


@pytest.mark.parametrize(
    "given",
    [*(pa.chunked_array([["a"], [None, None]], kind) for kind in KINDS), pa.nulls(3, pa.string())],
    ids=[*map(str, KINDS), "nulls only"],
)
def test_missing_texts_are_counted_and_empty(given):
    with pytest.warns(fuzzbow.errors.FuzzbowWarning, match=f"{given.null_count} of 3 are missing"):
        found = check_texts(given, "texts")
    assert isinstance(found, ArrowTexts)
    assert found == [text or "" for text in given.to_pylist()]


def test_which_texts_are_missing():
    strings, missing = column_texts(pa.array(["a", None, ""]), "texts")
    assert (list(strings), missing.tolist()) == (["a", "", ""], [False, True, False])


def test_a_column_that_is_no_utf8_is_refused():
    broken = pa.array([b"a", b"\xff"]).view(pa.string())
    with pytest.raises(fuzzbow.InputError, match=r"texts must be a sound column of Arrow.*UTF8"):
        check_texts(broken, "texts")


@pytest.mark.parametrize("given", [
    pa.table({"text": TEXTS}).to_reader(),
    Exported(pa.table({"text": TEXTS})),
    Exported(pa.chunked_array([[1]])),
], ids=["reader", "table", "numbers"])  # fmt: skip
def test_what_holds_no_strings_is_refused(given):
    with pytest.raises(fuzzbow.InputError, match=r"texts must (hold|be a list of) strings"):
        check_texts(given, "texts")


def test_a_list_does_not_import_arrow(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)  # an import would raise
    assert check_texts(TEXTS, "texts") == TEXTS


COLUMNS = ["title", "body", "a=2", "="]
RECORD = {"title": "red shoe", "body": "for a walk", "a=2": "odd", "=": "odder"}


def text_of(*named: str, record=RECORD) -> str:
    whole = dict.fromkeys(COLUMNS) | record
    batch = pa.table({name: pa.array([value]) for name, value in whole.items()})
    (text,) = TextColumns(list(named), COLUMNS, "t.csv").column(batch)
    return text


@pytest.mark.parametrize(
    ("named", "text"),
    [
        (["title"], "red shoe"),
        (["title", "body"], "red shoe\nfor a walk"),
        (["body", "title"], "for a walk\nred shoe"),
        (["title=2", "body"], "red shoe\nfor a walk\nred shoe"),
        (["title=1", "body=3"], "red shoe\nfor a walk\nfor a walk\nfor a walk"),
        (["title=2"], "red shoe\nred shoe"),
        (["a=2"], "odd"),  # the name of a column
        (["a=2=2"], "odd\nodd"),
        (["="], "odder"),
    ],
)
def test_a_text_holds_each_column_as_often_as_it_counts(named, text):
    assert text_of(*named) == text


@pytest.mark.parametrize(
    ("record", "text"),
    [
        ({"title": None, "body": "x"}, "x"),
        ({"title": "", "body": "x"}, "x"),
        ({"title": "y"}, "y\ny"),
        ({}, ""),
    ],
)
def test_an_empty_column_leaves_no_gap(record, text):
    assert text_of("title=2", "body", record=record) == text


@pytest.mark.parametrize("weight", ["0", "-1", "1.5", "x", "", "21", "999999999999", "²", " 2"])
def test_a_weight_is_a_small_whole_number(weight):
    with pytest.raises(InputError, match=r"a whole number from 1 to 20, as in title=2; got"):
        text_of(f"title={weight}")


@pytest.mark.parametrize("named", [["title", "title"], ["title", "title=2"]])
def test_a_column_is_named_once(named):
    with pytest.raises(InputError, match="can be named once"):
        text_of(*named)


def test_a_column_that_is_not_there_is_named_without_its_weight():
    with pytest.raises(InputError, match=r"no column 'titel'.*did you mean 'title'"):
        text_of("titel=2")


def test_rows_without_any_text_are_counted():
    columns = TextColumns(["title", "body"], COLUMNS, "t.csv")
    columns.column(pa.table({"title": [" ", "red"], "body": [None, "for a walk"]}))
    columns.column(pa.table({"title": ["", None], "body": ["x", None]}), 2)
    assert columns.missing == 2


def test_an_error_names_the_row_of_the_file():
    columns = TextColumns("title", COLUMNS, "t.csv")
    with pytest.raises(InputError, match=r"row 11 has .*: 5"):
        columns.column(pa.table({"title": [5]}), 10)
