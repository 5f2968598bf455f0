"""Checks and conversion of callers' texts: lists, and columns of any library."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans
from fuzzbow.encoding.arrow_texts import ArrowTexts, TextList, column_texts
from fuzzbow.errors import FuzzbowWarning, InputError, nearest
from fuzzbow.text import is_blank, whole_text

NOTHINGS = ("NAType", "NaTType")  # pandas' own, which equal nothing, not even themselves


def check_text(text: object, name: str) -> str:
    """Replace lone surrogates of a string; raise InputError for other values."""
    if not isinstance(text, str):
        raise InputError(f"{name} must be a string; got {type(text).__name__}")
    return whole_text(str(text))


def check_texts(texts: Iterable[Any], name: str) -> TextList:
    """Convert texts to strings without lone surrogates; raise InputError for other values.

    All texts pass through this function or `check_text`. A lone surrogate, which no file can hold,
    becomes U+FFFD. A missing text, None or NaN, becomes empty, with a warning. Texts of an Arrow
    column stay in Arrow's memory.
    """
    _check_one_column(texts, name)
    found = column_texts(texts, name)
    strings, missing = _strings(texts, name) if found is None else (found[0], int(found[1].sum()))
    if missing:
        warnings.warn(
            f"{name}: {missing} of {len(strings)} are missing (None or NaN), and treated as empty",
            FuzzbowWarning,
            stacklevel=3,
        )
    return strings


def _strings(texts: Any, name: str) -> tuple[list[str], int]:
    """Return the strings of a list or column, and the number of missing ones."""
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        raise InputError(f"{name} must be a list of strings; got {type(texts).__name__}")
    items = texts.to_pylist() if hasattr(texts, "to_pylist") else list(texts)
    if set(map(type, items)) <= {str}:
        if all(map(str.isascii, items)):
            return items, 0
        return [text if text.isascii() else whole_text(text) for text in items], 0
    missing = 0
    strings: list[str] = []
    for position, item in enumerate(items):
        if isinstance(item, str):
            strings.append(whole_text(str(item)))  # NumPy's strings, say
        elif is_missing(item):
            strings.append("")
            missing += 1
        else:
            raise InputError(
                f"{name} must hold strings; item {position} is {type(item).__name__}: {item!r:.40}"
            )
    return strings, missing


def _check_one_column(texts: Any, name: str) -> None:
    """Raise InputError for anything but a list or one column."""
    if isinstance(texts, Mapping):
        raise InputError(
            f"{name} must be a list of strings; got a {type(texts).__name__}: give the list of its"
            " values, or one of them"
        )
    if is_frame(texts):
        columns = column_names(texts)
        example = columns[0] if columns else "text"
        raise InputError(
            f"{name} must be a list of strings or one column; got a {type(texts).__name__} with"
            f" the columns {', '.join(map(str, columns))}: give one of them, such as"
            f" frame[{example!r}]"
        )


def is_missing(value: object) -> bool:
    """Return whether a value is missing: None, NaN, or pandas' NA or NaT."""
    if isinstance(value, float | np.floating):
        return math.isnan(value)
    return value is None or type(value).__name__ in NOTHINGS


def blank_texts(texts: TextList) -> Booleans:
    """Mark blank texts: n -> (n,)."""
    if isinstance(texts, ArrowTexts):
        return texts.blank()
    return np.fromiter(map(is_blank, texts), dtype=np.bool_, count=len(texts))


def comparable_texts(texts: TextList) -> TextList:
    """Empty the blank texts, so that they match nothing."""
    blank = blank_texts(texts)
    if not blank.any():
        return texts
    if isinstance(texts, ArrowTexts):
        return texts.without(blank)
    return ["" if is_empty else text for text, is_empty in zip(texts, blank.tolist(), strict=True)]


def is_frame(texts: object) -> bool:
    """Return whether an object is a data frame or table, not a column."""
    if type(texts).__name__ == "LazyFrame":
        raise InputError("a LazyFrame has no rows yet; give frame.collect()")
    return hasattr(texts, "columns") and hasattr(texts, "__getitem__")


def column_names(frame: Any) -> list[Any]:
    """Return the names of a frame's columns."""
    return list(frame.column_names if hasattr(frame, "column_names") else frame.columns)


def column_of(texts: Any, column: str | None, name: str) -> Any:
    """Return a column of a frame, or the texts themselves if none is named."""
    if column is None:
        return texts
    if not is_frame(texts):
        raise InputError(f"column names one of a frame; {name} is a {type(texts).__name__}")
    columns = column_names(texts)
    if column not in columns:
        raise InputError(
            f"{name} have no column {column!r}; the columns are {', '.join(map(str, columns))}"
            f"{nearest(column, [str(item) for item in columns])}"
        )
    return texts[column]
