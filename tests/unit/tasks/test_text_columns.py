"""Columns of texts: one or several, joined, each as often as it counts."""

from __future__ import annotations

import pytest

from fuzzbow import InputError
from fuzzbow.tasks import TextColumns

COLUMNS = ["title", "body", "a=2", "="]
RECORD = {"title": "red shoe", "body": "for a walk", "a=2": "odd", "=": "odder"}


def text_of(*named: str, record=RECORD) -> str:
    return TextColumns(list(named), COLUMNS, "t.csv").text(record, 0)


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
    with pytest.raises(InputError, match=r"column 'titel' is not there.*did you mean 'title'"):
        text_of("titel=2")


def test_rows_without_any_text_are_counted():
    columns = TextColumns(["title", "body"], COLUMNS, "t.csv")
    columns.texts([{"title": " ", "body": None}, RECORD], 0)
    columns.texts([{"title": "", "body": "x"}, {}], 2)
    assert columns.missing == 2


def test_an_error_names_the_row_of_the_file():
    columns = TextColumns("title", COLUMNS, "t.csv")
    with pytest.raises(InputError, match="row 12 has int: 5"):
        columns.texts([RECORD, {"title": 5}], 10)
