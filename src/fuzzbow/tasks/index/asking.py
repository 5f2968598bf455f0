"""From what a caller asks for to document numbers, and from those to hits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fuzzbow.arrays import Integers
from fuzzbow.engine import Found
from fuzzbow.errors import InputError, KnownIdError, UnknownIdError, check_count
from fuzzbow.tasks.index.hits import Results
from fuzzbow.tasks.index.numbers import DocumentIds
from fuzzbow.tasks.index.rows import Rows

LAST_VERSION = 2**63 - 1  # that Lance can count to


def check_limits(k: object, min_score: object) -> None:
    """How many hits, and how good they must be."""
    check_count(k, "k")
    if isinstance(min_score, bool) or not isinstance(min_score, int | float | np.number):
        raise InputError(f"min_score must be a number; got {min_score!r}")
    try:
        finite = math.isfinite(min_score)
    except (OverflowError, TypeError):  # beyond all floats, or complex
        finite = False
    if not finite:
        raise InputError(f"min_score must be a finite number; got {type(min_score).__name__}")


def check_version(version: object) -> int:
    """The number of a version, as Lance counts them."""
    number = check_count(version, "version")
    if number > LAST_VERSION:
        raise InputError(f"version must be at most {LAST_VERSION}; no version is larger")
    return number


def results_of(found: Found, rows: Rows, ids: DocumentIds) -> Results:
    """What a search found; the rows of all its hits are read together, when they are asked for."""
    there = found.documents >= 0
    documents = found.documents[there]
    ends = [0, *np.cumsum(there.sum(axis=1)).tolist()]
    return Results(found.scores[there], ids.of(documents), ends, rows.reader(documents))


def check_new(rows: Rows, ids: Any) -> None:
    """Refuse ids that the rows have already."""
    import pyarrow.compute as pc

    known = ids.filter(pc.is_in(ids, value_set=rows.ids()))
    if len(known):
        raise KnownIdError(f"ids must be new; the index has {known[0].as_py()!r} already")


def documents_of(rows: Rows, ids: Any) -> Integers:
    """Document numbers of ids, which must all be there."""
    import pyarrow.compute as pc

    own = rows.ids()
    if not len(ids):
        return np.zeros(0, dtype=np.int64)
    if ids.type != own.type:
        raise InputError(f"ids must be of the index's kind, {own.type}; got {ids.type}")
    places = pc.index_in(ids, value_set=own)
    if places.null_count:
        missing = ids.filter(pc.is_null(places)).to_pylist()
        shown = ", ".join(repr(value) for value in missing[:5])
        raise UnknownIdError(f"ids must be in the index; {len(missing)} are not: {shown}")
    return np.asarray(rows.documents()[places.to_numpy(zero_copy_only=False)])
