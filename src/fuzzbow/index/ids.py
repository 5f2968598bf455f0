"""Ids of documents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.errors import InputError, KnownIdError
from fuzzbow.plurals import counted

LARGEST_ID = 10**18 - 1  # of numbers that are given; the smallest is -LARGEST_ID
LARGEST_COUNTED = 2**62  # larger ids, of older indexes, do not raise the next number
Numbers = range | NDArray[np.int64]  # ids by document number
NUMBER = re.compile(r"-?[0-9]{1,19}")


def id_column(ids: Iterable[Any]) -> Any:
    """Convert ids to an Arrow column of int64 or of strings."""
    import pyarrow as pa

    try:
        if isinstance(ids, str | bytes) or not isinstance(ids, Iterable):
            raise InputError(f"ids must be a list; got {type(ids).__name__}")
        column = arrow_array(ids)
        kind = column.type
        if pa.types.is_integer(kind):
            column = column.cast(pa.int64())
        elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
            column = column.cast(pa.string())
        elif len(column):
            raise InputError(f"ids must be whole numbers or strings; got {kind}")
        else:
            column = column.cast(pa.int64())
    except (pa.ArrowException, TypeError, OverflowError, UnicodeEncodeError) as error:
        raise InputError(
            f"ids must be whole numbers or strings, all of one kind; {error}"
        ) from error
    if column.null_count:
        raise InputError(f"ids must not be missing; got {column.null_count} without a value")
    return column


def new_ids(ids: Iterable[Any], before: int = 0) -> Any:
    """Convert ids to a column, and check that they differ and are in the allowed range.

    `before` is the number of rows before them, for errors.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    column = id_column(ids)
    if column.type == pa.int64() and len(column):
        for value in pc.min_max(column).as_py().values():
            if abs(value) > LARGEST_ID:
                raise InputError(f"ids must be from {-LARGEST_ID} to {LARGEST_ID}; got {value}")
    check_distinct(column, before)
    return column


def parse_number(text: str) -> int | None:
    """Parse a whole number of 64 bits; None if the text is not one."""
    number = int(text) if NUMBER.fullmatch(text) else 2**63
    return number if -(2**63) <= number < 2**63 else None


def arrow_array(values: Any) -> Any:
    """Convert any values to one Arrow array."""
    import pyarrow as pa

    if not isinstance(values, pa.Array | pa.ChunkedArray):
        values = pa.array(values if hasattr(values, "__array__") else list(values))
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


def check_distinct(column: Any, before: int = 0) -> None:
    """Raise InputError if an id occurs twice; `before` is the number of rows before, for errors."""
    import pyarrow.compute as pc

    if pc.count_distinct(column).as_py() < len(column):
        values = column.to_pylist()
        value, times = Counter(values).most_common(1)[0]
        first = values.index(value)
        second = values.index(value, first + 1)
        raise InputError(
            f"ids must differ; got {value!r} {counted(times, 'time')},"
            f" in rows {before + first + 1} and {before + second + 1}"
        )


def check_new(ids: Any, known: Any) -> None:
    """Refuse ids that are among the known ids of an index."""
    if len(there := ids.filter(among(ids, known))):
        raise KnownIdError(f"ids must be new; the index has {there[0].as_py()!r} already")


def among(ids: Any, known: Any) -> Any:
    """Return whether each id is known, as an Arrow array."""
    import pyarrow.compute as pc

    return pc.is_in(ids, value_set=known)


def first_free_id(ids: Any) -> int:
    """Return the number after the largest id below LARGEST_COUNTED; 0 for strings."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if ids.type != pa.int64() or not len(ids):
        return 0
    largest = pc.max(ids.filter(pc.less(ids, LARGEST_COUNTED))).as_py()
    return 0 if largest is None else max(0, largest + 1)


def add_numbers(known: Numbers | None, column: Any) -> Numbers | None:
    """Append ids to those that are known, as a range if they are consecutive; None for strings."""
    if str(column.type) != "int64" or known is None:
        return None
    numbers = np.concatenate([np.asarray(known, np.int64), column.to_numpy(zero_copy_only=False)])
    first = int(numbers[0]) if len(numbers) else 0
    consecutive = range(first, first + len(numbers))
    return consecutive if np.array_equal(numbers, consecutive) else numbers
